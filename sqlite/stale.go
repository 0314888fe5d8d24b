package sqlite

import (
	"context"
	"fmt"
	"os"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// A file can be restored by cp over it. SQLite does not notice that, because with a
// write-ahead log nobody looks at the file's own counter: the index of the log, in
// shared memory, goes on to say how large the file before was, and every connection
// keeps its pages. Both end with the last connection. So once the file has another
// time, which a log that is brought home gives it too, all of ours are opened anew,
// as soon as the log is empty and so belongs to no file. While it is not, nothing
// tells its pages from those of the file that was written over.

// markStale has the connections to f opened anew before the next look.
func (db *DB) markStale(f *file) {
	db.mu.Lock()
	f.stale = true
	db.mu.Unlock()
}

// reopenStale closes all connections to f, if it may have been written over. Only the
// holder of the turn calls it.
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

// checkWALIndex connects to f and fails where the index of the log is that of another file,
// because another process has had it open since before it was written over.
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
