package planner

import (
	"slices"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// checkRowLocks is the error of FOR UPDATE and its like on a relation that has no rows to lock.
func (p *Plan) checkRowLocks() error {
	for _, l := range p.Scoped.RowLocks {
		switch r := &p.Relations[l.Ref]; {
		case r.Sequence != nil:
			return pgerr.New(pgerr.WrongObjectType, "cannot lock rows in sequence %q", r.Sequence.Name)
		case r.Stored != nil && r.Stored.View != nil:
			return pgerr.New(pgerr.WrongObjectType, "cannot lock rows in materialized view %q", r.Stored.Name)
		}
	}
	return nil
}

// Locked are the tables of the workspace whose rows the statement locks by FOR UPDATE and its
// like, in an order that is the same in all sessions.
func (p *Plan) Locked() (out []*workspace.Table) {
	for _, q := range p.All() {
		for _, l := range q.Query().Scoped.RowLocks {
			if t := q.Query().Relations[l.Ref].Stored; t != nil && t.Heap.Shared() && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	slices.SortFunc(out, (*workspace.Table).Compare)
	return out
}
