package modify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// conflict is the error of a row that another transaction has changed after the snapshot of the
// statement.
type conflict struct {
	with  workspace.XID
	skips bool // the statement leaves out rows that others have locked, and need not wait for it
}

func (c *conflict) Error() string { return fmt.Sprintf("transaction %d has changed the row", c.with) }

// Settle waits for the other transaction if an error is that of a conflict, and reports whether
// the statement shall run again. Otherwise it returns the error.
func Settle(ctx context.Context, s *session.Session, err error) (again bool, failed error) {
	var met *conflict
	if !errors.As(err, &met) {
		return false, err
	}
	err = met.settle(ctx, s)
	return err == nil, err
}

// settle waits until the other transaction has ended, so that the statement can run again. A
// transaction that keeps its snapshot cannot see the change: if that was committed, it is
// 40001.
func (c *conflict) settle(ctx context.Context, s *session.Session) error {
	if !s.Tables.Runs(c.with) {
		if s.KeepsSnapshot() {
			return pgerr.New(pgerr.SerializationFailure, "could not serialize access due to concurrent update")
		}
		return nil
	}
	if c.skips {
		return nil
	}
	tag := transactionTag(c.with)
	if err := s.Lock(ctx, tag, database.Share, false); err != nil {
		return err
	}
	s.DB.Locks.Unlock(&s.Client, tag, database.Share)
	if s.Tables.Runs(c.with) {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "transaction %d could not be rolled back", c.with).
			WithHint("Restart the gateway: it removes what the transaction has written.")
	}
	return nil
}

// met is an error of a statement that has come to rows which another transaction has changed or
// locked, as a locking clause wants it.
func met(s *session.Session, err error, wait scope.LockWait, t *workspace.Table) error {
	var c *conflict
	switch {
	case wait == scope.WaitForLock || !errors.As(err, &c):
	case wait == scope.SkipLocked:
		c.skips = true
	case s.Tables.Runs(c.with):
		return lockedRow(t)
	}
	return err
}

func transactionTag(id workspace.XID) database.LockTag {
	return database.LockTag{Kind: database.LockTransaction, XID: id}
}

// holdTransaction locks the number that the transaction writes a shared table with, so that
// others can wait for its end.
func holdTransaction(s *session.Session, t *workspace.Table) error {
	if !t.Heap.Shared() {
		return nil
	}
	if tag := transactionTag(s.Tables.XID()); !s.DB.Locks.Try(&s.Client, tag, database.Exclusive, true) {
		return fmt.Errorf("another session holds %s", tag)
	}
	return nil
}

// checkEnded returns a conflict if another transaction has ended one of the rows that the
// statement has found; rowids is a query of their row ids.
func (c *Changes) checkEnded(ctx context.Context, rowids string) error {
	return met(c.Session, checkEnded(ctx, c.Conn, c.Write.Table.Heap, rowids), c.Write.RowWait, c.Write.Table)
}

func checkEnded(ctx context.Context, conn *duckdb.Conn, h *workspace.Heap, rowids string) error {
	if !h.Shared() {
		return nil
	}
	var met error
	err := conn.Each(ctx, h.EndedBy(rowids)+" LIMIT 1", nil, func(b *column.Batch, i int) { met = &conflict{with: workspace.XID(b.Cols[0].I64[i])} })
	if err != nil {
		return err
	}
	return met
}

// meets returns a conflict if the row that has the key of a new one is in doubt: the
// transaction that made or ended it runs at the moment now, or the statement, which looks for
// rows with the key, could not see it.
func (c *Changes) meets(u workspace.Unique, now *workspace.Snapshot, made, ended workspace.XID) error {
	switch {
	case slices.Contains(now.Running, made):
		return &conflict{with: made}
	case ended != 0:
		return &conflict{with: ended}
	case slices.Contains(c.Write.Scoped.Arbiters, u.Name) && !c.Snapshot.Sees(made):
		return &conflict{with: made}
	}
	return nil
}
