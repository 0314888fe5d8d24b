package objects

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Bounds of what a tracker remembers and asks.
const (
	// lateness is how much older than the newest event a new one may be to be found by the next
	// poll: the clocks of senders differ, and sending takes time. It is also how long a store may
	// take between dating an object and listing it.
	lateness = 10 * time.Minute
	// sweepInterval is how often all keys are listed, for events that come later than that: those of
	// a commit whose writer died.
	sweepInterval = 5 * time.Minute
	// lookInterval is how often a claim of another worker is read again, which may have ended
	// earlier than its lease.
	lookInterval = time.Second
	// damageInterval is lookInterval for a claim that cannot be read.
	damageInterval = time.Minute
	// maxOpen is the number of open events from which later ones are left for later, whatever
	// their priority.
	maxOpen = 100000
	// listClaimsFrom is the number of new events from which the keys of all claims are listed, to
	// learn which of them have one. Below it that is seen when they are claimed.
	listClaimsFrom = 32
	// manyDue is the number of events that may be free from which a claim does not list anew in a
	// time of worthList times what the last listing took: there is enough to do.
	manyDue, worthList = 100, 10
	// maxTrackers is the number of trackers of a Bus. The one that was not used for the longest
	// time makes room.
	maxTrackers = 64
)

// everyKey is greater than each key.
const everyKey = "\xff"

// tracker is what a Bus knows of the events of a namespace for one handler and set of types.
//
// An event is open if it may still have to be handled, and known otherwise: it is acknowledged,
// dead, of another type, or damaged. Open events are kept one by one. Of the others, all objects up to
// the key reach were examined that the store has dated base or earlier, and those of a later date are
// in seen.
type tracker struct {
	*Bus
	namespace, handler string
	types              []string

	turn chan struct{}         // held by the one call that polls, which owns the fields below
	open map[string]*openEvent // by id
	known
	reach string
	round uint64 // counts polls

	asked   time.Time     // when the last listing began, by the machine's clock
	took    time.Duration // of the last listing and of what it made necessary
	crowded bool          // others won most of what was tried last

	notes chan note // what this process did with claims
	used  uint64    // the Bus's count of polls at the last use; guarded by Bus.mu
}

// openEvent is an event that may have to be handled.
type openEvent struct {
	format.Event // without its payload
	key          string
	dated        time.Time // by the store
	listed       uint64    // round of the last listing that had it

	claim   *format.Claim // as last seen; nil for none
	version objstore.Version
	look    bool      // the claim was somebody else's and must be read before it is made
	next    time.Time // nothing is to be done before
}

// note says what became of a claim by this process.
type note struct {
	claim   *format.Claim
	version objstore.Version
}

// tracker returns the tracker of a request.
func (b *Bus) tracker(r *eventbus.Request) *tracker {
	types := slices.Compact(slices.Sorted(slices.Values(r.Types)))
	name := strings.Join(append([]string{r.Namespace, r.Handler}, types...), "\x00")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.polls++
	t := b.trackers[name]
	if t == nil {
		if len(b.trackers) >= maxTrackers {
			b.dropOldest()
		}
		const notes = 4096 // of the leases of one worker between two polls; what is more is read again
		t = &tracker{
			Bus: b, namespace: r.Namespace, handler: r.Handler, types: types, turn: make(chan struct{}, 1),
			open: map[string]*openEvent{}, known: known{seen: map[uint64]time.Time{}}, notes: make(chan note, notes),
		}
		b.trackers[name] = t
	}
	t.used = b.polls
	return t
}

func (b *Bus) dropOldest() {
	oldest := ""
	for name, t := range b.trackers {
		if oldest == "" || t.used < b.trackers[oldest].used {
			oldest = name
		}
	}
	delete(b.trackers, oldest)
}

// tell notes a change of a claim by this process for the trackers of its handler.
func (b *Bus) tell(namespace string, c *format.Claim, v objstore.Version) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.trackers {
		if t.namespace != namespace || t.handler != c.HandlerID {
			continue
		}
		select {
		case t.notes <- note{c, v}:
		default:
		}
	}
}

// takeNotes applies what was noted since the last poll.
func (t *tracker) takeNotes() {
	for {
		select {
		case n := <-t.notes:
			e := t.open[n.claim.EventID]
			switch {
			case e == nil:
			case eventbus.Done(n.claim):
				t.forget(e)
			case e.claim == nil || !n.claim.ClaimedAt.Before(e.claim.ClaimedAt.Time):
				e.claim, e.version, e.look, e.next = n.claim, n.version, false, eventbus.FreeAt(n.claim)
			}
		default:
			return
		}
	}
}

// forget makes an open event known.
func (t *tracker) forget(e *openEvent) {
	delete(t.open, e.ID)
	t.know(e.key, e.dated)
}

func (t *tracker) know(key string, dated time.Time) {
	t.seen[maphash.String(t.seed, key)] = dated
}

func (t *tracker) knows(k *eventKey) bool {
	if !t.base.IsZero() && k.Key <= t.reach && !k.Modified.After(t.base) {
		return true
	}
	_, there := t.seen[maphash.String(t.seed, k.Key)]
	return there
}

// refresh lists what is new.
func (t *tracker) refresh(ctx context.Context, now time.Time) error {
	t.asked = time.Now()
	defer func() { t.took = time.Since(t.asked) }()
	if len(t.open) >= t.maxOpen {
		return nil
	}
	t.round++
	sweep := t.sweeps(now)
	after := min(t.after, t.reach) // the keys behind reach were not examined, if there are more
	if sweep {
		after = ""
	}
	var fresh []eventKey
	var newest, dated time.Time
	last, whole := "", true
	err := t.listEvents(ctx, t.namespace, after, func(k eventKey) error {
		if len(t.open)+len(fresh) >= t.maxOpen {
			whole = false
			return errStop
		}
		last = k.Key
		newest, dated = later(newest, k.createdAt.Time), later(dated, k.Modified)
		switch e := t.open[k.id]; {
		case e != nil:
			if e.key == k.Key {
				e.listed = t.round
			}
		case !t.knows(&k):
			fresh = append(fresh, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if whole {
		last = everyKey
	}
	for _, e := range t.open {
		if e.key > after && e.key <= last && e.listed != t.round {
			delete(t.open, e.ID) // it was removed
		}
	}
	if err := t.examine(ctx, fresh); err != nil {
		return err
	}
	t.reach = last
	t.listed(t.namespace, newest, dated, now, sweep)
	return nil
}

// examine decides which new events are open. If it fails, some may be undecided; the next poll lists
// them again.
func (t *tracker) examine(ctx context.Context, fresh []eventKey) error {
	claimed := func(string) bool { return false }
	if len(fresh) >= listClaimsFrom {
		keys, err := t.claimKeys(ctx, fresh)
		if err != nil {
			return err
		}
		claimed = func(key string) bool { return keys[key] }
	}
	var mu sync.Mutex
	return each(ctx, len(fresh), func(ctx context.Context, i int) error {
		k := &fresh[i]
		e, err := t.examineOne(ctx, k, claimed)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if e == nil {
			t.know(k.Key, k.Modified)
		} else {
			t.open[k.id] = e
		}
		return nil
	})
}

// examineOne returns nil if an event is not open.
func (t *tracker) examineOne(ctx context.Context, k *eventKey, claimed func(key string) bool) (*openEvent, error) {
	e := &openEvent{key: k.Key, dated: k.Modified, listed: t.round}
	if key := format.ClaimKey(t.namespace, k.id, t.handler); claimed(key) {
		e.ID = k.id
		if done, err := t.lookAt(ctx, e); err != nil || done {
			return nil, err
		}
	}
	event, err := t.event(ctx, k.Key)
	if err != nil && !t.damage.Skip(err) {
		return nil, err
	}
	if event == nil || !slices.Contains(t.types, event.Type) {
		return nil, nil
	}
	e.Event = *event
	e.Payload = nil
	return e, nil
}

// claimKeys returns the keys of the claims that the handler has for some of these events.
func (t *tracker) claimKeys(ctx context.Context, fresh []eventKey) (map[string]bool, error) {
	wanted := make(map[string]bool, len(fresh))
	for i := range fresh {
		wanted[format.ClaimKey(t.namespace, fresh[i].id, t.handler)] = false
	}
	err := t.documents(ctx, format.ClaimsPrefix+t.namespace+"/", func(key string) {
		if _, ours := wanted[key]; ours {
			wanted[key] = true
		}
	})
	return wanted, err
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
		e.look, e.next = true, t.now().Add(damageInterval)
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
