package objects

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// findClaims learns which open events have claims that this process does not know, if there are
// enough of them for a listing. While others win much of what is tried, it is mostly they who have
// made them.
func (t *tracker) findClaims(ctx context.Context, now time.Time) error {
	if time.Since(t.claimsAsked) < worthClaims*t.claimsTook {
		return nil
	}
	least, most, count := everyKey, "", 0
	for id, e := range t.open {
		if e.claim == nil && !e.look && !e.next.After(now) {
			least, most, count = min(least, id), max(most, id), count+1
		}
	}
	if count < listClaimsFrom*(1+t.claims/claimsPage) {
		return nil
	}
	t.claimsAsked, t.claims = time.Now(), 0
	defer func() { t.claimsTook = time.Since(t.claimsAsked) }()
	prefix := format.ClaimsPrefix + t.namespace + "/"
	err := objstore.ListFrom(ctx, t.bucket, prefix, prefix+least, func(o objstore.Object) error {
		t.claims++
		id, _, _ := strings.Cut(o.Key[len(prefix):], "/")
		if id > most {
			return errStop
		}
		if e := t.open[id]; e != nil && e.claim == nil && !e.look && o.Key == format.ClaimKey(t.namespace, id, t.handler) {
			if e.look = true; t.crowded() {
				e.lost(now)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("list claims: %w", err)
	}
	return nil
}

// prepare makes events ready: those without a claim first, and the older ones first. It reads more
// than the limit, so that there is a choice; while others win much of what is tried, only what can be
// tried next, and any. progress is true if it did more than to look again at what others have.
func (t *tracker) prepare(ctx context.Context, limit int, now time.Time) (progress bool, err error) {
	var todo []*openEvent
	n := limit + readAhead
	for _, e := range t.open {
		switch {
		case e.next.After(now):
		case !e.ready():
			todo = append(todo, e)
		case t.crowded():
			n--
		}
	}
	if t.crowded() {
		n -= readAhead
		rand.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	} else {
		slices.SortFunc(todo, func(x, y *openEvent) int { return strings.Compare(x.key, y.key) })
	}
	todo = append(looking(todo, false), looking(todo, true)...)
	todo = todo[:min(max(n, 0), len(todo))]
	progress = slices.ContainsFunc(todo, func(e *openEvent) bool { return e.looks == 0 })
	gone := make([]bool, len(todo))
	err = each(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		gone[i], err = t.makeReady(ctx, todo[i], now)
		return err
	})
	for i, e := range todo {
		if gone[i] {
			t.forget(e)
		}
	}
	return progress, err
}

// crowded reports whether others win much of what is tried.
func (t *tracker) crowded() bool {
	const some, share = 4, 8 // fewer, or less than one of so many, may be by chance
	return t.lost >= some && t.lost*share > t.won
}

// tried notes the outcome of attempts.
func (t *tracker) tried(won, lost int) {
	const late = 200 // attempts
	if t.won += won; t.won+t.lost > late {
		t.won, t.lost = t.won/2, t.lost/2
	}
	t.lost += lost
}

// looking are the events with a claim to be looked at, or those without, in their order.
func looking(all []*openEvent, look bool) []*openEvent {
	return slices.DeleteFunc(slices.Clone(all), func(e *openEvent) bool { return e.look != look })
}

// makeReady looks at the claim of an event, if there is one, and reads the event. gone is true if it
// is not open any more. It is ready afterwards, or there is nothing to do for a while.
func (t *tracker) makeReady(ctx context.Context, e *openEvent, now time.Time) (gone bool, err error) {
	if e.look {
		done, err := t.lookAt(ctx, e)
		if err != nil || done || e.look {
			return done, err
		}
		if !eventbus.Free(e.claim, now) {
			e.lost(now)
			return false, nil
		}
	}
	if e.read {
		return false, nil
	}
	event, err := t.event(ctx, e.key)
	if err != nil && !t.damage.Skip(err) {
		return false, err
	}
	if event == nil || !slices.Contains(t.types, event.Type) {
		return true, nil
	}
	e.Event, e.read, e.looks = *event, true, 0
	e.Payload = nil
	return false, nil
}

// lookAt reads the claim of an event. done is true if the handler will not get it again; a dead
// letter that another worker did not finish is finished then.
func (t *tracker) lookAt(ctx context.Context, e *openEvent) (done bool, err error) {
	key := format.ClaimKey(t.namespace, e.ID, t.handler)
	c, v, err := t.claim(ctx, key)
	if err != nil {
		if !t.damage.Skip(err) {
			return false, err
		}
		e.next = t.now().Add(damageInterval)
		return false, nil
	}
	e.claim, e.version, e.look, e.next = c, v, false, time.Time{}
	if c == nil || !eventbus.Done(c) {
		return false, nil
	}
	if c.DeadLetteredAt != nil {
		if err := t.bury(ctx, t.namespace, e.key, c); err != nil {
			return false, err
		}
	}
	return true, nil
}
