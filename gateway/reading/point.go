package reading

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/resolver"
)

// maxPoints is the number of keys and of rows up to which a look-up is answered from the row store.
const maxPoints = 1000

// point answers a look-up by key from the row store, without the engine, and then sets
// report.Point. The answer is nil if the engine has to give it, and for EXPLAIN.
func (o *Sources) point(ctx context.Context, pin *resolver.Pin, p *planner.Plan, i int, t *catalog.Type, report *WindowReport) (*column.Batch, error) {
	r, db := &p.Relations[i], o.Session.DB
	if db.Rows == nil || !p.Scoped.LookUp || !o.Spare && !o.Dry || r.Mode != ontosql.Latest || r.Ref.All || o.Session.Drafted(pin) || !report.Keys.CoverAll(report.Need) {
		return nil, nil
	}
	beginnings := report.Keys.Beginnings(t, maxPoints)
	if beginnings == nil {
		return nil, nil
	}
	use := db.UseRows(pin, t)
	if use == nil {
		return nil, nil
	}
	defer use.Release()
	names := make([]string, len(p.Scoped.Columns))
	for k, c := range p.Scoped.Columns {
		names[k] = c.Column
	}
	columns := use.Columns(names)
	if columns == nil {
		return nil, nil
	}
	gap := report.Window
	gap.Lower = use.Through
	if gap.Lower < gap.Upper {
		if files, _ := pin.View.Count(t.Ref, gap.Lower, gap.Upper); files > 0 {
			return nil, nil
		}
	}
	if err := o.warnOfIndex(ctx, pin, t, report.Window); err != nil {
		return nil, err
	}
	report.Point, report.Stored.Text = true, func() string { return "" }
	if o.Dry {
		return nil, nil
	}
	answer := &column.Batch{Cols: make([]column.Vector, len(columns))}
	for _, texts := range beginnings {
		all, err := use.Newest(ctx, answer, texts, report.Window.Upper, columns, maxPoints)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			use.Distrust(err)
		}
		if report.Point = all && err == nil; !report.Point {
			return nil, nil
		}
	}
	return answer, nil
}
