package events

import (
	"context"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// The namespace of a lease does not matter here: the table of claims has none.

// Ack implements eventbus.Bus.
func (b *Bus) Ack(ctx context.Context, l eventbus.Lease) (bool, error) {
	c, done, err := b.change(ctx, "acknowledge", &l, func(c format.Claim) *format.Claim { return eventbus.Ack(c, b.o.Now()) })
	return done || c != nil && l.Acked(c), err
}

// Extend implements eventbus.Bus.
func (b *Bus) Extend(ctx context.Context, l eventbus.Lease, lease time.Duration) (bool, error) {
	_, done, err := b.change(ctx, "extend lease", &l, func(c format.Claim) *format.Claim { return eventbus.Extend(c, b.o.Now(), lease) })
	return done, err
}

// Release implements eventbus.Bus.
func (b *Bus) Release(ctx context.Context, l eventbus.Lease, reason string) (eventbus.Released, error) {
	return b.Fail(ctx, l, reason, eventbus.MaxAttempts)
}

// Fail implements eventbus.Bus. The claim, the dead letter and its event are one transaction.
func (b *Bus) Fail(ctx context.Context, l eventbus.Lease, reason string, attempts int64) (eventbus.Released, error) {
	c, done, err := b.change(ctx, "release", &l, func(c format.Claim) *format.Claim { return eventbus.Release(c, b.o.Now(), reason, attempts) })
	if err != nil || !done {
		return eventbus.Released{}, err
	}
	return eventbus.ReleasedTo(c), nil
}

// change replaces a claim that is l's, and not done. Otherwise changed is false, and c is the claim
// that is there, nil for none.
func (b *Bus) change(ctx context.Context, doing string, l *eventbus.Lease, to func(format.Claim) *format.Claim) (c *format.Claim, changed bool, err error) {
	for _, name := range [][2]string{{"event id", l.Event}, {"handler", l.Handler}} {
		if err := eventbus.CheckName(name[0], name[1]); err != nil {
			return nil, false, err
		}
	}
	err = b.write(ctx, doing, func(w *sqlconn.Writer) error {
		c, changed = nil, false
		err := w.Each("SELECT "+claimColumns+" FROM event_claims AS c WHERE c.event_id = ? AND c.handler_id = ?", func(row *lite.Stmt) (err error) {
			c, err = readClaim(row, 0)
			return err
		}, l.Event, l.Handler)
		if err != nil {
			if c = nil; b.skip(err) {
				return nil
			}
			return err
		}
		if c == nil || !l.Holds(c) {
			return nil
		}
		c, changed = to(*c), true
		if err := putClaim(w, c); err != nil || c.DeadLetteredAt == nil {
			return err
		}
		return b.bury(w, c)
	})
	if err != nil {
		return nil, false, err
	}
	return c, changed, nil
}

// bury writes the dead letter of a claim, and the event that tells of it, unless the event of the
// claim is gone.
func (b *Bus) bury(w *sqlconn.Writer, c *format.Claim) error {
	var e *format.Event
	err := w.Each("SELECT "+eventColumns+" FROM events AS e WHERE e.id = ?", func(row *lite.Stmt) error {
		read, err := readEvent(row, 0)
		if err != nil && !b.skip(err) {
			return err
		}
		e = &read // what could be read of a damaged one
		return nil
	}, c.EventID)
	if err != nil || e == nil {
		return err
	}
	letter, told := eventbus.DeadLetter(e, c)
	if told != nil {
		if err := Insert(w, []format.Event{*told}); err != nil {
			return err
		}
	}
	return w.Exec(`INSERT INTO dead_letters (event_id, handler_id, namespace, failed_at, attempts, last_error, event_type, event_payload, root_event_id, chain_depth)
		SELECT ?, ?, e.namespace, ?, ?, ?, e.type, e.payload, e.root_event_id, e.chain_depth FROM events AS e WHERE e.id = ?`,
		letter.EventID, letter.HandlerID, letter.FailedAt.String(), letter.Attempts, letter.LastError, letter.EventID)
}
