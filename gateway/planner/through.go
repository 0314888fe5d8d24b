package planner

import (
	"maps"
	"slices"

	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// through are the views that a write goes through.
type through struct {
	views []*dml.View
	named []*workspace.View // the same, the outermost first
}

// writeThrough finds the table that a write to a view writes to. The references of the views are
// added to those of the statement and the plan.
func (s *Planner) writeThrough(pin *resolver.Pin, p *Plan, st *syntax.Statement, v *workspace.View) (relation.Relation, through, *syntax.Statement, error) {
	x := expansion{Planner: s, pin: pin, plan: p, refs: slices.Clone(st.Refs)}
	var t through
	var base relation.Relation
	for {
		var err error
		if base, err = x.writeView(&t, v, st); err != nil {
			return base, t, nil, err
		}
		if base.View == nil {
			break
		}
		v = base.View
	}
	base.Ref.Position = st.Target.Position
	switch err := s.CheckTarget(&base, st); {
	case base.Stored != nil && base.Stored.View != nil: // PostgreSQL takes the rows of a materialized view for those of a query
		return base, t, nil, notUpdatable(v.Name, dml.NotOneTable, st)
	case err != nil:
		return base, t, nil, err
	case base.Type != nil && (base.Ref.Point != nil || base.Ref.All):
		return base, t, nil, pastTargetError(st, base.Type)
	case base.Type != nil && st.Kind == syntax.Delete:
		return base, t, nil, RefuseRemoval(st.Tag)
	}
	for _, ref := range x.refs[len(st.Refs):] {
		if err := s.planPoints(pin, p, &ref); err != nil {
			return base, t, nil, err
		}
		p.Catalog = p.Catalog || p.Relations[ref.ID].Catalog != nil
	}
	base.Shape.Shown, base.Ref = nil, *st.Target
	t.setDefaults(&base.Shape)
	return base, t, st.WithViews(x.refs, st.Views), nil
}

// writeView adds a view to those that a write goes through, and returns the relation that it
// reads.
func (x *expansion) writeView(t *through, v *workspace.View, st *syntax.Statement) (base relation.Relation, err error) {
	at := len(x.refs)
	q, err := syntax.ViewQuery(v.Text, at)
	if err != nil {
		return base, err
	}
	if reason := dml.NotUpdatable(q, st.Kind != syntax.Delete); reason != "" {
		return base, notUpdatable(v.Name, reason, st)
	}
	used, err := x.used(v, q)
	if err != nil {
		return base, err
	}
	for k, ref := range q.Refs {
		if ref.ID == dml.Base(q) {
			base = used[k]
			used[k] = relation.Relation{Ref: ref, Shape: base.Shape, Written: true}
		}
	}
	x.plan.Relations = append(x.plan.Relations, used...)
	inner, err := x.views(at)
	if err != nil {
		return base, err
	}
	names, defaults := make([]string, len(v.Columns)), make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i], defaults[i] = c.Name, c.Default
	}
	t.named = append(t.named, v)
	t.views = append(t.views, &dml.View{
		Schema: v.Schema, Name: v.Name, Shown: relation.ShownName(v), Query: q.WithViews(q.Refs, inner), Columns: names, Defaults: defaults, Check: checks[v.CheckOption()],
		BaseSchema: base.Shape.Schema, Base: base.Shape.Table, Names: base.Shape.Shown,
	})
	return base, nil
}

// checks are the values of the option check_option.
var checks = map[string]dml.Check{"local": dml.Local, "cascaded": dml.Cascaded}

// setDefaults puts the defaults of the columns of the views in the place of those of the table.
func (t *through) setDefaults(target *scope.Shape) {
	target.Defaults = maps.Clone(target.Defaults)
	for i, v := range slices.Backward(t.views) {
		for k, column := range dml.TargetColumns(target, t.views[i:]) {
			if text := v.Defaults[k]; text != "" && column >= 0 {
				target.Defaults[target.Columns[column].Name] = text
			}
		}
	}
}

// notUpdatable is PostgreSQL's error of a write to a view that is not updatable.
func notUpdatable(view, reason string, st *syntax.Statement) *pgerr.Error {
	verb, doing, event := "insert into", "inserting into", "INSERT"
	switch st.Kind {
	case syntax.Update:
		verb, doing, event = "update", "updating", "UPDATE"
	case syntax.Delete:
		verb, doing, event = "delete from", "deleting from", "DELETE"
	}
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot %s view %q", verb, view).WithDetail("%s", reason).
		WithHint("To enable %s the view, provide an INSTEAD OF %s trigger or an unconditional ON %s DO INSTEAD rule.", doing, event, event)
}
