package commit

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/writepath"
)

var errReservationEnded = errors.New("a commit under the reservation failed")

// Reserve waits for the write lock as a transaction does, for lockTimeout at most
// (0: the Committer's), and keeps it by a row of the table locks, whose lease is
// renewed. Meanwhile nobody who respects the lock commits, and the other
// transactions of this Committer wait, each for its own lock timeout. It ends with
// Release, which the caller must call, with ctx, when the lease is lost, when a
// commit under it fails for another reason than the transaction itself, and when
// the Committer is closed. Errors are those of Commit.
func (c *Committer) Reserve(ctx context.Context, lockTimeout time.Duration) (*writepath.Reservation, error) {
	return c.queue.Reserve(&pending{Pending: writepath.NewReserving(ctx, lockTimeout)})
}

// waiterCheckInterval is how often those who wait for a reservation's end are looked at,
// whether their time is over.
const waiterCheckInterval = 20 * time.Millisecond

// reserve serves a reservation from the transaction that was begun for it to its
// end.
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

// serveReserved commits what carries the reservation until it ends, and says why
// it did where the holder did not end it.
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

// commitReserved decides a group under the reservation. The error says why that
// does not go on.
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

// renew gives the lease a new end. While another connection is in the way it is
// tried again, for as long as nobody can have passed.
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

// releaseLock removes the lock row. Where that fails, it is free when it expires.
func (c *Committer) releaseLock() {
	w, err := c.connection()
	if err == nil {
		w.SetBusyTimeout(releaseTimeout)
		err = c.lock.Release(w)
	}
	c.lock.Held, c.baseline.cleanAt = nil, 0 // whether the row is gone is looked at
	if err != nil {
		c.o.Logger.Warn("lock not given back", "error", err)
	}
}
