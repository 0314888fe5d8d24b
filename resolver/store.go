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

// Options of a Store.
type Options struct {
	Bucket objstore.Bucket
	Log    *chain.Log   // of the same bucket; closing it is the caller's
	Logger *slog.Logger // nil discards
	// Own is the head where this process may move it alone just now, and since
	// when (by time.Now) nobody else can have changed head or schema objects;
	// writepath's Committer.Head, nil for none.
	OwnHead func() (head *format.Head, since time.Time, ok bool)
	// MaxAge is how old, when Pin is called, the look at the store may be that it
	// answers from. 0: every call looks.
	MaxAge time.Duration
}

// Store answers for one ontology in an object store. Its methods may be called
// from several goroutines.
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
	known      *storeState  // the newest look that ended
	expired    time.Time    // what was read before is not recent, whatever maxAge allows
	refreshing bool         // a look is under way
	next       *refreshCall // the look that begins when it ends

	deriving sync.Mutex // held by the one who builds a look of an own head

	indexes indexes
}

// Pin is what one statement, or one transaction, sees of the store: a head and
// everything below it. It never changes and outlives the Store.
type Pin struct {
	Head    ontosql.Head
	View    *chain.View
	Catalog *catalog.Catalog
	Engine  string // format.EngineV1 or format.EngineV2
	// Warnings are what is wrong with the schema objects and was got round:
	// the same for every pin until the objects change.
	Warnings []string

	// held is since when nobody else could change anything of the store, zero
	// where others could; see Options.Own.
	unchangedSince time.Time
}

var errClosed = errors.New("store is closed")

// Open makes a Store. It asks for nothing yet, so that a store which cannot be
// reached is the first statement's error.
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

// Close breaks off what is under way and waits for it. Pins stay valid.
func (s *Store) Close() {
	s.mu.Lock()
	s.close(errClosed)
	s.mu.Unlock()
	s.refreshes.Wait()
}

// Lock is the write lock object as it stands in the store, nil where there is
// none. A lock that was given back may still stand there (decision A30).
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
