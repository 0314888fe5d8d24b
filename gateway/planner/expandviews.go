package planner

import (
	"slices"

	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// maxReferences is how many relations a statement with views has at most, those that the
// views read included.
const maxReferences = 1000

// expandViews gives a statement the queries of the views that it reads, and the plan the
// relations that these read.
func (s *Planner) expandViews(pin *resolver.Pin, p *Plan, st *syntax.Statement) (*syntax.Statement, error) {
	if !slices.ContainsFunc(p.Relations, func(r relation.Relation) bool { return r.View != nil }) {
		return st, nil
	}
	x := expansion{Planner: s, pin: pin, plan: p, refs: slices.Clone(st.Refs)}
	views, err := x.views(0)
	if err != nil {
		return nil, err
	}
	return st.WithViews(x.refs, views), nil
}

// PlanView plans a query of all columns and rows of a view, whose rows become those of a table.
func (s *Planner) PlanView(pin *resolver.Pin, v *workspace.View) (*Plan, error) {
	st, err := syntax.Analyze("SELECT * FROM v")
	if err != nil {
		return nil, err
	}
	st.StoresRows = true
	return s.complete(pin, &Plan{Version: s.Version(pin), Relations: []relation.Relation{relation.OfView(st.Refs[0], v)}}, st, nil)
}

// expansion collects the references of a statement and of the views that it reads.
type expansion struct {
	*Planner
	pin  *resolver.Pin
	plan *Plan
	refs []syntax.Ref
}

// views are the queries of the views among the references from number first.
func (x *expansion) views(first int) (map[int]*syntax.View, error) {
	views := map[int]*syntax.View{}
	for i := range x.plan.Relations[first:] {
		i += first
		v := x.plan.Relations[i].View
		if v == nil {
			continue
		}
		at := len(x.refs)
		q, err := syntax.ViewQuery(v.Text, at)
		if err != nil {
			return nil, err
		}
		used, err := x.used(v, q)
		if err != nil {
			return nil, err
		}
		x.plan.Relations = append(x.plan.Relations, used...)
		inner, err := x.views(at)
		if err != nil {
			return nil, err
		}
		views[i] = &syntax.View{Name: relation.ShownName(v), Query: q.WithViews(q.Refs, inner)}
	}
	return views, nil
}

// used adds the references of the query of a view, and returns the relations that they are.
func (x *expansion) used(v *workspace.View, q *syntax.Statement) ([]relation.Relation, error) {
	if x.refs = append(x.refs, q.Refs...); len(x.refs) > maxReferences {
		return nil, syntax.TooDeep().WithHint("The views of a statement read %d relations at most.", maxReferences)
	}
	relations := make([]relation.Relation, len(q.Refs))
	for k, ref := range q.Refs {
		r, err := x.Resolver().Used(x.pin, v, &v.Uses[k], ref)
		if err != nil {
			return nil, err
		}
		r.By = v
		relations[k] = r
	}
	return relations, nil
}

// refuseMaterialized is the error of a write to a materialized view. PostgreSQL's has no
// position.
func refuseMaterialized(name string, st *syntax.Statement) *pgerr.Error {
	if st.Kind == syntax.Merge {
		return pgerr.Unsupported("cannot execute MERGE on relation %q", name).WithDetail("This operation is not supported for materialized views.")
	}
	return pgerr.New(pgerr.WrongObjectType, "cannot change materialized view %q", name)
}

// refuseView is the error of COPY and MERGE to a view.
func refuseView(r *relation.Relation, st *syntax.Statement) *pgerr.Error {
	if st.Kind == syntax.Copy {
		return pgerr.New(pgerr.WrongObjectType, "cannot copy to view %q", r.Shape.Table).
			WithHint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.")
	}
	return pgerr.Unsupported("cannot execute %s on relation %q", st.Tag, r.Shape.Table).WithDetail("This operation is not supported for views.")
}
