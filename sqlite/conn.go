package sqlite

import (
	"context"
	"sync/atomic"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/sqlite/pages"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// conn is a connection for reading, with its file.
type conn struct {
	*lite.Conn
	file *file
	pages.File
	stop     chan struct{} // closing it interrupts the connection for good
	verified atomic.Pointer[verifiedState]
}

// verifiedState records that a connection sees the snapshot state while its PRAGMA
// data_version is version.
type verifiedState struct {
	version int64
	state   *snapshot
}

// read runs f with a connection to the current file, in one read transaction. f runs again if
// another process had the file locked.
func (db *DB) read(ctx context.Context, f func(*conn) error) error {
	return db.readOf(ctx, nil, inTransaction(f))
}

// Read runs f in one read transaction of the current file. f may run again if another process
// had the file locked; it must not write.
func (db *DB) Read(ctx context.Context, f func(*lite.Conn) error) error {
	return db.read(ctx, func(c *conn) error { return f(c.Conn) })
}

// readOf is read without the transaction. It does not check that the file is current if there
// is an idle connection to it; the caller checks afterwards.
func (db *DB) readOf(ctx context.Context, of *file, f func(*conn) error) error {
	select {
	case db.readers <- struct{}{}:
	case <-ctx.Done():
		return sqlconn.ContextError(ctx)
	}
	defer func() { <-db.readers }()
	c := db.takeIdle(of)
	if c == nil {
		var err error
		if c, err = db.acquire(); err != nil {
			return err
		}
	}
	err := c.run(ctx, db.busyTimeout, f)
	db.putIdle(c, err)
	switch lite.ErrCode(err).ToPrimary() {
	case lite.ResultCorrupt, lite.ResultNotADB:
		db.markStale(c.file)
	}
	return err
}

// acquire returns an idle connection to the current file, or a new one.
func (db *DB) acquire() (*conn, error) {
	f, err := db.currentFile()
	if err != nil {
		return nil, err
	}
	if c := db.takeIdle(f); c != nil {
		return c, nil
	}
	return db.connect(f)
}

// takeIdle returns an idle connection to a file; nil if there is none.
func (db *DB) takeIdle(f *file) *conn {
	db.mu.Lock()
	defer db.mu.Unlock()
	n := len(db.idle)
	if n == 0 || db.shut || db.idle[n-1].file != f {
		return nil
	}
	c := db.idle[n-1]
	db.idle = db.idle[:n-1]
	return c
}

// putIdle keeps a connection for the next use, or closes it if its last use failed.
func (db *DB) putIdle(c *conn, err error) {
	db.mu.Lock()
	if err == nil && c.file == db.file && len(db.idle) < maxIdle {
		db.idle = append(db.idle, c)
		c = nil
	}
	db.mu.Unlock()
	if c != nil {
		db.discard(c)
	}
}

// discard closes a connection.
func (db *DB) discard(c *conn) {
	if err := c.Close(); err != nil {
		db.log.Warn("connection not closed", "error", err)
	}
}

// run runs f, and repeats it while another process has the file locked, for up to wait. After
// an error the connection is unusable.
func (c *conn) run(ctx context.Context, wait time.Duration, f func(*conn) error) error {
	if ctx.Err() != nil {
		return sqlconn.ContextError(ctx)
	}
	// Conn.SetInterrupt for each transaction would take longer than most of them.
	asleep := context.AfterFunc(ctx, func() { close(c.stop) })
	until := time.Now().Add(wait)
	for {
		err := f(c)
		if sqlconn.IsBusy(err) && ctx.Err() == nil && time.Now().Before(until) {
			continue
		}
		if !asleep() {
			return sqlconn.ContextError(ctx)
		}
		return err
	}
}

// inTransaction wraps f in one read transaction.
func inTransaction(f func(*conn) error) func(*conn) error {
	return func(c *conn) error {
		err := sqlconn.Each(c.Conn, "BEGIN", nil)
		if err == nil {
			err = f(c)
		}
		if c.AutocommitEnabled() { // an error ended the transaction, or there was none
			return err
		}
		if end := sqlconn.Each(c.Conn, "ROLLBACK", nil); err == nil {
			err = end
		}
		return err
	}
}
