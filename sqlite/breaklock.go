package sqlite

import (
	"cmp"
	"context"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
	"github.com/ontosql/ontosql/writepath"
)

// ReadLock reads the write lock of the ontology in the file at path; nil if there is none. The
// error is that of Check.
func ReadLock(ctx context.Context, path string) (seen *writepath.ObservedLock, err error) {
	err = ReadFile(ctx, path, func(c *lite.Conn) error {
		seen, err = writelock.Read(c)
		return err
	})
	return seen, sqlconn.StorageError("read lock", err)
}

// BreakLock releases the write lock on behalf of its owner, if it still has the given token
// (writepath.ObservedLock); otherwise the error is writepath.ErrLockChanged. It returns the
// broken lock.
func BreakLock(ctx context.Context, path, token string) (*writepath.ObservedLock, error) {
	if _, err := ReadLock(ctx, path); err != nil {
		return nil, err // before the file is opened for writing
	}
	w, err := sqlconn.OpenWriter(path)
	if err != nil {
		return nil, err
	}
	defer w.Close() // rolls back an uncommitted transaction
	w.SetInterrupt(ctx.Done())
	w.SetBusyTimeout(breakWait)
	if err := w.Exec("BEGIN IMMEDIATE"); err != nil {
		return nil, sqlconn.StorageError("break lock", cmp.Or(context.Cause(ctx), err))
	}
	seen, err := writelock.Read(w.Conn)
	if err == nil {
		err = seen.Check(token)
	}
	if err == nil {
		err = w.Exec("DELETE FROM locks WHERE lock_name = ?", writelock.Name)
	}
	if err == nil {
		err = w.Exec("COMMIT")
	}
	if err != nil {
		return nil, sqlconn.StorageError("break lock", err)
	}
	return seen, nil
}

// breakWait is how long BreakLock waits for a transaction of another process.
const breakWait = 5 * time.Second

// ReadFile runs f in one read transaction on the file at path, without writing to it. f may
// run again if another process had the file locked. Errors are those of SQLite and of DB.Pin.
func ReadFile(ctx context.Context, path string, f func(*lite.Conn) error) error {
	db, err := Open(Options{Path: path, ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Read(ctx, f)
}
