package reading

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/keyquery"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/resolver"
)

// byKey answers a statement from the row store, without the engine. For EXPLAIN it only tells whether
// it would. done is false if the engine has to answer, and then nothing has been found.
func (o *Sources) byKey(ctx context.Context, pin *resolver.Pin, p *planner.Plan, args [][]byte) (done bool, err error) {
	s := o.Session
	if p.Scoped.ByKey == nil || s.DB.Rows == nil || !o.Spare && !o.Dry || s.Drafted(pin) {
		return false, nil
	}
	types, ok := o.typesByKey(make([]*catalog.Type, 0, fewTables), pin, p)
	if !ok {
		return false, nil
	}
	plan := p.ByKey(types)
	if plan == nil {
		return false, nil
	}
	at := make([]keyquery.At, 0, fewTables)
	before := o.Windows
	defer func() {
		for i := range at {
			at[i].Use.Release()
		}
		if !done {
			o.Windows = before
		}
	}()
	o.Windows = slices.Grow(o.Windows, len(types))
	for i, t := range types {
		r := &p.Relations[i]
		use := s.DB.UseRows(pin, t)
		if use == nil {
			return false, nil
		}
		at = append(at, keyquery.At{Use: use, View: pin.View})
		s.RecordRead(r)
		o.Windows = append(o.Windows, WindowReport{Relation: r, Need: p.Scoped.Needs[i], Point: true})
		report := &o.Windows[len(before)+i]
		report.Stored.Text = noText
		if report.Window, err = WindowOf(ctx, s, pin, p, r, args); err != nil || !use.Reach(ctx, report.Window.Upper) {
			return false, err
		}
		if report.Window.Lower, report.Window.Upper, err = relation.NarrowWindow(report.Need, report.Window.Upper, args); err != nil {
			return false, err
		}
		at[i].Lower, at[i].Upper = report.Window.Lower, report.Window.Upper
		if o.Dry || o.Repeated {
			report.Keys = relation.KnownBounds(t, plan.KeyTexts(i, args))
		}
	}
	if o.Dry {
		if !plan.Possible(at, args) {
			return false, nil
		}
	} else if o.Answered, err = o.answer(ctx, plan, at, args); err != nil || o.Answered == nil {
		return false, err
	}
	for i, t := range types {
		if err := o.warnOfIndex(ctx, pin, t, o.Windows[len(before)+i].Window); err != nil {
			return false, err
		}
	}
	return true, nil
}

// fewTables is the number of tables that most look-ups read at most.
const fewTables = 4

func noText() string { return "" }

// typesByKey appends the types of the references at a pin. It returns false if one is no type, or if
// the transaction itself has written rows that it has.
func (o *Sources) typesByKey(types []*catalog.Type, pin *resolver.Pin, p *planner.Plan) ([]*catalog.Type, bool) {
	for i := range p.Relations {
		r := &p.Relations[i]
		if r.Type == nil {
			return nil, false
		}
		t, ok := pin.Catalog.Type(r.Type.Ref)
		if !ok {
			return nil, false
		}
		if g := o.Session.Tx.StagingOf(r.Type.Ref); g != nil && r.Ref.Point == nil && o.Session.Seen(g) > 0 {
			return nil, false
		}
		types = append(types, t)
	}
	return types, true
}

// answer runs a plan. If the store cannot be read, it is given up, and the engine answers.
func (o *Sources) answer(ctx context.Context, plan *keyquery.Plan, at []keyquery.At, args [][]byte) (*column.Batch, error) {
	answer, err := plan.Run(ctx, at, args)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		at[0].Use.Distrust(err)
		return nil, nil
	}
	return answer, nil
}
