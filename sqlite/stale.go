package sqlite

import (
	"context"
	"fmt"
	"os"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// A file can be restored by cp over it. SQLite does not notice that: with a write-ahead
// log, connections do not read the file's change counter, the index of the log in shared
// memory keeps the size of the old file, and every connection keeps its page cache. All
// that ends with the last connection. So when the file's time has changed, which a
// checkpoint does too, the DB closes all its connections and opens new ones, as soon as
// the log is empty. While the log is not empty, its pages cannot be told from those of the
// overwritten file.

// markStale makes the next refresh reopen the connections to f.
func (db *DB) markStale(f *file) {
	db.mu.Lock()
	f.stale = true
	db.mu.Unlock()
}

// reopenStale closes all connections to f, if it may have been overwritten. The caller
// holds db.refreshing.
func (db *DB) reopenStale(ctx context.Context, f *file) error {
	db.mu.Lock()
	stale := f.stale && f.mode == shared
	db.mu.Unlock()
	if !stale || !db.logEmpty() || db.writers.Load() > 0 {
		return nil
	}
	for range maxReaders { // the reads that are under way end, and none begins
		select {
		case db.readers <- struct{}{}:
			defer func() { <-db.readers }()
		case <-ctx.Done():
			return sqlconn.ContextError(ctx)
		}
	}
	info, err := os.Stat(db.path)
	if err != nil {
		return sqlconn.StorageError("look for the database", err)
	}
	db.mu.Lock()
	idle := db.idle
	db.idle = nil
	f.info, f.stale = info, false
	db.mu.Unlock()
	if db.refresher != nil {
		idle = append(idle, db.refresher)
		db.refresher = nil
	}
	for _, c := range idle {
		db.discard(c)
	}
	return db.checkWALIndex(ctx, f)
}

// logEmpty reports whether the log has nothing in it.
func (db *DB) logEmpty() bool {
	log, err := os.Stat(sqlconn.WALPath(db.path))
	return err != nil || log.Size() == 0
}

// checkWALIndex connects to f. It fails where the index of the log describes the overwritten
// file, because another process still has that open.
func (db *DB) checkWALIndex(ctx context.Context, f *file) error {
	c, err := db.connect(f)
	if err != nil {
		db.markStale(f)
		return err
	}
	if err := c.run(ctx, db.busyTimeout, db.sameSize); err != nil {
		db.discard(c)
		db.markStale(f)
		return err
	}
	db.refresher = c
	return nil
}

// sameSize compares the size of a file with a log that is empty with what the index of
// the log says of it.
func (db *DB) sameSize(c *conn) error {
	logged := false
	err := sqlconn.Each(c.Conn, "PRAGMA journal_mode", func(row *lite.Stmt) error {
		logged = row.ColumnText(0) == "wal"
		return nil
	})
	if err != nil || !logged {
		return err
	}
	pages, err := sqlconn.Pragma(c.Conn, "page_count")
	if err != nil {
		return err
	}
	size, err := sqlconn.Pragma(c.Conn, "page_size")
	if err != nil {
		return err
	}
	if info, err := os.Stat(db.path); err == nil && pages > 0 && info.Size() != pages*size && db.logEmpty() {
		return fmt.Errorf("%w: the file has %d bytes, and %d by what the processes share that have it open: it was written over; end the others", ontosql.ErrStorage, info.Size(), pages*size)
	}
	return nil
}
