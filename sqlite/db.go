package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
	"github.com/ontosql/ontosql/writepath"
)

// Options configures a DB.
type Options struct {
	Path string // of the file
	// ReadOnly forbids all writes, including SQLite's own: no recovery from a journal, and no
	// checkpoint of a write-ahead log.
	ReadOnly bool
	// BusyTimeout bounds the wait for a process that locks the whole file; 5 s when 0.
	BusyTimeout time.Duration
	Logger      *slog.Logger // nil discards
}

// DB reads the ontology in one SQLite file, which other processes may write and replace
// meanwhile. Its methods are safe for concurrent use. While it is open, other code of this
// process must not open and close the file where the system has POSIX's locks only: closing
// a descriptor releases the locks that SQLite holds. On Linux SQLite uses locks that belong
// to the descriptor (pages/direct.go), except for the index of the log.
type DB struct {
	path        string
	readOnly    bool
	busyTimeout time.Duration
	log         *slog.Logger

	latest atomic.Pointer[snapshot] // of the last completed refresh; never nil

	// refreshing is a lock, held by the one call that refreshes the snapshot; concurrent
	// calls wait for its result. Its holder owns refresher, the connection for that.
	refreshing chan struct{}
	refresher  *conn
	refreshes  atomic.Int64 // number of the last refresh that began

	readers chan struct{} // a slot for each connection in use
	writers atomic.Int32  // connections of a Committer
	mu      sync.Mutex    // guards the fields below
	file    *file         // the file at path when last checked, or nil
	idle    []*conn       // unused connections to file
	shut    bool
}

// Bounds of the concurrent reading connections, and of those kept idle.
const (
	maxReaders = 8
	maxIdle    = 4
)

var errClosed = errors.New("database is closed")

// Open returns a DB without accessing the file: a missing or invalid file is an error of the
// first read.
func Open(o Options) (*DB, error) {
	if o.Path == "" {
		return nil, errors.New("open database: no path")
	}
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &DB{
		path: path, readOnly: o.ReadOnly, busyTimeout: o.BusyTimeout, log: o.Logger,
		refreshing: make(chan struct{}, 1), readers: make(chan struct{}, maxReaders),
	}
	if db.busyTimeout == 0 {
		db.busyTimeout = 5 * time.Second
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}
	db.latest.Store(new(snapshot))
	return db, nil
}

// Path returns the file's absolute path.
func (db *DB) Path() string { return db.path }

// ReadOnly reports whether the file may not be written (Options.ReadOnly).
func (db *DB) ReadOnly() bool { return db.readOnly }

// AddWriters adds n (negative to subtract) to the number of this process's connections that
// write to the file. They tell the checks of the file that its log belongs to them.
func (db *DB) AddWriters(n int32) { db.writers.Add(n) }

// Close waits for running reads and closes the file. Pins stay valid, but their rows can no
// longer be read. The caller closes a Committer of the DB first.
func (db *DB) Close() error {
	db.mu.Lock()
	shut := db.shut
	db.shut = true
	db.mu.Unlock()
	if shut {
		return nil
	}
	db.refreshing <- struct{}{}
	defer func() { <-db.refreshing }()
	for range maxReaders { // new callers get no connection
		db.readers <- struct{}{}
		defer func() { <-db.readers }()
	}
	all := db.idle
	if db.refresher != nil {
		all = append(all, db.refresher)
	}
	var errs []error
	for _, c := range all {
		errs = append(errs, c.Close())
	}
	db.removeEmptyWAL()
	return errors.Join(errs...)
}

// Lock returns the row of the write lock; nil if there is none. An expired lock still has a
// row.
func (db *DB) Lock(ctx context.Context) (*format.Lock, error) {
	var seen *writepath.ObservedLock
	err := db.read(ctx, func(c *conn) (err error) {
		seen, err = writelock.Read(c.Conn)
		return err
	})
	if err != nil || seen == nil {
		return nil, sqlconn.StorageError("read lock", err)
	}
	return &seen.Lock, nil
}
