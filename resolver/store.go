package resolver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Options configure a Store.
type Options struct {
	Bucket objstore.Bucket
	Log    *chain.Log   // of the same bucket; the caller closes it
	Logger *slog.Logger // nil discards
	// OwnHead returns the current head if only this process can move it at present,
	// and the time (time.Now) since which no other process can have changed the head
	// or the schema objects. Use writepath's Committer.Head; nil means unknown.
	OwnHead func() (head *format.Head, since time.Time, ok bool)
	// MaxAge is the maximum age of the state that Pin may return. 0 means that every
	// call asks the store.
	MaxAge time.Duration
}

// Store pins heads and resolves files of one ontology in an object store. Its methods are
// safe for concurrent use.
type Store struct {
	bucket    objstore.Bucket
	log       *chain.Log
	logger    *slog.Logger
	ownHead   func() (*format.Head, time.Time, bool)
	maxAge    time.Duration
	closing   context.Context
	close     context.CancelCauseFunc
	refreshes sync.WaitGroup

	mu         sync.Mutex
	known      *storeState  // result of the latest refresh
	expired    time.Time    // Pin ignores states from before this time
	refreshing bool         // a refresh is running
	next       *refreshCall // the refresh that starts after it

	deriving sync.Mutex // held while pinOwn builds a state

	indexes indexes
}

// Pin is the consistent state that one statement or transaction reads: a head and
// everything below it. It is immutable and stays valid after the Store is closed.
type Pin struct {
	Head    ontosql.Head
	View    *chain.View
	Catalog *catalog.Catalog
	Engine  string // format.EngineV1 or format.EngineV2
	// Warnings describe problems with schema objects that were worked around. They are
	// the same for every pin until the objects change.
	Warnings []string

	// unchangedSince is the time since which no other process could change the store.
	// It is zero if others could; see Options.OwnHead.
	unchangedSince time.Time
}

var errClosed = errors.New("store is closed")

// Open returns a Store. It sends no request: an unreachable store is reported by the first
// statement.
func Open(o Options) *Store {
	s := &Store{bucket: o.Bucket, log: o.Log, logger: o.Logger, ownHead: o.OwnHead, maxAge: o.MaxAge, known: &storeState{}}
	if s.ownHead == nil {
		s.ownHead = func() (*format.Head, time.Time, bool) { return nil, time.Time{}, false }
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	s.closing, s.close = context.WithCancelCause(context.Background())
	s.indexes.slots = map[ontosql.TypeRef]*indexSlot{}
	return s
}

// Close cancels running refreshes and waits for them. Pins stay valid.
func (s *Store) Close() {
	s.mu.Lock()
	s.close(errClosed)
	s.mu.Unlock()
	s.refreshes.Wait()
}

// Lock reads the write lock object; nil if there is none. A released lock may still be
// present (decision A30).
func (s *Store) Lock(ctx context.Context) (*format.Lock, error) {
	body, _, err := s.bucket.Get(ctx, format.LockKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read lock: %w", err)
	}
	return format.DecodeLock(format.LockKey, body)
}
