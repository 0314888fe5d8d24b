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

// Options of a DB.
type Options struct {
	Path string // of the file
	// ReadOnly says that not even SQLite may write: no file is recovered from a
	// journal that a dead process left, and no write-ahead log is brought home.
	ReadOnly bool
	// BusyTimeout is how long a read waits for a process that keeps the whole file
	// locked; 5 s when 0.
	BusyTimeout time.Duration
	Logger      *slog.Logger // nil discards
}

// DB answers for one ontology in a SQLite file, which other processes may write
// and even replace meanwhile. Its methods may be called from several goroutines.
// While it is open, nobody in this process may open and close the file by other
// means where the system has POSIX's locks only: with that they are taken away from
// SQLite. Linux has others (directpages.go), but for a log's index.
type DB struct {
	path        string
	readOnly    bool
	busyTimeout time.Duration
	log         *slog.Logger

	latest atomic.Pointer[snapshot] // what the newest look that ended has seen; never nil

	// turn is held by the one call that looks at the file; the others wait for what
	// it sees. looker, the connection it looks through, belongs to its holder.
	refreshing chan struct{}
	refresher  *conn
	refreshes  atomic.Int64 // looks, by which a caller knows one that began after it came

	readers chan struct{} // of connections that are in use
	writers atomic.Int32  // connections of a Committer
	mu      sync.Mutex
	file    *file   // what stood at path when it was last looked at, nil before that
	idle    []*conn // connections of file that nobody uses
	shut    bool
}

// most connections that read rows at a time, and that are kept for the next.
const (
	maxReaders = 8
	maxIdle    = 4
)

var errClosed = errors.New("database is closed")

// Open makes a DB. It looks at no file yet, so that one which is missing or is
// something else is the first statement's error.
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

// Path is the file's, absolute.
func (db *DB) Path() string { return db.path }

// ReadOnly reports whether the file may not be written (Options.ReadOnly).
func (db *DB) ReadOnly() bool { return db.readOnly }

// AddWriters counts connections of this process that write to the file, by which a look
// at it knows that its log belongs to them. n is negative for those that were closed.
func (db *DB) AddWriters(n int32) { db.writers.Add(n) }

// Close waits for the reads that are under way and closes the file. Pins stay
// valid as far as they need no rows. Whoever writes to the file is closed first.
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
	for range maxReaders { // of those who come now, none gets a connection
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

// Lock is the row of the write lock as it stands, nil where there is none. One
// that has expired is still a row.
func (db *DB) Lock(ctx context.Context) (*format.Lock, error) {
	var seen *writepath.SeenLock
	err := db.read(ctx, func(c *conn) (err error) {
		seen, err = writelock.Read(c.Conn)
		return err
	})
	if err != nil || seen == nil {
		return nil, sqlconn.StorageError("read lock", err)
	}
	return &seen.Lock, nil
}
