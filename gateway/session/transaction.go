package session

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/relation"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/staging"
	"github.com/ontosql/ontosql/gateway/typeddl"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/wire"
	"github.com/ontosql/ontosql/writepath"
)

// Transaction is the state between BEGIN and COMMIT, and the implicit one that
// every Sync ends. The engine's own transactions are not used for it: the
// engine does not abort on every error PostgreSQL aborts on.
type Transaction struct {
	Explicit bool            // BEGIN was given
	Several  bool            // its statements came in one string, which makes it a block, too
	Planned  bool            // of a SchemaPlan: no later statement reads its rows
	Failed   bool            // an error happened in it
	Pin      *resolver.Pin   // taken by the first statement that reads
	Staged   []*staging.Rows // what it wrote, by type in the order of their first rows
	Retired  []*staging.Rows // what DDL has put others in the place of, and a savepoint may go back to
	Schema   *typeddl.Draft  // what it changed of the schema, nil for nothing
	// Tags are its changes of tags, by names. The map is not modified.
	Tags     map[string]format.TagChange
	Events   []format.Event         // that it sends
	Actions  []string               // what its actions do, in words
	Head     *ontosql.CommitID      // the head on which alone it is committed, nil for any
	Metadata map[string]string      // of the commit, in addition to the session's settings
	Read     Reads                  // what it read, where that is checked at its commit
	Reserved *writepath.Reservation // of the write lock, nil for none
	Queried  bool                   // a query was run in it: its modes are settled
	Ran      int                    // statements that ran in it
	Began    time.Time              // when its first statement arrived

	Roles     *roles.Roles // as the transaction has changed them, nil for not at all
	RoleEdits []RoleEdit   // how

	Listening  database.Listening
	Savepoints []Savepoint // the oldest first
}

// StagingOf is what the transaction has written of a type, nil for nothing.
func (t *Transaction) StagingOf(ref ontosql.TypeRef) *staging.Rows {
	for _, g := range t.Staged {
		if g.Type.Ref == ref {
			return g
		}
	}
	return nil
}

// StagingFor is where the transaction keeps the rows of a type.
func (s *Session) StagingFor(typ *catalog.Type, schema *format.Schema) *staging.Rows {
	g := s.Tx.StagingOf(typ.Ref)
	if g == nil {
		g = s.NewStaging(typ, schema)
		s.Tx.Staged = append(s.Tx.Staged, g)
	}
	g.Named = s.Running.held != nil
	return g
}

// NewStaging makes a staging that is not the transaction's yet.
func (s *Session) NewStaging(typ *catalog.Type, schema *format.Schema) *staging.Rows {
	return staging.New(typ, schema, staging.Options{Temp: s.Temp, Log: s.Log, Draft: s.startDraft})
}

// startDraft starts a draft of the commit for the rows of a type. It returns nil if a later
// statement may read the rows before they are committed.
func (s *Session) startDraft(d writepath.Data) *writepath.Draft {
	if !s.Alone() && !s.Tx.Planned || len(s.Tx.Staged) > 1 || s.Running.held != nil {
		return nil
	}
	return s.DB.Committer.Draft(d)
}

// TxStarted is what now() answers: the same moment throughout a transaction.
func (s *Session) TxStarted() time.Time {
	if s.Tx.Began.IsZero() {
		s.Tx.Began = s.Activity.TransactionSince()
	}
	return s.Tx.Began
}

// Status is the transaction status of ReadyForQuery.
func (t *Transaction) Status() wire.TxStatus {
	switch {
	case t.Explicit && t.Failed:
		return wire.Failed
	case t.Explicit:
		return wire.InTransaction
	}
	return wire.Idle
}

func (t *Transaction) fail() { t.Failed = t.Explicit }

// Drafted reports whether a pin shows the transaction's own change of the schema, which no
// other session may see.
func (s *Session) Drafted(pin *resolver.Pin) bool {
	return s.Tx.Schema != nil && pin != s.Tx.Schema.Base
}

// Unstage forgets what is staged, rows, schema, tags and events.
func (s *Session) Unstage(ctx context.Context) {
	for _, g := range append(s.Tx.Staged, s.Tx.Retired...) {
		g.Close(context.WithoutCancel(ctx))
	}
	s.Tx.Staged, s.Tx.Retired, s.Tx.Schema, s.Tx.Tags, s.Tx.Actions = nil, nil, nil, nil, nil
	s.Tx.Events = nil
	s.DropEvents(0)
}

// Alone reports whether the running statement is a whole implicit transaction that has sent
// nothing to the client, so that it can be committed or run again.
func (s *Session) Alone() bool {
	return !s.Tx.Explicit && s.Tx.Ran == 1 && s.Start.Ending != nil && s.Start.Ending()
}

// CommitMetadata is the metadata of the commit that the transaction makes: the setting
// commit_meta, the metadata that a SchemaPlan gives, and commit_message under the key
// message, or what its actions do. It is read before the transaction ends, because SET LOCAL ends with it.
func (s *Session) CommitMetadata() map[string]string {
	meta := s.Settings.CommitMetadata()
	message := cmp.Or(s.Settings.Value(settings.CommitMessage), strings.Join(s.Tx.Actions, ", "))
	if meta == nil && (message != "" || len(s.Tx.Metadata) > 0) {
		meta = map[string]string{}
	}
	maps.Copy(meta, s.Tx.Metadata)
	if message != "" {
		meta["message"] = message
	}
	return meta
}

// ExpectHead is the only head that the transaction may be committed on, nil for any.
func (s *Session) ExpectHead() *ontosql.CommitID {
	if s.Tx.Head != nil {
		return s.Tx.Head
	}
	return s.Settings.CommitID(settings.ExpectHead)
}

// Reads is what a transaction depends on: all that a SERIALIZABLE one has read, by type. Its
// commit is refused if another commit wrote any of it after the pin.
type Reads struct {
	Types map[ontosql.TypeRef]bool
	// ontology says that it read the records of the ontology itself, which every
	// commit adds to.
	Ontology bool
}

// RecordRead records that a SERIALIZABLE transaction reads a relation, at any point.
func (s *Session) RecordRead(r *relation.Relation) {
	if s.Mode("isolation") != "serializable" {
		return
	}
	switch {
	case r.Type != nil:
		s.DependOn(r.Type.Ref)
	case r.Virtual != nil:
		s.Tx.Read.Ontology = true
	}
}

// DependOn makes the commit of the transaction depend on all rows of a type, at any isolation
// level.
func (s *Session) DependOn(ref ontosql.TypeRef) {
	if s.Tx.Read.Types == nil {
		s.Tx.Read.Types = map[ontosql.TypeRef]bool{}
	}
	s.Tx.Read.Types[ref] = true
}
