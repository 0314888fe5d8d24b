package planner

import (
	"slices"

	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// TableLock is a table that a statement locks as a whole.
type TableLock struct {
	Table  *workspace.Table
	NoWait bool
}

// settleLocks decides what the locking clauses of the statement lock. The rows of a SELECT's own
// clause are locked when it returns them. A clause of a subquery is about rows that are not
// returned: if the statement writes the table, what it writes is locked by that; of other tables
// the whole is locked.
func (p *Plan) settleLocks() error {
	written := p.Tables()
	for _, q := range p.All() {
		rows := q.Query()
		for _, lock := range rows.Scoped.Locks {
			for i := range rows.Relations {
				r := &rows.Relations[i]
				if lock.Ref >= 0 && i != lock.Ref || r.Stored == nil || r.Written {
					continue
				}
				if r.Stored.View != nil {
					return pgerr.New(pgerr.WrongObjectType, "cannot lock rows in materialized view %q", r.Stored.Name)
				}
				if !r.Stored.Heap.Shared() {
					continue
				}
				lock.Ref = i
				if err := p.settleLock(q, r, lock, slices.Contains(written, r.Stored)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// asksCTID reports whether the statement reads the ctid of relation i. A row that is locked is
// written again elsewhere (A56), and clients find the row by its ctid after they have locked it.
func (p *Plan) asksCTID(i int) bool {
	_, asked := p.Scoped.Needs[i].System["ctid"]
	return asked
}

// settleLock is settleLocks for a relation of the query q.
func (p *Plan) settleLock(q *Plan, r *relation.Relation, lock scope.RowLock, written bool) error {
	skips := lock.Wait == scope.SkipLocked
	switch {
	case lock.Output >= 0 && q == p && p.Write == nil && len(p.Parts) == 0 && !p.asksCTID(lock.Ref):
		p.RowLocks = append(p.RowLocks, lock)
	case written:
		for _, w := range p.All() {
			if w.Write != nil && w.Write.Table == r.Stored {
				w.Write.RowWait = max(w.Write.RowWait, lock.Wait)
			}
		}
	case skips:
		if q.Query().asksCTID(lock.Ref) {
			return pgerr.Unsupported("%s SKIP LOCKED is not supported with ctid", lock.Clause)
		}
		return pgerr.Unsupported("%s SKIP LOCKED in a subquery is not supported for table %q, which the statement does not write", lock.Clause, r.Stored.Name)
	default:
		p.TableLocks = append(p.TableLocks, TableLock{r.Stored, lock.Wait == scope.NoWait})
	}
	r.SkipsLocked = r.SkipsLocked || skips
	return nil
}
