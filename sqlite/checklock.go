package sqlite

import (
	"cmp"
	"context"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// checkLock looks at the rows of the lock: times that can be read and compared,
// and nobody's who is gone.
func (c *checker) checkLock() error {
	const check, table = "lock", "locks"
	if !c.has(table) {
		return nil
	}
	return c.query(`SELECT rowid, lock_name, owner_id, acquired_at, expires_at FROM locks ORDER BY lock_name`, func(row *lite.Stmt) {
		id, owner := row.ColumnInt64(0), row.ColumnText(2)
		if name := row.ColumnText(1); name != lockName {
			c.add(check, SeverityWarning, table, id, "nobody knows a lock named %q", name)
			return
		}
		readable := true
		for i, column := range []string{"acquired_at", "expires_at"} {
			if text := row.ColumnText(3 + i); !storedTime.MatchString(text) {
				c.add(check, SeverityError, table, id, "%s is %q, which the original cannot compare", column, text)
				readable = false
			}
		}
		if !readable {
			return
		}
		lock := decodedLock(row)
		switch {
		case owner == "":
			c.add(check, SeverityError, table, id, "nobody owns it")
		case lock.ExpiresAt.Before(lock.AcquiredAt.Time):
			c.add(check, SeverityError, table, id, "it expires before it was acquired")
		case lock.Expired(c.now):
			c.add(check, SeverityWarning, table, id, "%s left it behind; it expired at %s, and the next writer takes it", owner, lock.ExpiresAt)
		}
	})
}

// decodedLock is the lock of a row (.., .., owner_id, acquired_at, expires_at). A
// time that cannot be read is zero.
func decodedLock(row *lite.Stmt) format.Lock {
	acquired, _ := format.ParseTime(row.ColumnText(3))
	expires, _ := format.ParseTime(row.ColumnText(4))
	return format.Lock{
		OwnerID: row.ColumnText(2), AcquiredAt: acquired, ExpiresAt: expires,
		LeaseTTLms: expires.Sub(acquired.Time).Milliseconds(),
	}
}

// ReadLock is the write lock of the ontology in the file at path as it stands, nil
// where there is none. The error is that of Check.
func ReadLock(ctx context.Context, path string) (seen *writepath.SeenLock, err error) {
	err = reading(ctx, path, func(c *conn) error {
		seen, err = lockOf(c)
		return err
	})
	return seen, storageError("read lock", err)
}

// lockOf reads the row of the write lock, nil for none. Its version is what a
// renewal changes.
func lockOf(c *conn) (*writepath.SeenLock, error) {
	t, err := readTables(c)
	if err != nil || t["locks"] == nil {
		return nil, err
	}
	var seen *writepath.SeenLock
	err = each(c.Conn, `SELECT rowid, lock_name, owner_id, acquired_at, expires_at FROM locks WHERE lock_name = ?`, func(row *lite.Stmt) error {
		seen = &writepath.SeenLock{Lock: decodedLock(row), Version: row.ColumnText(3) + " " + row.ColumnText(4)}
		return nil
	}, lockName)
	return seen, err
}

// BreakLock takes the write lock away from its owner, if it is still the one that
// token was made of (writepath.SeenLock); else the error is
// writepath.ErrLockChanged. It returns the lock that was broken.
func BreakLock(ctx context.Context, path, token string) (*writepath.SeenLock, error) {
	if _, err := ReadLock(ctx, path); err != nil {
		return nil, err // before anything is opened for writing
	}
	w, err := openWriter(path)
	if err != nil {
		return nil, err
	}
	defer w.Close() // which rolls back what is not committed
	w.SetInterrupt(ctx.Done())
	w.SetBusyTimeout(breakWait)
	if err := w.exec("BEGIN IMMEDIATE"); err != nil {
		return nil, storageError("break lock", cmp.Or(context.Cause(ctx), err))
	}
	seen, err := lockOf(&conn{Conn: w.Conn})
	if err == nil {
		err = seen.Check(token)
	}
	if err == nil {
		err = w.exec("DELETE FROM locks WHERE lock_name = ?", lockName)
	}
	if err == nil {
		err = w.exec("COMMIT")
	}
	if err != nil {
		return nil, storageError("break lock", err)
	}
	return seen, nil
}

// breakWait is how long BreakLock waits for a transaction of another process.
const breakWait = 5 * time.Second
