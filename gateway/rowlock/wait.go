package rowlock

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// Conflict says that another transaction has locked or changed a row that the statement locks or
// ends. Where nothing runs the statement again, it is 40001.
type Conflict struct {
	With   workspace.XID
	Locked bool // it has locked the row, and not changed it
	Skip   bool // the statement skips such rows: it runs again at once
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("transaction %d has locked or changed the row", c.With)
}

// Unwrap is the error for the client.
func (c *Conflict) Unwrap() error { return concurrentUpdate() }

func concurrentUpdate() *pgerr.Error {
	return pgerr.New(pgerr.SerializationFailure, "could not serialize access due to concurrent update")
}

// Settle waits for the other transaction if an error is that of a conflict, and reports whether
// the statement shall run again. Otherwise it returns the error.
func Settle(ctx context.Context, s *session.Session, err error) (again bool, failed error) {
	if err == nil {
		return false, nil
	}
	var met *Conflict
	if !errors.As(err, &met) {
		return false, err
	}
	if met.Skip || met.Locked && !s.Tables.Runs(met.With) {
		return true, nil
	}
	err = WaitFor(ctx, s, met.With)
	return err == nil, err
}

// WaitFor waits until a transaction that has changed or locked a row has ended, so that the
// statement can run again. A transaction that keeps its snapshot cannot see a change: if the other
// one has ended already, it is 40001.
func WaitFor(ctx context.Context, s *session.Session, other workspace.XID) error {
	if !s.Tables.Runs(other) {
		if s.KeepsSnapshot() {
			return concurrentUpdate()
		}
		return nil
	}
	tag := TransactionTag(other)
	if err := s.Lock(ctx, tag, database.Share, false); err != nil {
		return err
	}
	s.DB.Locks.Unlock(&s.Client, tag, database.Share)
	if s.Tables.Runs(other) {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "transaction %d could not be rolled back", other).
			WithHint("Restart the gateway: it removes what the transaction has written.")
	}
	return nil
}

// TransactionTag is the lock that a transaction holds while it runs.
func TransactionTag(id workspace.XID) database.LockTag {
	return database.LockTag{Kind: database.LockTransaction, XID: id}
}

// HoldTransaction locks the number that the transaction writes shared tables and locks their rows
// with, so that others can wait for its end.
func HoldTransaction(s *session.Session) error {
	if tag := TransactionTag(s.Tables.XID()); !s.DB.Locks.Try(&s.Client, tag, database.Exclusive, true) {
		return fmt.Errorf("another session holds %s", tag)
	}
	return nil
}
