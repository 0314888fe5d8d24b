package sqlite

import (
	"errors"
	"fmt"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

// lockName is the one row that the table locks has (COMPAT 4.3).
const lockName = "ontology_write"

// currentLock is the write lock as it stands, nil where nobody has it. A time that
// cannot be read is the zero Time, so that the lock counts as expired.
func currentLock(w *sqlconn.Writer) (*format.Lock, error) {
	if there, err := w.HasTable("locks"); err != nil || !there {
		return nil, err // a file from before there were locks
	}
	var seen *format.Lock
	err := w.Each("SELECT owner_id, acquired_at, expires_at FROM locks WHERE lock_name = ?", func(row *lite.Stmt) error {
		seen = &format.Lock{OwnerID: row.ColumnText(0)}
		seen.AcquiredAt, _ = format.ParseTime(row.ColumnText(1))
		seen.ExpiresAt, _ = format.ParseTime(row.ColumnText(2))
		return nil
	}, lockName)
	return seen, err
}

// lock is the lock row as one Committer takes it. Where nobody else holds it, a
// single commit needs no row of its own: its transaction keeps everybody out. A
// Reservation does, because it lasts over several.
type lock struct {
	owner string
	ttl   time.Duration
	now   func() time.Time

	held  *format.Lock // nil while we have no row
	renew time.Time    // when the lease wants a new end
}

// errTaken: the row is not ours any more.
var errTaken = errors.New("another writer has the lock")

// admit is called at the beginning of a transaction that writes. The error is a
// *writepath.LeaseHeldError where another writer holds the lock; an expired row
// is removed, so that its owner sees that somebody passed.
func (l *lock) admit(w *sqlconn.Writer) error {
	seen, err := currentLock(w)
	if err != nil {
		return err
	}
	if l.held != nil {
		if seen == nil || seen.OwnerID != l.owner {
			return fmt.Errorf("%w: %w", writepath.ErrLeaseLost, errTaken)
		}
		return nil
	}
	if err := l.blocks(seen); err != nil || seen == nil {
		return err
	}
	return w.Exec("DELETE FROM locks WHERE lock_name = ?", lockName)
}

// blocks is a *writepath.LeaseHeldError where another writer holds the lock. Our
// own row, which we do not know to hold, is what became of one that could not be
// removed.
func (l *lock) blocks(seen *format.Lock) error {
	if seen == nil || seen.OwnerID == l.owner || seen.Expired(l.now()) {
		return nil
	}
	return &writepath.LeaseHeldError{Owner: seen.OwnerID, Until: seen.ExpiresAt.Time}
}

// take writes the row, in a transaction that was admitted. It counts once that is
// committed.
func (l *lock) take(w *sqlconn.Writer) (*format.Lock, error) {
	at := l.now()
	row := &format.Lock{AcquiredAt: format.TimeOf(at), ExpiresAt: format.TimeOf(at.Add(l.ttl)), OwnerID: l.owner}
	err := w.Exec("INSERT INTO locks (lock_name, owner_id, acquired_at, expires_at) VALUES (?, ?, ?, ?)",
		lockName, row.OwnerID, row.AcquiredAt.String(), row.ExpiresAt.String())
	return row, err
}

// extend gives the lease a new end, in a transaction of its own. Whoever passed the lease after it had expired
// has removed the row, so that as long as it stands nobody has.
func (l *lock) extend(w *sqlconn.Writer) error {
	at := l.now()
	until := format.TimeOf(at.Add(l.ttl))
	err := w.Exec("UPDATE locks SET expires_at = ? WHERE lock_name = ? AND owner_id = ?", until.String(), lockName, l.owner)
	if err != nil {
		return err
	}
	if w.Changes() == 0 {
		return fmt.Errorf("%w: %w", writepath.ErrLeaseLost, errTaken)
	}
	l.hold(&format.Lock{AcquiredAt: l.held.AcquiredAt, ExpiresAt: until, OwnerID: l.owner})
	return nil
}

// hold remembers the row as it is committed.
func (l *lock) hold(row *format.Lock) {
	l.held, l.renew = row, l.now().Add(l.ttl/3)
}

// release removes the row.
func (l *lock) release(w *sqlconn.Writer) error {
	l.held = nil
	return w.Exec("DELETE FROM locks WHERE lock_name = ? AND owner_id = ?", lockName, l.owner)
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

// lockOf reads the row of the write lock, nil for none. Its version is what a
// renewal changes.
func lockOf(c *lite.Conn) (*writepath.SeenLock, error) {
	t, err := dbschema.Read(c)
	if err != nil || t["locks"] == nil {
		return nil, err
	}
	var seen *writepath.SeenLock
	err = sqlconn.Each(c, `SELECT rowid, lock_name, owner_id, acquired_at, expires_at FROM locks WHERE lock_name = ?`, func(row *lite.Stmt) error {
		seen = &writepath.SeenLock{Lock: decodedLock(row), Version: row.ColumnText(3) + " " + row.ColumnText(4)}
		return nil
	}, lockName)
	return seen, err
}
