package storage

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// Store gives the head of an ontology. Its methods may be called from several goroutines.
type Store interface {
	// Pin is the newest head and what stands below it. It may be as old as the options of
	// the store allow.
	Pin(ctx context.Context) (*resolver.Pin, error)
	// PinFresh is Pin as the store is at this moment, schema objects included.
	PinFresh(ctx context.Context) (*resolver.Pin, error)
	// Expire makes the next Pin ask the store.
	Expire()
	// Lock is the write lock as it is recorded, nil if none is.
	Lock(ctx context.Context) (*format.Lock, error)
}

// Committer writes to the ontology of a Store. Its methods may be called from several
// goroutines, and their errors are those of package writepath.
type Committer interface {
	Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error)
	// Draft takes rows before they are committed. It is nil if the committer has no drafts.
	Draft(d writepath.Data) *writepath.Draft
	// Reserve holds the write lock for a transaction.
	Reserve(ctx context.Context, lockTimeout time.Duration) (*writepath.Reservation, error)
}

// Sender is a Committer that puts the events of a commit on the bus after the commit was answered.
type Sender interface {
	// WhenSent has a function called with the events each time after that.
	WhenSent(told func([]format.Event))
}

// Backend is where an ontology is kept and how the engine reads its rows: Files or Tables.
type Backend interface {
	Store

	// Find makes the rows of a window readable for the engine. The caller releases the
	// result.
	Find(ctx context.Context, on *duckdb.Engine, s Search) (Result, error)
	// Warnings are the problems of the index of a type, for a window that is read from the
	// mirror. The answer is right in spite of them.
	Warnings(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window) ([]string, error)
	// IndexHealth is the state of the index of each type, empty if there are no indexes.
	IndexHealth(ctx context.Context, pin *resolver.Pin) ([]resolver.Health, error)
	// Recoveries are the projections that were completed after a crash of their writer.
	Recoveries(ctx context.Context) ([]format.Recovery, error)
	// Ready is called before the first commit. Its error says why the store cannot take one.
	Ready(ctx context.Context) error
	// Doubt is called after a commit whose outcome is unknown, or whose write lock was taken by
	// another writer: the next Ready takes nothing for granted.
	Doubt()
	// Far reports whether asking for the head takes so long that a statement should run
	// meanwhile.
	Far() bool
	// Wrote records a commit of this gateway: its files, and the range of first key texts in
	// the rows of each type.
	Wrote(files []format.File, keys map[ontosql.TypeRef]KeyRange)
	// Manifest is the key of a commit's manifest, "" if the store has none.
	Manifest(e *chain.Entry) string
	// Source is SourceFiles or SourceTable.
	Source() string
	// Recent remembers the last commits of this gateway.
	Recent() *RecentCommits
}

// What the rows of a Backend are read from, in the words of the query log.
const (
	SourceFiles = "files"
	SourceTable = "table"
)

// KeyRange is the least and the greatest of some key texts.
type KeyRange struct{ Low, High string }
