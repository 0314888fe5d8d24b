package check

import (
	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/sqlite/writelock"
)

// checkLock checks the rows of the lock: their times must be valid, and their owner must not
// be gone.
func (c *checker) checkLock() error {
	const check, table = "lock", "locks"
	if !c.has(table) {
		return nil
	}
	return c.query(`SELECT rowid, lock_name, owner_id, acquired_at, expires_at FROM locks ORDER BY lock_name`, func(row *lite.Stmt) {
		id, owner := row.ColumnInt64(0), row.ColumnText(2)
		if name := row.ColumnText(1); name != writelock.Name {
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
		lock := writelock.Decode(row)
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
