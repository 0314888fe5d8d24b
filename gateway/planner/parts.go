package planner

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// planParts plans a statement whose WITH clause writes: each of its parts, and the statement
// that reads them.
func (s *Planner) planParts(pin *resolver.Pin, st *syntax.Statement, oids []uint32) (*Plan, error) {
	var parts []*Plan
	var queries []*scope.Scoped
	types := oids // of the parameters, as far as the queries so far have told
	add := func(of *syntax.Statement) (*Plan, error) {
		p, err := s.plan(pin, of, types, parts)
		if err != nil {
			return nil, err
		}
		queries, types = append(queries, p.Scoped), p.Scoped.Params
		return p, nil
	}
	catalog := false
	for _, of := range st.Parts {
		p, err := add(of)
		if err != nil {
			return nil, err
		}
		if p.Action = of.Action; p.Action != "" {
			p.Scoped.Outputs = relation.ActionOutputs(p.Action)
		}
		parts, catalog = append(parts, p), catalog || p.Catalog
	}
	p, err := add(st)
	if err != nil {
		return nil, err
	}
	p.Parts, p.Catalog = parts, p.Catalog || catalog
	return p, scope.ShareParams(queries, oids)
}

// resolve finds what a reference names: a part of the statement, or a relation.
func (s *Planner) resolve(pin *resolver.Pin, ref syntax.Ref, parts []*Plan) (relation.Relation, error) {
	if ref.Part > 0 {
		return relation.PartRelation(ref, parts[ref.Part-1].Scoped.Outputs), nil
	}
	return s.Resolver().Resolve(pin, ref)
}

// All are the plans of the parts and the plan itself.
func (p *Plan) All() []*Plan { return append(slices.Clone(p.Parts), p) }

// Writes are the types that the statement writes to, in an order that is the same in all
// sessions.
func (p *Plan) Writes() []ontosql.TypeRef {
	var out []ontosql.TypeRef
	for _, q := range p.All() {
		if q.Write != nil && q.Write.Type != nil {
			out = append(out, q.Write.Type.Ref)
		}
	}
	slices.SortFunc(out, ontosql.TypeRef.Compare)
	return slices.Compact(out)
}

// Commits reports whether the statement writes to the ontology: to types, or by an action that is
// part of the transaction.
func (p *Plan) Commits() bool {
	return slices.ContainsFunc(p.All(), func(q *Plan) bool {
		return q.Action != "" && syntax.Actions[q.Action].Commits() || q.Write != nil && q.Write.Type != nil
	})
}

// AtOnce reports whether the statement calls an action that is no part of the transaction. It is
// not run a second time then.
func (p *Plan) AtOnce() bool {
	return slices.ContainsFunc(p.Parts, func(q *Plan) bool { return syntax.Actions[q.Action].AtOnce })
}

// Tables are the ordinary tables that the statement writes to, in an order that is the same in
// all sessions.
func (p *Plan) Tables() []*workspace.Table {
	var out []*workspace.Table
	for _, q := range p.All() {
		if q.Write != nil && q.Write.Table != nil && !slices.Contains(out, q.Write.Table) {
			out = append(out, q.Write.Table)
		}
	}
	slices.SortFunc(out, (*workspace.Table).Compare)
	return out
}

// Query is the plan of the query whose rows the engine computes: of a write, that of the rows
// that change.
func (p *Plan) Query() *Plan {
	if p.Write != nil {
		return p.Write.Rows
	}
	return p
}
