package rowlock

import (
	"context"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/workspace"
)

// modes are the modes of the clauses.
var modes = map[syntax.LockStrength]workspace.RowLockMode{
	syntax.ForKeyShare: workspace.LockForKeyShare, syntax.ForShare: workspace.LockForShare,
	syntax.ForNoKeyUpdate: workspace.LockForNoKeyUpdate, syntax.ForUpdate: workspace.LockForUpdate,
}

// Begin locks the tables whose rows a query locks, in ROW SHARE mode. The query is run next, and
// Take called after it.
func Begin(ctx context.Context, s *session.Session, p *planner.Plan) error {
	if len(p.Scoped.RowLocks) == 0 {
		return nil
	}
	s.TakeRowsToLock() // of a query that has failed
	for _, l := range p.Scoped.RowLocks {
		t := p.Relations[l.Ref].Stored
		if t == nil || !t.Heap.Shared() {
			continue
		}
		if err := s.CheckReadWrite("SELECT " + l.Strength.String()); err != nil {
			return err
		}
		if err := LockTable(ctx, s, t); err != nil {
			return err
		}
		if now := s.Tables.Table(t.Schema, t.Name); now == nil || now.Heap != t.Heap {
			return sqlstate.SchemaChanged()
		}
	}
	return nil
}

// LockTable locks a table in ROW SHARE mode until the end of the transaction.
func LockTable(ctx context.Context, s *session.Session, t *workspace.Table) error {
	return s.Lock(ctx, database.LockTag{Kind: database.LockRelation, Schema: t.Schema, Name: t.Name}, database.RowShare, true)
}

// Take locks the rows that a query which has run to its end has returned. The error is a Conflict
// if another transaction has locked or changed one of them: then none is locked.
func Take(ctx context.Context, s *session.Session, p *planner.Plan) error {
	if len(p.Scoped.RowLocks) == 0 {
		return nil
	}
	found := s.TakeRowsToLock()
	var all []workspace.RowsToLock
	var of []scope.RowLock
	for i, l := range p.Scoped.RowLocks {
		if t := p.Relations[l.Ref].Stored; t != nil && t.Heap.Shared() && len(found[i]) > 0 {
			all, of = append(all, workspace.RowsToLock{Heap: t.Heap, Mode: modes[l.Strength], Rows: found[i]}), append(of, l)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := HoldTransaction(s); err != nil {
		return err
	}
	conn, err := s.FreeConn(ctx)
	if err != nil {
		return err
	}
	met, err := s.Tables.LockRows(ctx, conn, all)
	if met == nil || err != nil {
		return err
	}
	runs := s.Tables.Runs(met.With)
	if l := of[met.Of]; runs && l.Wait == scope.NoWait {
		return pgerr.New(pgerr.LockNotAvailable, "could not obtain lock on row in relation %q", p.Relations[l.Ref].Stored.Name)
	}
	return &Conflict{With: met.With, Locked: !met.Ended, Skip: runs && of[met.Of].Wait == scope.SkipLocked}
}

// Unlocked is the condition on the rows of a reference that SKIP LOCKED leaves, "" for all.
func Unlocked(s *session.Session, p *planner.Plan, ref int) string {
	for _, l := range p.Scoped.RowLocks {
		if t := p.Relations[ref].Stored; l.Ref == ref && l.Wait == scope.SkipLocked && t != nil && t.Heap.Shared() {
			return s.Tables.Unlocked(t.Heap, modes[l.Strength])
		}
	}
	return ""
}
