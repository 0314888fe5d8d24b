package objects

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// follower is an eventbus.Follower. An event is known if the store has dated its object base or
// earlier, or if the hash of its key is in known. base follows the newest date at a distance of
// lateness, as that of a tracker does.
type follower struct {
	*Bus
	namespace string
	base      time.Time
	known     map[uint64]time.Time // the store's date by the hash of the key
	after     string               // the key behind which a call lists
	swept     time.Time            // when all keys were listed last, by the Bus's clock
}

// Follow implements eventbus.Bus. It lists the keys of all events of the namespace; the Follower
// lists those of the last minutes, and every few minutes all.
func (b *Bus) Follow(ctx context.Context, namespace string) (eventbus.Follower, error) {
	if err := CheckNamespace(namespace); err != nil {
		return nil, err
	}
	f := &follower{Bus: b, namespace: namespace, known: map[uint64]time.Time{}}
	_, err := f.list(ctx)
	return f, err
}

// New implements eventbus.Follower.
func (f *follower) New(ctx context.Context) ([]format.Event, error) {
	fresh, err := f.list(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*format.Event, len(fresh))
	err = each(ctx, len(fresh), func(ctx context.Context, i int) (err error) {
		found[i], err = f.event(ctx, fresh[i].Key)
		if err != nil && f.skip(err) {
			err = nil
		}
		return err
	})
	if err != nil {
		for i := range fresh { // they are new to the next call
			delete(f.known, maphash.String(f.seed, fresh[i].Key))
		}
		f.swept = time.Time{}
		return nil, err
	}
	events := make([]format.Event, 0, len(found))
	for _, e := range found {
		if e != nil {
			events = append(events, *e)
		}
	}
	return events, nil
}

// list lists the keys that are new, in their order, and makes them known.
func (f *follower) list(ctx context.Context) ([]eventKey, error) {
	now := f.now()
	sweep := f.swept.IsZero() || now.Sub(f.swept) >= sweepInterval || now.Before(f.swept)
	after := f.after
	if sweep {
		after = ""
	}
	var listed []eventKey // those that base does not make known
	var newest, dated time.Time
	err := f.listEvents(ctx, f.namespace, after, func(k eventKey) error {
		newest, dated = later(newest, k.createdAt.Time), later(dated, k.Modified)
		if k.Modified.After(f.base) {
			listed = append(listed, k)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var fresh []eventKey
	for _, k := range listed {
		hash := maphash.String(f.seed, k.Key)
		if _, known := f.known[hash]; !known {
			f.known[hash] = k.Modified
			fresh = append(fresh, k)
		}
	}
	if newest.IsZero() || newest.After(now) { // a sender's clock is ahead, or nothing was sent
		newest = now
	}
	f.after = format.EventKeyFrom(f.namespace, newest.Add(-lateness))
	if sweep {
		f.swept = now
		f.settle(later(f.base, earlier(dated, now).Add(-lateness)))
	}
	return fresh, nil
}

// settle moves base forward, and drops what follows from it.
func (f *follower) settle(base time.Time) {
	f.base = base
	for hash, dated := range f.known {
		if !dated.After(base) {
			delete(f.known, hash)
		}
	}
}
