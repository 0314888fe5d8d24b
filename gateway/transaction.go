package gateway

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/tables/modify"
	"github.com/ontosql/ontosql/gateway/writing"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Sync ends the implicit transaction (wire.Session).
func (s *Session) Sync(ctx context.Context, failed bool) error {
	defer func() {
		s.Activity.Idle(s.Tx.Status())
		s.waiting()
	}()
	if s.Tx.Explicit {
		if s.Tx.Failed = s.Tx.Failed || failed; failed {
			s.abortSettings() // not earlier: the error is printed with the old settings
		}
		return nil
	}
	var err error
	if !failed {
		err = s.materializeCursors(ctx)
	}
	s.CloseOpen()
	if !failed && err == nil {
		err = s.commitWrites(ctx)
	}
	if ended := s.endTransaction(ctx, !failed && err == nil); err == nil {
		err = ended
	}
	if err != nil {
		return sqlstate.Of(ctx, s.Log, err)
	}
	return nil
}

// waiting starts the clock of idle_in_transaction_session_timeout, or of
// idle_session_timeout.
func (s *Session) waiting() {
	name, code, text := "idle_session_timeout", pgerr.IdleSessionTimeout, "terminating connection due to idle-session timeout"
	if s.Tx.Explicit {
		name = "idle_in_transaction_session_timeout"
		code, text = pgerr.IdleInTransactionSessionTimeout, "terminating connection due to idle-in-transaction timeout"
	}
	s.busy()
	if limit := s.Settings.Timeout(name); limit > 0 && s.Start.Terminate != nil {
		s.idle = time.AfterFunc(limit, func() { s.Start.Terminate(pgerr.New(code, "%s", text)) })
	}
}

// busy stops it: the client has asked for something.
func (s *Session) busy() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}

// commitWrites commits what the transaction has written: the ontology or the workspace.
func (s *Session) commitWrites(ctx context.Context) error {
	if err := modify.CheckDeferred(ctx, s.Session); err != nil {
		return err
	}
	s.TakeEvents()
	if len(s.Tx.Events) > 0 && s.Tables.Wrote() {
		return sqlstate.TwoWorlds()
	}
	if err := s.DB.Listen(ctx, &s.Tx.Listening); err != nil {
		return err
	}
	return s.CommitRoles(ctx, func() error {
		if err := writing.CommitStaged(ctx, s.Session); err != nil {
			return err
		}
		return modify.Commit(ctx, s.Session)
	})
}

// endTransaction forgets the pin and what is still staged, and settles SET and
// SET LOCAL.
func (s *Session) endTransaction(ctx context.Context, committed bool) error {
	s.endCursors(committed)
	s.names.DropBound(0)
	s.DB.EndListening(&s.Listener, &s.Tx.Listening, committed)
	s.Unstage(ctx)
	ended := modify.End(ctx, s.Session, committed)
	s.DB.Locks.Release(&s.Client, true)
	if ended != nil {
		return ended
	}
	s.ReleaseCatalog(ctx)
	s.Tx = session.Transaction{}
	s.Activity.TransactionEnded()
	s.Settings.EndTransaction(committed)
	return s.FollowSettings(ctx)
}

// abortSettings undoes SET in a transaction that has failed.
func (s *Session) abortSettings() {
	var last *settings.Savepoint
	if n := len(s.Tx.Savepoints); n > 0 {
		last = &s.Tx.Savepoints[n-1].Settings
	}
	s.Settings.AbortTransaction(last)
	s.FollowIdentity()
}

// begin answers BEGIN and START TRANSACTION.
func (s *Session) begin(st *syntax.Statement) (string, error) {
	if s.Tx.Explicit {
		s.Notice(sqlstate.Warning(pgerr.ActiveSQLTransaction, "there is already a transaction in progress"))
		return st.Tag, s.transactionModes(st)
	}
	s.openBlock(s.modes())
	err := s.transactionModes(st)
	s.Tx.Explicit = err == nil // what cannot begin is no block
	return st.Tag, err
}

// transactionSettings are those that show the modes of a transaction.
var transactionSettings = []string{"transaction_isolation", "transaction_read_only", "transaction_deferrable"}

// modes are the values of transactionSettings.
func (s *Session) modes() []string {
	var values []string
	for _, name := range transactionSettings {
		values = append(values, s.Settings.Value(name))
	}
	return values
}

// openBlock begins a transaction that COMMIT ends.
func (s *Session) openBlock(modes []string) {
	s.Tx.Explicit = true
	for i, name := range transactionSettings {
		_ = s.Settings.Set(name, modes[i], true)
	}
}

// transactionModes applies ISOLATION LEVEL and READ ONLY of BEGIN and of SET
// TRANSACTION.
func (s *Session) transactionModes(st *syntax.Statement) error {
	if st.Modes.Isolation != "" {
		if st.Modes.Isolation != s.Settings.Value("transaction_isolation") {
			switch {
			case s.Tx.Queried:
				return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
			case len(s.Tx.Savepoints) > 0:
				return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction")
			}
		}
		if err := s.Settings.Set("transaction_isolation", st.Modes.Isolation, true); err != nil {
			return err
		}
	}
	if st.Modes.Deferrable != nil {
		if s.Tx.Queried {
			return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION [NOT] DEFERRABLE must be called before any query")
		}
		if err := s.Settings.Set("transaction_deferrable", settings.OnOff(*st.Modes.Deferrable), true); err != nil {
			return err
		}
	}
	if st.Modes.ReadOnly != nil {
		if !*st.Modes.ReadOnly && s.Settings.Value("transaction_read_only") == "on" {
			switch {
			case len(s.Tx.Savepoints) > 0:
				return pgerr.New(pgerr.ActiveSQLTransaction, "cannot set transaction read-write mode inside a read-only transaction")
			case s.Tx.Queried:
				return pgerr.New(pgerr.ActiveSQLTransaction, "transaction read-write mode must be set before any query")
			}
		}
		return s.Settings.Set("transaction_read_only", settings.OnOff(*st.Modes.ReadOnly), true)
	}
	return nil
}

// commit answers COMMIT; a failed transaction rolls back and says so in its tag.
// One that cannot be committed has ended all the same. Without BEGIN it ends the
// transaction that the statements before it in the query string make up
// (PostgreSQL manual, 55.2.2.1).
func (s *Session) commit(ctx context.Context, st *syntax.Statement) (string, error) {
	next, err := s.chained(st)
	if err != nil {
		return "", err
	}
	if !s.Tx.Explicit {
		s.Notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "there is no transaction in progress"))
	}
	tag := st.Tag
	if !s.Tx.Failed {
		err = s.materializeCursors(ctx)
	}
	s.CloseOpen()
	if s.Tx.Failed {
		tag, err = "ROLLBACK", s.endTransaction(ctx, false)
	} else {
		if err == nil {
			err = s.commitWrites(ctx)
		}
		if ended := s.endTransaction(ctx, err == nil); err == nil {
			err = ended
		}
	}
	if err == nil {
		next()
	}
	return tag, err
}

// chained is what begins the next transaction after AND CHAIN, with the modes of
// this one (PostgreSQL manual, COMMIT); without AND CHAIN it does nothing.
func (s *Session) chained(st *syntax.Statement) (begin func(), err error) {
	if !st.Chain {
		return func() {}, nil
	}
	if err := s.Tx.InBlock(st.Tag + " AND CHAIN"); err != nil {
		return nil, err
	}
	modes := s.modes()
	return func() {
		s.Settings.BeginTransaction()
		s.openBlock(modes)
	}, nil
}

// rollback answers ROLLBACK and ABORT.
func (s *Session) rollback(ctx context.Context, st *syntax.Statement) (string, error) {
	next, err := s.chained(st)
	if err != nil {
		return "", err
	}
	if !s.Tx.Explicit {
		s.Notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "there is no transaction in progress"))
	}
	s.CloseOpen()
	if err := s.endTransaction(ctx, false); err != nil {
		return "", err
	}
	next()
	return st.Tag, nil
}

// prepareTransaction answers PREPARE TRANSACTION as a server does whose
// max_prepared_transactions is 0: the transaction ends all the same.
func (s *Session) prepareTransaction(ctx context.Context, st *syntax.Statement) (string, error) {
	refused := s.Tx.Explicit && !s.Tx.Failed
	_, err := s.rollback(ctx, st)
	if err == nil && refused {
		err = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "prepared transactions are disabled").
			WithHint("Set max_prepared_transactions to a nonzero value.")
	}
	return "ROLLBACK", err
}

// finishPrepared answers COMMIT PREPARED and ROLLBACK PREPARED: none is prepared.
func (s *Session) finishPrepared(st *syntax.Statement) error {
	if s.Tx.Block() {
		return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", st.Tag)
	}
	return pgerr.New(pgerr.UndefinedObject, "prepared transaction with identifier %q does not exist", st.Name)
}

// admit refuses everything but the end of a failed transaction.
func (s *Session) admit(st *syntax.Statement) error {
	if !s.Tx.Failed || ends(st) {
		return nil
	}
	return errFailedTransaction()
}

// ends reports whether a statement ends a transaction's failure.
func ends(st *syntax.Statement) bool {
	switch st.Kind {
	case syntax.Commit, syntax.Rollback, syntax.RollbackTo, syntax.PrepareTransaction:
		return true
	}
	return false
}

func errFailedTransaction() error {
	return pgerr.New(pgerr.InFailedSQLTransaction, "current transaction is aborted, commands ignored until end of transaction block")
}
