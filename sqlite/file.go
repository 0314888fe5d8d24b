package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// file is the file at the DB's path, until another file replaces it.
type file struct {
	info     os.FileInfo // when its connections were opened
	mode     openMode
	sidecars sidecars    // when first checked; for a file that is not shared, while it is read
	wal      os.FileInfo // its write-ahead log, once it was opened; nil for none
	// stale is set if the file may have been written by other means than SQLite: its time
	// changed, or a connection found invalid content.
	stale bool
}

// openMode is the way connections open a file.
type openMode uint8

// The modes. A file in write-ahead mode can be shared only where SQLite finds the index of
// the log, or may create it (sqlconn.WALOfAnotherUser). Where it cannot, no process writes
// the file, and it is opened as immutable. A writer that comes later is noticed by the
// sidecars that it creates.
const (
	shared     openMode = iota
	immutable           // the log is empty
	privateWAL          // the log has commits; SQLite keeps its index in memory
)

// sidecars are the sizes and times of a file, its write-ahead log and the index of the log.
// They detect changes without reading the file.
type sidecars struct {
	size, logSize         int64 // logSize is -1 where there is no log
	modified, logModified time.Time
	index                 bool // the log has an index
}

// currentFile returns the file at the path. It closes idle connections to a replaced file.
func (db *DB) currentFile() (*file, error) {
	info, err := os.Stat(db.path)
	db.mu.Lock()
	defer db.mu.Unlock()
	switch {
	case db.shut:
		return nil, errClosed
	case errors.Is(err, fs.ErrNotExist) && db.file == nil:
		return nil, fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
	case err != nil && db.file != nil:
		return nil, fmt.Errorf("%w: the file is gone: %w", ontosql.ErrStorage, err)
	case err != nil:
		return nil, sqlconn.StorageError("look for the database", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is no file", sqlconn.ErrForeign, db.path)
	}
	f := db.file
	if f != nil && os.SameFile(f.info, info) && (f.mode == shared || f.sidecars == db.sidecarsOf(info)) {
		f.stale = f.stale || !f.info.ModTime().Equal(info.ModTime()) || f.info.Size() != info.Size()
		return f, nil
	}
	if f != nil {
		if log, err := os.Stat(sqlconn.WALPath(db.path)); err == nil && log.Size() > 0 && !os.SameFile(f.info, info) && os.SameFile(f.wal, log) {
			// SQLite would apply the old log to the new file.
			return nil, fmt.Errorf("%w: the file was replaced, and the log of the one before is beside it still: remove %[2]s-wal and %[2]s-shm", ontosql.ErrStorage, sqlconn.ResolveLinks(db.path))
		}
		db.log.Info("database file replaced", "path", db.path)
	}
	for _, c := range db.idle {
		db.discard(c)
	}
	db.idle = nil
	db.file = &file{info: info, sidecars: db.sidecarsOf(info)}
	return db.file, nil
}

// isUnchanged reports whether the file system shows no change of the file, so that SQLite's
// data_version detects all commits.
func (db *DB) isUnchanged(f *file) (bool, error) {
	now, err := db.currentFile()
	if err != nil {
		return false, err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return now == f && f.mode == shared && !f.stale, nil
}

func (db *DB) sidecarsOf(info os.FileInfo) sidecars {
	b := sidecars{size: info.Size(), modified: info.ModTime(), logSize: -1}
	if log, err := os.Stat(sqlconn.WALPath(db.path)); err == nil {
		b.logSize, b.logModified = log.Size(), log.ModTime()
	}
	_, err := os.Stat(sqlconn.ResolveLinks(db.path) + "-shm")
	b.index = err == nil
	return b
}

// connect opens a connection to f. If the file is gone, the error is reported by the next
// check of the file.
func (db *DB) connect(f *file) (*conn, error) {
	db.mu.Lock()
	way := f.mode
	db.mu.Unlock()
	var c *conn
	var err error
	// Without an index the file cannot be shared.
	lonely := way == shared && !f.sidecars.index
	if !lonely || !sqlconn.WALOfAnotherUser(sqlconn.ResolveLinks(db.path)) {
		c, err = db.open(f, way)
		lonely = lonely && needsWALIndex(err)
	}
	if lonely {
		way = immutable
		if f.sidecars.logSize > 0 {
			way = privateWAL
		}
		if c, err = db.open(f, way); err == nil {
			db.mu.Lock()
			f.mode = way
			db.mu.Unlock()
		}
	}
	if err != nil {
		return nil, err
	}
	c.Path = sqlconn.ResolveLinks(db.path)
	if c.Info, err = os.Stat(c.Path); err != nil || !os.SameFile(f.info, c.Info) {
		db.discard(c)
		return nil, fmt.Errorf("%w: the file was replaced while it was opened", ontosql.ErrStorage)
	}
	if log, err := os.Stat(sqlconn.WALPath(c.Path)); err == nil {
		c.WAL = log
	}
	db.mu.Lock()
	f.wal = c.WAL
	db.mu.Unlock()
	return c, nil
}

// needsWALIndex reports whether a file could not be opened because its log has no index.
func needsWALIndex(err error) bool {
	switch code := lite.ErrCode(err); code {
	case lite.ResultReadOnlyCantInit, lite.ResultReadOnlyDirectory:
		return true
	default:
		return code.ToPrimary() == lite.ResultCantOpen
	}
}

func (db *DB) open(f *file, way openMode) (*conn, error) {
	c, err := db.openAs(f, way, lite.OpenReadOnly)
	if lite.ErrCode(err) != lite.ResultReadOnlyRollback {
		return c, err
	}
	if db.readOnly {
		return nil, fmt.Errorf("%w: a process that died has left half a transaction in %s: open the file once for writing, which takes it back: %w", ontosql.ErrStorage, db.path, err)
	}
	return db.openAs(f, way, lite.OpenReadWrite)
}

// openAs opens a connection with these flags. The last connection that may write checkpoints
// the log when it closes, so readers are opened read-only.
func (db *DB) openAs(f *file, way openMode, flags lite.OpenFlags) (*conn, error) {
	name := db.path
	if way != shared {
		query := "immutable=1"
		if way == privateWAL {
			query = "vfs=unix-none"
		}
		uri := url.URL{Scheme: "file", Path: db.path, RawQuery: query}
		name, flags = uri.String(), lite.OpenReadOnly|lite.OpenURI
	}
	c, err := lite.OpenConn(name, flags)
	if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	c.SetInterrupt(stop)
	c.SetBusyTimeout(sqlconn.BusyTimeout)
	settings := []string{"PRAGMA query_only = ON"}
	if way == privateWAL {
		settings = append(settings, "PRAGMA locking_mode = EXCLUSIVE")
	}
	// The last statement is the first to read the file.
	for _, sql := range append(settings, "SELECT 1 FROM sqlite_schema") {
		if err := sqlconn.Each(c, sql, nil); err != nil && !sqlconn.IsBusy(err) {
			c.Close()
			if lite.ErrCode(err) == lite.ResultNotADB {
				err = fmt.Errorf("%w: %s is no SQLite database: %w", sqlconn.ErrForeign, db.path, err)
			}
			return nil, err
		}
	}
	return &conn{Conn: c, file: f, stop: stop}, nil
}

// removeEmptyWAL removes an empty write-ahead log and its index that reading has left beside
// the file. Only a connection that may write can do so.
func (db *DB) removeEmptyWAL() {
	if db.file == nil || db.readOnly && db.file.sidecars.logSize >= 0 {
		return
	}
	if db.sidecarsOf(db.file.info).logSize != 0 {
		return
	}
	// SQLite removes them when the last connection closes.
	c, err := lite.OpenConn(db.path, lite.OpenReadWrite)
	if err != nil {
		return
	}
	if err := sqlconn.Each(c, "SELECT 1 FROM sqlite_schema", nil); err != nil {
		db.log.Debug("log not removed", "error", err)
	}
	c.Close()
}
