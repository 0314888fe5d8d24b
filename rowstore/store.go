package rowstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/mirror"
)

// Options of a Store.
type Options struct {
	Engine *duckdb.Engine // reads the rows of the source
	// Dir is a directory for the stores of one ontology only; it is created if missing.
	// Processes that share it use a store each.
	Dir    string
	Budget int64        // maximum size of the store in bytes
	Memory int64        // of blocks that are kept in memory, in bytes
	Logger *slog.Logger // nil discards
	// Now is the clock that decides how long tables have been idle; nil is time.Now.
	Now func() time.Time
}

// Store has the tables of one ontology. It is safe for concurrent use.
type Store struct {
	engine *duckdb.Engine
	budget int64
	log    *slog.Logger
	now    func() time.Time

	db            *pebble.DB
	fs            *disk
	writerOptions sstable.WriterOptions
	place         *mirror.Place
	path          string // of the place

	ctx    context.Context // cancelled by Close
	cancel context.CancelFunc
	wake   chan struct{}  // there may be work
	worker sync.WaitGroup // one goroutine

	mu     sync.RWMutex
	types  map[ontosql.TypeRef]*entry
	newest mirror.History // the newest pin passed to Follow, or nil
	last   uint64         // the number of the newest table
	old    []*table       // to be removed after their last use
	off    bool           // closed, or the disk refused something
	health *health        // of the key-value store
	closed bool           // the key-value store, by the worker; read after the worker has ended
}

// entry is what the store knows of one type. It is guarded by the store's mutex.
type entry struct {
	reads      int
	lastUsed   time.Time
	table      *table // nil if there is none
	failures   int    // consecutive
	retryAfter time.Time
	reason     error // why there is no table, or why it was not extended
}

// closeWait is how long the library may take to close.
const closeWait = 10 * time.Second

// layoutVersion is the version of keys and values. It is part of the path.
const layoutVersion = 1

// Open opens the store that an earlier process left, or a new one if there is none or it is
// damaged. The caller calls Close after the last statement and before closing the engine.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{engine: o.Engine, budget: o.Budget, log: o.Logger, now: o.Now, wake: make(chan struct{}, 1), types: map[ontosql.TypeRef]*entry{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	place, err := mirror.Claim(o.Dir, func(n int) string { return fmt.Sprintf("rows-v%d-%d", layoutVersion, n) })
	if err != nil {
		return nil, fmt.Errorf("open row store: %w", err)
	}
	place.RemoveUnclaimed("rows-v*", func(path string) { _ = os.RemoveAll(path) })
	s.place, s.path = place, place.Path
	err = s.open(o.Memory)
	if err != nil { // a store that cannot be read is replaced, whatever the cause
		s.log.WarnContext(ctx, "row store is damaged and is made anew", "error", err.Error())
		if err = os.RemoveAll(s.path); err == nil {
			err = s.open(o.Memory)
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open row store: %w", err), s.place.Release())
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.worker.Add(1)
	go s.work()
	return s, nil
}

// open opens the key-value store and loads the states of its tables.
func (s *Store) open(memory int64) error {
	h := &health{store: s}
	s.fs, s.health = &disk{FS: vfs.Default, failed: h.failed}, h
	cache := pebble.NewCache(memory)
	defer cache.Unref()
	o := &pebble.Options{
		Cache: cache, DisableWAL: true, FormatMajorVersion: pebble.FormatNewest, MemTableSize: 16 << 20,
		FS: s.fs, Logger: logger{h},
		EventListener: &pebble.EventListener{
			// Reading then returns the error; by default the library ends the process.
			DataCorruption: func(i pebble.DataCorruptionInfo) { h.failed(i.Details) },
			// It tries again at once what fails in the background.
			BackgroundError: h.failed,
		},
	}
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	o.EnsureDefaults()
	db, err := pebble.Open(s.path, o)
	if err != nil {
		h.giveUp()
		return err
	}
	s.db, s.writerOptions = db, o.MakeWriterOptions(0, db.TableFormat())
	found, err := s.load()
	if err == nil {
		err = h.opened()
	}
	if err != nil {
		h.giveUp()
		return errors.Join(err, db.Close())
	}
	for _, t := range found {
		if before := s.types[t.ref]; before != nil {
			s.drop(before)
		}
		s.types[t.ref] = &entry{reads: mirror.MinReads, table: t}
	}
	return nil
}

// Close ends the worker and closes the store.
func (s *Store) Close() {
	s.cancel()
	s.worker.Wait()
	if !s.closed {
		s.mu.Lock()
		broken := s.off
		s.off = true
		s.mu.Unlock()
		s.closeStored(broken)
	}
	_ = s.place.Release()
}

// closeStored closes the key-value store, which nobody reads any more. One that is broken, or becomes so, is
// removed.
func (s *Store) closeStored(broken bool) {
	s.closeIdle()
	s.health.giveUp()
	closed, flush := make(chan error, 1), !broken
	go func() {
		if flush { // there is no log to read the last rows from
			_ = s.db.Flush()
		}
		closed <- s.db.Close()
	}()
	select {
	case err := <-closed:
		broken = broken || err != nil
	case <-time.After(closeWait): // one of its goroutines has ended (logger.Fatalf)
		broken = true
	}
	if broken {
		_ = os.RemoveAll(s.path)
	}
}

// turnOff makes all later look-ups find nothing. The worker closes and removes the key-value store when nobody
// reads it any more, so that the library does not go on trying what fails.
func (s *Store) turnOff(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return
	}
	s.off = true
	for _, e := range s.types {
		if e.table != nil {
			s.drop(e)
		}
	}
	s.signal()
	s.log.Warn("row store is off until the next start", "error", cause.Error())
}

// isUnused reports whether the store is off and nobody reads it.
func (s *Store) isUnused() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.off && len(s.old) == 0
}

// Follow announces the newest pin. Tables of another history, or of a type that has changed, are
// dropped; the others are extended in the background.
func (s *Store) Follow(h mirror.History) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if mirror.Precedes(h, s.newest) {
		return // the tables fit both
	}
	s.newest = mirror.TargetHistory(h)
	for ref, e := range s.types {
		if t := e.table; t != nil {
			if typ, ok := h.Type(ref); !ok || !t.matchesType(typ) || !t.matchesHistory(h) {
				s.drop(e)
			}
		}
	}
	s.signal()
}

// drop takes the table of a type away. The caller holds the mutex.
func (s *Store) drop(e *entry) {
	s.retire(e.table)
	e.table = nil
}

// retire has a table removed after its last use. The caller holds the mutex.
func (s *Store) retire(t *table) {
	t.old.Store(true)
	s.old = append(s.old, t)
}

// signal wakes the worker.
func (s *Store) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Status is the state of one type.
type Status struct {
	Type        ontosql.TypeRef
	Through     ontosql.CommitID // the commit that the table is complete through, 0 without one
	Rows, Bytes int64
	LastUsed    time.Time // zero if not since the start
	Reason      error     // why there is no table, or why it was not extended
}

// Status returns the states of all types that were looked up.
func (s *Store) Status() []Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var all []Status
	for ref, e := range s.types {
		one := Status{Type: ref, LastUsed: e.lastUsed, Reason: e.reason}
		if t := e.table; t != nil {
			one.Through, one.Rows, one.Bytes = t.Through, t.Rows, t.Bytes
		}
		all = append(all, one)
	}
	return all
}

// typeOf finds a type in a history that may be nil.
func typeOf(h mirror.History, ref ontosql.TypeRef) (*catalog.Type, bool) {
	if h == nil {
		return nil, false
	}
	return h.Type(ref)
}
