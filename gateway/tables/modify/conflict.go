package modify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/rowlock"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/workspace"
)

// conflict is the error of a row that another transaction has changed after the snapshot of the
// statement.
type conflict struct {
	with workspace.XID
}

func (c *conflict) Error() string { return fmt.Sprintf("transaction %d has changed the row", c.with) }

// Settle waits for the other transaction if an error is that of a conflict, and reports whether
// the statement shall run again. Otherwise it returns the error.
func Settle(ctx context.Context, s *session.Session, err error) (again bool, failed error) {
	if err == nil {
		return false, nil
	}
	var met *conflict
	if !errors.As(err, &met) {
		return rowlock.Settle(ctx, s, err)
	}
	err = rowlock.WaitFor(ctx, s, met.with)
	return err == nil, err
}

// holdTransaction locks the number that the transaction writes a shared table with, so that
// others can wait for its end.
func holdTransaction(s *session.Session, t *workspace.Table) error {
	if !t.Heap.Shared() {
		return nil
	}
	return rowlock.HoldTransaction(s)
}

// checkEnded returns a conflict if another transaction has ended or locked one of the rows that
// the statement has found; rowids is a query of their row ids.
func (c *Changes) checkEnded(ctx context.Context, rowids string) error {
	h := c.Write.Table.Heap
	if !h.Shared() {
		return nil
	}
	var met error
	err := c.Conn.Each(ctx, h.EndedBy(rowids)+" LIMIT 1", nil, func(b *column.Batch, i int) { met = &conflict{workspace.XID(b.Cols[0].I64[i])} })
	if err != nil {
		return err
	}
	if met != nil {
		return met
	}
	by, err := c.Session.Tables.LockedByOther(ctx, c.Conn, h, rowids)
	if by != 0 {
		return &rowlock.Conflict{With: by, Locked: true}
	}
	return err
}

// inDoubt returns a conflict if the transaction that made or ended a row runs at the moment now.
func inDoubt(now *workspace.Snapshot, made, ended workspace.XID) error {
	switch {
	case slices.Contains(now.Running, made):
		return &conflict{made}
	case ended != 0:
		return &conflict{ended}
	}
	return nil
}

// meets is inDoubt of the row that has the key of a new one. It also returns a conflict if the
// statement, which looks for rows with the key, could not see it.
func (c *Changes) meets(k *workspace.Key, now *workspace.Snapshot, made, ended workspace.XID) error {
	if err := inDoubt(now, made, ended); err != nil {
		return err
	}
	if slices.Contains(c.Write.Scoped.Arbiters, k.Name) && !c.Snapshot.Sees(made) {
		return &conflict{made}
	}
	return nil
}
