package gateway

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ddl"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// transaction is the state between BEGIN and COMMIT, and the implicit one that
// every Sync ends. The engine's own transactions are not used for it: the
// engine does not abort on every error PostgreSQL aborts on.
type transaction struct {
	explicit bool                   // BEGIN was given
	several  bool                   // its statements came in one string, which makes it a block, too
	planned  bool                   // of a SchemaPlan: nobody reads what it wrote
	failed   bool                   // an error happened in it
	pin      *resolver.Pin          // taken by the first statement that reads
	staged   []*staging.Rows        // what it wrote, by type in the order of their first rows
	retired  []*staging.Rows        // what DDL has put others in the place of, and a savepoint may go back to
	schema   *ddl.Draft             // what it changed of the schema, nil for nothing
	head     *ontosql.CommitID      // the head on which alone it is committed, nil for any
	metadata map[string]string      // its commit's, beside what the session sets
	read     reads                  // what it read, where that is checked at its commit
	reserved *writepath.Reservation // of the write lock, nil for none
	queried  bool                   // a query was run in it: its modes are settled
	ran      int                    // statements that ran in it
	began    time.Time              // when its first statement arrived

	listening  database.Listening
	savepoints []savepoint // the oldest first
}

// stagingOf is what the transaction has written of a type, nil for nothing.
func (t *transaction) stagingOf(ref ontosql.TypeRef) *staging.Rows {
	for _, g := range t.staged {
		if g.Type.Ref == ref {
			return g
		}
	}
	return nil
}

// stagingFor is where the transaction keeps the rows of a type.
func (s *Session) stagingFor(typ *catalog.Type, schema *format.Schema) *staging.Rows {
	if g := s.tx.stagingOf(typ.Ref); g != nil {
		return g
	}
	g := s.newStaging(typ, schema)
	s.tx.staged = append(s.tx.staged, g)
	return g
}

// newStaging makes a staging that is not the transaction's yet.
func (s *Session) newStaging(typ *catalog.Type, schema *format.Schema) *staging.Rows {
	return staging.New(typ, schema, staging.Options{Temp: s.temp, Log: s.log, Draft: s.startDraft})
}

// startDraft starts a draft of the commit for the rows of a type, nil where they may not
// go into one: nobody may read them before they are committed.
func (s *Session) startDraft(d writepath.Data) *writepath.Draft {
	if !s.alone() && !s.tx.planned || len(s.tx.staged) > 1 {
		return nil
	}
	return s.db.Committer.Draft(d)
}

// txStarted is what now() answers: the same moment throughout a transaction.
func (s *Session) txStarted() time.Time {
	if s.tx.began.IsZero() {
		s.tx.began = s.activity.TransactionSince()
	}
	return s.tx.began
}

func (t *transaction) status() wire.TxStatus {
	switch {
	case t.explicit && t.failed:
		return wire.Failed
	case t.explicit:
		return wire.InTransaction
	}
	return wire.Idle
}

func (t *transaction) fail() { t.failed = t.explicit }

// Sync ends the implicit transaction (wire.Session).
func (s *Session) Sync(ctx context.Context, failed bool) error {
	defer func() {
		s.activity.Idle(s.tx.status())
		s.waiting()
	}()
	if s.tx.explicit {
		if s.tx.failed = s.tx.failed || failed; failed {
			s.abortSettings() // not before: the error was told as they were
		}
		return nil
	}
	var err error
	if !failed {
		err = s.materializeCursors(ctx)
	}
	s.closeOpen()
	if !failed && err == nil {
		err = s.commitStaged(ctx)
	}
	if ended := s.endTransaction(ctx, !failed && err == nil); err == nil {
		err = ended
	}
	if err != nil {
		return sqlstate.Of(ctx, s.log, err)
	}
	return nil
}

// waiting starts the clock of idle_in_transaction_session_timeout, or of
// idle_session_timeout.
func (s *Session) waiting() {
	name, code, text := "idle_session_timeout", pgerr.IdleSessionTimeout, "terminating connection due to idle-session timeout"
	if s.tx.explicit {
		name = "idle_in_transaction_session_timeout"
		code, text = pgerr.IdleInTransactionSessionTimeout, "terminating connection due to idle-in-transaction timeout"
	}
	s.busy()
	if limit := s.settings.Timeout(name); limit > 0 && s.start.Terminate != nil {
		s.idle = time.AfterFunc(limit, func() { s.start.Terminate(pgerr.New(code, "%s", text)) })
	}
}

// busy stops it: the client has asked for something.
func (s *Session) busy() {
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
}

// endTransaction forgets the pin and what is still staged, and settles SET and
// SET LOCAL.
func (s *Session) endTransaction(ctx context.Context, committed bool) error {
	s.endCursors(committed)
	s.names.DropBound(0)
	if committed {
		s.db.Channels.Commit(&s.listener, s.tx.listening)
	}
	s.db.Locks.Release(&s.client, true)
	s.unstage(ctx)
	s.releaseCatalog(ctx)
	s.tx = transaction{}
	s.activity.TransactionEnded()
	s.settings.EndTransaction(committed)
	return s.followZone(ctx)
}

// abortSettings undoes SET in a transaction that has failed.
func (s *Session) abortSettings() {
	var last *settings.Savepoint
	if n := len(s.tx.savepoints); n > 0 {
		last = &s.tx.savepoints[n-1].settings
	}
	s.settings.AbortTransaction(last)
}

// begin answers BEGIN and START TRANSACTION.
func (s *Session) begin(st *syntax.Statement) (string, error) {
	if s.tx.explicit {
		s.notice(sqlstate.Warning(pgerr.ActiveSQLTransaction, "there is already a transaction in progress"))
		return st.Tag, s.transactionModes(st)
	}
	s.openBlock(s.modes())
	err := s.transactionModes(st)
	s.tx.explicit = err == nil // what cannot begin is no block
	return st.Tag, err
}

// transactionSettings are those that show the modes of a transaction.
var transactionSettings = []string{"transaction_isolation", "transaction_read_only", "transaction_deferrable"}

// modes are the values of transactionSettings.
func (s *Session) modes() []string {
	var values []string
	for _, name := range transactionSettings {
		values = append(values, s.settings.Value(name))
	}
	return values
}

// openBlock begins a transaction that COMMIT ends.
func (s *Session) openBlock(modes []string) {
	s.tx.explicit = true
	for i, name := range transactionSettings {
		_ = s.settings.Set(name, modes[i], true)
	}
}

// transactionModes applies ISOLATION LEVEL and READ ONLY of BEGIN and of SET
// TRANSACTION.
func (s *Session) transactionModes(st *syntax.Statement) error {
	if st.Modes.Isolation != "" {
		if st.Modes.Isolation != s.settings.Value("transaction_isolation") {
			switch {
			case s.tx.queried:
				return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
			case len(s.tx.savepoints) > 0:
				return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction")
			}
		}
		if err := s.settings.Set("transaction_isolation", st.Modes.Isolation, true); err != nil {
			return err
		}
	}
	if st.Modes.Deferrable != nil {
		if s.tx.queried {
			return pgerr.New(pgerr.ActiveSQLTransaction, "SET TRANSACTION [NOT] DEFERRABLE must be called before any query")
		}
		if err := s.settings.Set("transaction_deferrable", settings.OnOff(*st.Modes.Deferrable), true); err != nil {
			return err
		}
	}
	if st.Modes.ReadOnly != nil {
		if !*st.Modes.ReadOnly && s.settings.Value("transaction_read_only") == "on" {
			switch {
			case len(s.tx.savepoints) > 0:
				return pgerr.New(pgerr.ActiveSQLTransaction, "cannot set transaction read-write mode inside a read-only transaction")
			case s.tx.queried:
				return pgerr.New(pgerr.ActiveSQLTransaction, "transaction read-write mode must be set before any query")
			}
		}
		return s.settings.Set("transaction_read_only", settings.OnOff(*st.Modes.ReadOnly), true)
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
	if !s.tx.explicit {
		s.notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "there is no transaction in progress"))
	}
	tag := st.Tag
	if !s.tx.failed {
		err = s.materializeCursors(ctx)
	}
	s.closeOpen()
	if s.tx.failed {
		tag, err = "ROLLBACK", s.endTransaction(ctx, false)
	} else {
		if err == nil {
			err = s.commitStaged(ctx)
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
	if err := s.tx.inBlock(st.Tag + " AND CHAIN"); err != nil {
		return nil, err
	}
	modes := s.modes()
	return func() {
		s.settings.BeginTransaction()
		s.openBlock(modes)
	}, nil
}

// rollback answers ROLLBACK and ABORT.
func (s *Session) rollback(ctx context.Context, st *syntax.Statement) (string, error) {
	next, err := s.chained(st)
	if err != nil {
		return "", err
	}
	if !s.tx.explicit {
		s.notice(sqlstate.Warning(pgerr.NoActiveSQLTransaction, "there is no transaction in progress"))
	}
	s.closeOpen()
	if err := s.endTransaction(ctx, false); err != nil {
		return "", err
	}
	next()
	return st.Tag, nil
}

// prepareTransaction answers PREPARE TRANSACTION as a server does whose
// max_prepared_transactions is 0: the transaction ends all the same.
func (s *Session) prepareTransaction(ctx context.Context, st *syntax.Statement) (string, error) {
	refused := s.tx.explicit && !s.tx.failed
	_, err := s.rollback(ctx, st)
	if err == nil && refused {
		err = pgerr.New(pgerr.ObjectNotInPrerequisiteState, "prepared transactions are disabled").
			WithHint("Set max_prepared_transactions to a nonzero value.")
	}
	return "ROLLBACK", err
}

// finishPrepared answers COMMIT PREPARED and ROLLBACK PREPARED: none is prepared.
func (s *Session) finishPrepared(st *syntax.Statement) error {
	if s.tx.block() {
		return pgerr.New(pgerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", st.Tag)
	}
	return pgerr.New(pgerr.UndefinedObject, "prepared transaction with identifier %q does not exist", st.Name)
}

// admit refuses everything but the end of a failed transaction.
func (s *Session) admit(st *syntax.Statement) error {
	if !s.tx.failed || ends(st) {
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
