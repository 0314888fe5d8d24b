package reading

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/keyquery"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rowstore"
)

// byKey answers a statement from the row store, without the engine. For EXPLAIN it only tells whether
// it would. done is false if the engine has to answer, and then nothing has been found.
func (o *Sources) byKey(ctx context.Context, pin *resolver.Pin, p *planner.Plan, args [][]byte) (done bool, err error) {
	s := o.Session
	if p.Scoped.ByKey == nil || s.DB.Rows == nil || !o.Spare && !o.Dry || s.Drafted(pin) {
		return false, nil
	}
	r := &p.Relations[0]
	if r.Type == nil || r.Ref.All {
		return false, nil
	}
	t, ok := pin.Catalog.Type(r.Type.Ref)
	if !ok {
		return false, nil
	}
	if g := s.Tx.StagingOf(t.Ref); g != nil && r.Ref.Point == nil && s.Seen(g) > 0 {
		return false, nil
	}
	plan := p.ByKey(t)
	if plan == nil {
		return false, nil
	}
	use := s.DB.UseRows(pin, t)
	if use == nil {
		return false, nil
	}
	defer use.Release()
	s.RecordRead(r)
	report := WindowReport{Relation: r, Need: p.Scoped.Needs[0], Point: true}
	report.Stored.Text = func() string { return "" }
	if report.Window, err = WindowOf(ctx, s, pin, p, r, args); err != nil || !reaches(use, pin, report.Window) {
		return false, err
	}
	if o.Dry || o.Repeated {
		report.Keys = relation.KnownBounds(t, plan.KeyTexts(args))
	}
	if o.Dry {
		if !plan.Possible(use, args) {
			return false, nil
		}
	} else if o.Answered, err = o.answer(ctx, plan, use, report.Window.Upper, args); err != nil || o.Answered == nil {
		return false, err
	}
	if err := o.warnOfIndex(ctx, pin, t, report.Window); err != nil {
		return false, err
	}
	o.Windows = append(o.Windows, report)
	return true, nil
}

// answer runs a plan. If the store cannot be read, it is given up, and the engine answers.
func (o *Sources) answer(ctx context.Context, plan *keyquery.Plan, use *rowstore.Use, at ontosql.CommitID, args [][]byte) (*column.Batch, error) {
	answer, err := plan.Run(ctx, use, at, args)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		use.Distrust(err)
		return nil, nil
	}
	return answer, nil
}

// reaches reports whether the table of a type has all rows of a window, or no commit behind it has
// any.
func reaches(use *rowstore.Use, pin *resolver.Pin, w ontosql.Window) bool {
	if use.Through >= w.Upper {
		return true
	}
	files, _ := pin.View.Count(use.Type().Ref, use.Through, w.Upper)
	return files == 0
}
