package commit

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

var errReservationEnded = errors.New("a commit under the reservation failed")

// Reserve waits for the write lock like a transaction, up to lockTimeout (0: the Committer's),
// and holds it by a row in the table locks, whose lease is renewed. Meanwhile no writer that
// respects the lock commits, and other transactions of this Committer wait, each for its own
// lock timeout. It ends with Release, which the caller must call; with ctx; if the lease is
// lost; if a commit under it fails for a reason other than the transaction itself; and when
// the Committer is closed. Errors are those of Commit.
func (c *Committer) Reserve(ctx context.Context, lockTimeout time.Duration) (*writepath.Reservation, error) {
	return c.queue.Reserve(&pending{Pending: writepath.NewReserving(ctx, lockTimeout)})
}

// waiterCheckInterval is how often waiting transactions are checked for expiry during a
// reservation.
const waiterCheckInterval = 20 * time.Millisecond

// reserve serves a reservation, beginning in the given transaction, until it ends.
func (c *Committer) reserve(p *pending) {
	row, err := c.lock.Take(c.writer)
	if err == nil {
		err = c.writer.Exec("COMMIT")
	}
	if err != nil {
		p.Finish(writepath.Outcome{}, c.fail("take the write lock", err))
		return
	}
	c.lock.Hold(row)
	c.queue.EndReservation(c.serveReserved(c.queue.StartReservation(p)))
	c.releaseLock()
}

// serveReserved commits the transactions of a reservation until it ends, and returns the
// reason unless its holder released it.
func (c *Committer) serveReserved(r *writepath.Reservation) error {
	tick := time.NewTicker(waiterCheckInterval)
	defer tick.Stop()
	for {
		if group := c.queue.Take(maxGroup); len(group) > 0 {
			if err := c.commitReserved(group); err != nil {
				return err
			}
			continue
		}
		if _, closed := c.queue.State(); closed {
			return writepath.ErrClosed
		}
		if r.Context().Err() != nil {
			return nil
		}
		if !c.o.Now().Before(c.lock.RenewAt) {
			if err := c.renew(); err != nil {
				return err
			}
		}
		c.queue.Expire(&writepath.LeaseHeldError{Owner: c.lock.Owner, Until: c.lock.Held.ExpiresAt.Time})
		select {
		case <-c.queue.Wake():
		case <-r.Context().Done():
		case <-tick.C:
		}
	}
}

// commitReserved commits a group under the reservation. An error ends the reservation.
func (c *Committer) commitReserved(group []*pending) error {
	for {
		err := c.tryBegin(false)
		if err == nil {
			if !c.decide(group) {
				return errReservationEnded
			}
			return nil
		}
		if late := group[0].Late(c.o.Now()); sqlconn.IsBusy(err) && !late && sleep(c.queue.Context(), lockPollInterval) == nil {
			continue
		}
		for _, p := range group {
			p.Finish(writepath.Outcome{}, err)
		}
		return errors.Join(err, errReservationEnded)
	}
}

// renew extends the lease. While another connection blocks it is retried, as long as no other
// writer can have taken the lock.
func (c *Committer) renew() error {
	w, err := c.connection()
	if err != nil {
		return err
	}
	w.SetBusyTimeout(sqlconn.BusyTimeout)
	err = c.lock.Extend(w)
	if err == nil || sqlconn.IsBusy(err) {
		return nil
	}
	if errors.Is(err, writepath.ErrLeaseLost) {
		return err
	}
	return c.fail("renew the write lock", err)
}

// releaseLock deletes the lock row. If that fails, the lock is free when it expires.
func (c *Committer) releaseLock() {
	w, err := c.connection()
	if err == nil {
		w.SetBusyTimeout(releaseTimeout)
		err = c.lock.Release(w)
	}
	c.lock.Held, c.baseline.cleanAt = nil, 0 // the row is checked by the next transaction
	if err != nil {
		c.o.Logger.Warn("lock not released", "error", err)
	}
}
