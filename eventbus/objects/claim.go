package objects

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Claim implements eventbus.Bus. An event that another process has given back before the end of its
// lease is noticed after lookInterval, or after as long again as it was not looked at; one that
// arrives with a created_at that is more than lateness old, after at most sweepInterval. The order is
// that of the events that were read: of those that a worker finds when it begins, each claim reads
// readAhead more than it takes. If more than maxOpen events are open, it is that of the oldest ones.
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
	arrived := t.takeArrived(now)
	var taken []eventbus.Delivery
	var err error
	if time.Since(t.asked) >= worthList*t.took || !t.hasMany(now) {
		taken, err = t.takeAndRefresh(ctx, &r, arrived, now)
	}
	if err == nil {
		taken, err = t.take(ctx, &r, taken)
	}
	if err != nil && len(taken) == 0 {
		return nil, fmt.Errorf("claim: %w", err)
	}
	return taken, nil
}

// takeAndRefresh lists what is new. If some has arrived from this process, it claims what is ready
// meanwhile, which takes a round trip less, unless so many are ready as may be taken: what is
// listed is taken with them. If more is listed than can be taken, they may come before a listed event
// of greater priority; it was sent after the last listing, which therefore must not be long ago.
func (t *tracker) takeAndRefresh(ctx context.Context, r *eventbus.Request, arrived bool, now time.Time) (taken []eventbus.Delivery, err error) {
	var ready []*openEvent
	if arrived && !t.crowded() && time.Since(t.asked) <= orderTime {
		ready = t.due(r.Limit, now)
	}
	if len(ready) == 0 || len(ready) == r.Limit {
		return nil, t.refresh(ctx, now)
	}
	found := make(chan []attempt, 1)
	var failed error
	go func() {
		var all []attempt
		all, failed = t.attemptAll(ctx, r, ready, now) // it changes other fields than the listing
		found <- all
	}()
	err = t.refresh(ctx, now)
	taken = t.settle(ready, <-found, now)
	return taken, cmp.Or(err, failed)
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

// due are the first n events that are ready, in their order. While others win much of what is tried,
// it is any of those with the greatest priority: of several workers that begin at the same event only
// one gets it.
func (t *tracker) due(n int, now time.Time) []*openEvent {
	order := func(x, y *openEvent) int { return eventbus.Compare(&x.Event, &y.Event) }
	if t.crowded() {
		order = func(x, y *openEvent) int { return cmp.Compare(y.Priority, x.Priority) }
	}
	due := make([]*openEvent, 0, n)
	for _, e := range t.open { // at random
		if !e.ready() || e.next.After(now) || len(due) == n && order(e, due[n-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(due, e, order)
		due = slices.Insert(due[:min(len(due), n-1)], at, e)
	}
	return due
}

// take claims free events, after those that were taken before, until it has as many as it may, or none
// is left. While others win much of what is tried, it is content with less.
func (t *tracker) take(ctx context.Context, r *eventbus.Request, taken []eventbus.Delivery) ([]eventbus.Delivery, error) {
	early := len(taken) > 0
	for len(taken) < r.Limit && (len(taken) == 0 || !t.crowded()) {
		now := t.now()
		if t.fresh >= listClaimsFrom || t.crowded() {
			t.fresh = 0
			if err := t.findClaims(ctx, now); err != nil {
				return taken, err
			}
		}
		progress, err := t.prepare(ctx, r.Limit-len(taken), now)
		if err != nil {
			return taken, err
		}
		due := t.due(r.Limit-len(taken), now)
		if len(due) == 0 {
			if !progress {
				break
			}
			continue
		}
		found, err := t.attemptAll(ctx, r, due, now)
		taken = append(taken, t.settle(due, found, now)...)
		if err != nil {
			return taken, err
		}
	}
	if early {
		slices.SortFunc(taken, func(x, y eventbus.Delivery) int { return eventbus.Compare(&x.Event, &y.Event) })
	}
	return taken, nil
}

// attemptAll tries to claim events, several at a time.
func (t *tracker) attemptAll(ctx context.Context, r *eventbus.Request, batch []*openEvent, now time.Time) (found []attempt, err error) {
	found = make([]attempt, len(batch))
	err = each(ctx, len(batch), func(others context.Context, i int) (err error) {
		if others.Err() != nil {
			return nil // one has failed; what others have begun, they end
		}
		found[i], err = t.attempt(ctx, r, batch[i], now)
		return err
	})
	return found, err
}

// settle notes what attempts have found, and returns what they have won.
func (t *tracker) settle(batch []*openEvent, found []attempt, now time.Time) (won []eventbus.Delivery) {
	for _, a := range found {
		if a.delivery != nil {
			won = append(won, *a.delivery)
		}
	}
	t.tried(len(won), len(batch)-len(won))
	for i, a := range found {
		switch {
		case a.gone:
			t.forget(batch[i])
		case a.lost && t.crowded():
			batch[i].lost(now)
		}
	}
	return won
}

// attempt is what came of trying to claim one event.
type attempt struct {
	delivery *eventbus.Delivery // nil if it was not free
	gone     bool               // the event is not open any more
	lost     bool               // somebody else has claimed it
}

// attempt claims an event that is ready, unless somebody else was faster.
func (t *tracker) attempt(ctx context.Context, r *eventbus.Request, e *openEvent, now time.Time) (attempt, error) {
	c := r.Take(e.ID, e.claim, now)
	first := e.claim == nil
	v, won, err := t.swapClaim(ctx, format.ClaimKey(t.namespace, e.ID, t.handler), e.version, c)
	if err != nil && t.damage.Skip(err) {
		return attempt{gone: true}, nil
	}
	if err != nil || !won {
		e.look, e.next = true, now
		return attempt{lost: err == nil}, err
	}
	e.claim, e.version, e.look, e.looks, e.next = c, v, true, 0, c.LeaseUntil.Time
	t.leases.put(t.namespace, c, v)
	return t.deliver(ctx, e, first)
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
