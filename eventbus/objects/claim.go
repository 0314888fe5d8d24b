package objects

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Claim implements eventbus.Bus. An event that another process has given back before the end of its
// lease is noticed after at most lookInterval; one that arrives with a created_at that is more than
// lateness old, after at most sweepInterval. If more than maxOpen events are open, the order is that
// of the oldest ones.
func (b *Bus) Claim(ctx context.Context, r eventbus.Request) ([]eventbus.Delivery, error) {
	if err := b.checkRequest(&r); err != nil {
		return nil, err
	}
	if len(r.Types) == 0 {
		return nil, nil
	}
	t := b.tracker(&r)
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("claim: %w", objstore.ContextError(ctx))
	}
	defer func() { <-t.turn }()
	now := b.now()
	t.takeNotes()
	if time.Since(t.asked) >= worthList*t.took || !t.hasMany(now) {
		if err := t.refresh(ctx, now); err != nil {
			return nil, fmt.Errorf("claim: %w", err)
		}
	}
	taken, err := t.take(ctx, &r, now)
	if err != nil && len(taken) == 0 {
		return nil, fmt.Errorf("claim: %w", err)
	}
	return taken, nil
}

func (b *Bus) checkRequest(r *eventbus.Request) error {
	if err := CheckNamespace(r.Namespace); err != nil {
		return err
	}
	if err := checkHandler(r.Namespace, r.Handler); err != nil {
		return err
	}
	r.Limit = cmp.Or(r.Limit, eventbus.DefaultLimit)
	return eventbus.CheckName("session", r.Session)
}

func checkHandler(namespace, handler string) error {
	return checkKey("handler", handler, format.ClaimKey(namespace, someID, handler))
}

// hasMany reports whether manyDue events may be free.
func (t *tracker) hasMany(now time.Time) bool {
	n := 0
	for _, e := range t.open {
		if !e.next.After(now) {
			n++
		}
	}
	return n >= manyDue
}

// due are the events that may be free, in their order.
func (t *tracker) due(now time.Time) []*openEvent {
	var due []*openEvent
	for _, e := range t.open {
		if !e.next.After(now) {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(x, y *openEvent) int { return eventbus.Compare(&x.Event, &y.Event) })
	return due
}

// spread begins the events of the greatest priority at a random one. Of several workers that begin at
// the same event only one gets it.
func spread(due []*openEvent) {
	same := slices.IndexFunc(due, func(e *openEvent) bool { return e.Priority != due[0].Priority })
	if same < 0 {
		same = len(due)
	}
	from := rand.IntN(same)
	first := slices.Clone(due[:from])
	copy(due, due[from:same])
	copy(due[same-from:same], first)
}

// take claims free events in their order, several at a time. While others win most of them it begins
// anywhere among those of the same priority.
func (t *tracker) take(ctx context.Context, r *eventbus.Request, now time.Time) ([]eventbus.Delivery, error) {
	due := t.due(now)
	var taken []eventbus.Delivery
	for len(taken) < r.Limit && len(due) > 0 {
		if t.crowded {
			spread(due)
		}
		batch := due[:min(len(due), r.Limit-len(taken))]
		due = due[len(batch):]
		found := make([]attempt, len(batch))
		err := each(ctx, len(batch), func(others context.Context, i int) (err error) {
			if others.Err() != nil {
				return nil // one has failed; what others have begun, they end
			}
			found[i], err = t.attempt(ctx, r, batch[i], now)
			return err
		})
		won := 0
		for i, a := range found {
			if a.gone {
				t.forget(batch[i])
			}
			if a.delivery != nil {
				taken = append(taken, *a.delivery)
				won++
			}
		}
		t.crowded = won*2 < len(batch)
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}

// attempt is what came of trying to claim one event.
type attempt struct {
	delivery *eventbus.Delivery // nil if it was not free
	gone     bool               // the event is not open any more
}

// attempt claims an event, if it is free.
func (t *tracker) attempt(ctx context.Context, r *eventbus.Request, e *openEvent, now time.Time) (attempt, error) {
	key := format.ClaimKey(t.namespace, e.ID, t.handler)
	const tries = 3 // a claim that changes more often has other workers enough
	for range tries {
		if e.look {
			done, err := t.lookAt(ctx, e)
			if err != nil || done {
				return attempt{gone: done}, err
			}
			if e.look { // damaged
				return attempt{}, nil
			}
		}
		if !eventbus.Free(e.claim, now) {
			e.look, e.next = true, earlier(eventbus.FreeAt(e.claim), now.Add(lookInterval))
			return attempt{}, nil
		}
		c := r.Take(e.ID, e.claim, now)
		first := e.claim == nil
		v, won, err := t.swapClaim(ctx, key, e.version, c)
		if err != nil || !won {
			e.look, e.next = true, now
			if err != nil {
				return attempt{}, err
			}
			continue
		}
		e.claim, e.version, e.look, e.next = c, v, true, c.LeaseUntil.Time
		return t.deliver(ctx, e, first)
	}
	e.next = now.Add(lookInterval)
	return attempt{}, nil
}

// deliver reads the event of a claim that was just made. A cleanup removes an event before its
// claims: if the event is still there after the first claim was made, there was no other one that
// the cleanup has removed, and nobody has handled the event before.
func (t *tracker) deliver(ctx context.Context, e *openEvent, first bool) (attempt, error) {
	event, err := t.currentEvent(ctx, e.key)
	if err != nil && !t.damage.Skip(err) {
		return attempt{}, err // the lease ends by itself
	}
	if event == nil {
		if first {
			_ = t.bucket.DeleteIf(ctx, format.ClaimKey(t.namespace, e.ID, t.handler), e.version) // or a cleanup does it
		}
		return attempt{gone: true}, nil
	}
	return attempt{delivery: &eventbus.Delivery{
		Event: *event, Lease: eventbus.LeaseOf(t.namespace, e.claim), Until: e.claim.LeaseUntil, Attempts: e.claim.Attempts,
	}}, nil
}
