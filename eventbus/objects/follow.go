package objects

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// follower is an eventbus.Follower.
type follower struct {
	*Bus
	known
	namespace string
	arrived   int // how many of Bus.arrived were told
}

// Follow implements eventbus.Bus. It lists the keys of all events of the namespace; the Follower
// lists those of the last minutes, and every few minutes all.
func (b *Bus) Follow(ctx context.Context, namespace string) (eventbus.Follower, error) {
	if err := CheckNamespace(namespace); err != nil {
		return nil, err
	}
	f := &follower{Bus: b, namespace: namespace, arrived: b.arrived.count(), known: known{seen: map[uint64]time.Time{}}}
	_, err := f.list(ctx)
	return f, err
}

// New implements eventbus.Follower.
func (f *follower) New(ctx context.Context) ([]format.Event, error) {
	if own := f.own(); len(own) > 0 {
		return own, nil // the next call lists
	}
	fresh, err := f.list(ctx)
	if err != nil {
		return nil, err
	}
	found := make([]*format.Event, len(fresh))
	err = each(ctx, len(fresh), func(ctx context.Context, i int) (err error) {
		found[i], err = f.event(ctx, fresh[i].Key)
		if err != nil && f.damage.Skip(err) {
			err = nil
		}
		return err
	})
	if err != nil {
		for i := range fresh { // they are new to the next call
			delete(f.seen, maphash.String(f.seed, fresh[i].Key))
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

// own are the events that this process has sent, unless a listing had them, and makes them known.
func (f *follower) own() (events []format.Event) {
	sent, all := f.Bus.arrived.since(f.arrived, f.namespace)
	f.arrived = all
	for _, e := range sent {
		hash := maphash.String(f.seed, e.Key())
		if _, known := f.seen[hash]; !known {
			f.seen[hash] = f.now()
			events = append(events, *e)
		}
	}
	return events
}

// list lists the keys that are new, in their order, and makes them known.
func (f *follower) list(ctx context.Context) ([]eventKey, error) {
	now := f.now()
	sweep := f.sweeps(now)
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
		if _, known := f.seen[hash]; !known {
			f.seen[hash] = k.Modified
			fresh = append(fresh, k)
		}
	}
	f.listed(f.namespace, newest, dated, now, sweep)
	return fresh, nil
}
