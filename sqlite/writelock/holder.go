package writelock

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

// Name is the one row that the table locks has (COMPAT 4.3).
const Name = "ontology_write"

// Current is the write lock as it stands, nil where nobody has it. A time that
// cannot be read is the zero Time, so that the lock counts as expired.
func Current(w *sqlconn.Writer) (*format.Lock, error) {
	if there, err := w.HasTable("locks"); err != nil || !there {
		return nil, err // a file from before there were locks
	}
	var seen *format.Lock
	err := w.Each("SELECT owner_id, acquired_at, expires_at FROM locks WHERE lock_name = ?", func(row *lite.Stmt) error {
		seen = &format.Lock{OwnerID: row.ColumnText(0)}
		seen.AcquiredAt, _ = format.ParseTime(row.ColumnText(1))
		seen.ExpiresAt, _ = format.ParseTime(row.ColumnText(2))
		return nil
	}, Name)
	return seen, err
}

// Holder is the lock row as one Committer takes it. Where nobody else holds it, a
// single commit needs no row of its own: its transaction keeps everybody out. A
// Reservation does, because it lasts over several.
type Holder struct {
	Owner string
	TTL   time.Duration
	Now   func() time.Time

	Held    *format.Lock // nil while we have no row
	RenewAt time.Time    // when the lease wants a new end
}

// errTaken: the row is not ours any more.
var errTaken = errors.New("another writer has the lock")

// Admit is called at the beginning of a transaction that writes. The error is a
// *writepath.LeaseHeldError where another writer holds the lock; an expired row
// is removed, so that its owner sees that somebody passed.
func (l *Holder) Admit(w *sqlconn.Writer) error {
	seen, err := Current(w)
	if err != nil {
		return err
	}
	if l.Held != nil {
		if seen == nil || seen.OwnerID != l.Owner {
			return fmt.Errorf("%w: %w", writepath.ErrLeaseLost, errTaken)
		}
		return nil
	}
	if err := l.Blocks(seen); err != nil || seen == nil {
		return err
	}
	return w.Exec("DELETE FROM locks WHERE lock_name = ?", Name)
}

// Blocks is a *writepath.LeaseHeldError where another writer holds the lock. Our
// own row, which we do not know to hold, is what became of one that could not be
// removed.
func (l *Holder) Blocks(seen *format.Lock) error {
	if seen == nil || seen.OwnerID == l.Owner || seen.Expired(l.Now()) {
		return nil
	}
	return &writepath.LeaseHeldError{Owner: seen.OwnerID, Until: seen.ExpiresAt.Time}
}

// Take writes the row, in a transaction that was admitted. It counts once that is
// committed.
func (l *Holder) Take(w *sqlconn.Writer) (*format.Lock, error) {
	at := l.Now()
	row := &format.Lock{AcquiredAt: format.TimeOf(at), ExpiresAt: format.TimeOf(at.Add(l.TTL)), OwnerID: l.Owner}
	err := w.Exec("INSERT INTO locks (lock_name, owner_id, acquired_at, expires_at) VALUES (?, ?, ?, ?)",
		Name, row.OwnerID, row.AcquiredAt.String(), row.ExpiresAt.String())
	return row, err
}

// Extend gives the lease a new end, in a transaction of its own. Whoever passed the lease after it had expired
// has removed the row, so that as long as it stands nobody has.
func (l *Holder) Extend(w *sqlconn.Writer) error {
	at := l.Now()
	until := format.TimeOf(at.Add(l.TTL))
	err := w.Exec("UPDATE locks SET expires_at = ? WHERE lock_name = ? AND owner_id = ?", until.String(), Name, l.Owner)
	if err != nil {
		return err
	}
	if w.Changes() == 0 {
		return fmt.Errorf("%w: %w", writepath.ErrLeaseLost, errTaken)
	}
	l.Hold(&format.Lock{AcquiredAt: l.Held.AcquiredAt, ExpiresAt: until, OwnerID: l.Owner})
	return nil
}

// Hold remembers the row as it is committed.
func (l *Holder) Hold(row *format.Lock) {
	l.Held, l.RenewAt = row, l.Now().Add(l.TTL/3)
}

// Release removes the row.
func (l *Holder) Release(w *sqlconn.Writer) error {
	l.Held = nil
	return w.Exec("DELETE FROM locks WHERE lock_name = ? AND owner_id = ?", Name, l.Owner)
}

// Decode is the lock of a row (.., .., owner_id, acquired_at, expires_at). A
// time that cannot be read is zero.
func Decode(row *lite.Stmt) format.Lock {
	acquired, _ := format.ParseTime(row.ColumnText(3))
	expires, _ := format.ParseTime(row.ColumnText(4))
	return format.Lock{
		OwnerID: row.ColumnText(2), AcquiredAt: acquired, ExpiresAt: expires,
		LeaseTTLms: expires.Sub(acquired.Time).Milliseconds(),
	}
}

// Read reads the row of the write lock, nil for none. Its version is what a
// renewal changes.
func Read(c *lite.Conn) (*writepath.ObservedLock, error) {
	t, err := dbschema.Read(c)
	if err != nil || t["locks"] == nil {
		return nil, err
	}
	var seen *writepath.ObservedLock
	err = sqlconn.Each(c, `SELECT rowid, lock_name, owner_id, acquired_at, expires_at FROM locks WHERE lock_name = ?`, func(row *lite.Stmt) error {
		seen = &writepath.ObservedLock{Lock: Decode(row), Version: row.ColumnText(3) + " " + row.ColumnText(4)}
		return nil
	}, Name)
	return seen, err
}
