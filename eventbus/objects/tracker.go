package objects

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"
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
	// lookInterval is when a claim of another worker is read for the first time, which may have ended
	// earlier than its lease. Each further time comes after twice as long, or at the end of the lease.
	lookInterval = time.Second
	// damageInterval is lookInterval for a claim that cannot be read.
	damageInterval = time.Minute
	// maxOpen is the number of open events from which later ones are left for later, whatever
	// their priority.
	maxOpen = 100000
	// readAhead is how many events more than asked for a claim reads of those that are not known yet.
	// So a worker that begins on a long log need not read it all before it has something to do.
	readAhead = 32
	// listClaimsFrom is the number of events for each page of a listing of claims from which it is
	// worth while to learn by it which of them have one. Below it that is seen when they are claimed.
	listClaimsFrom, claimsPage = 32, 1000
	// worthClaims is how many times what a listing of claims took pass until the next one.
	worthClaims = 4
	// manyDue is the number of events that may be free from which a claim does not list anew in a
	// time of worthList times what the last listing took: there is enough to do.
	manyDue, worthList = 100, 10
	// orderTime is how long after a listing known events may be claimed while the next one is made.
	orderTime = time.Second
	// maxTrackers is the number of trackers of a Bus. The one that was not used for the longest
	// time makes room.
	maxTrackers = 64
)

// everyKey is greater than each key.
const everyKey = "\xff"

// tracker is what a Bus knows of the events of a namespace for one handler and set of types.
//
// An event is open if it may still have to be handled, and known otherwise: it is acknowledged,
// dead, of another type, or damaged. Open events are kept one by one; what is listed first is open,
// and read later. Of the others, all objects up to the key reach are known that the store has dated
// base or earlier, and those of a later date are in seen.
type tracker struct {
	*Bus
	namespace, handler string
	types              []string

	turn chan struct{}         // held by the one call that polls, which owns the fields below
	open map[string]*openEvent // by id
	known
	reach string
	round uint64 // counts polls

	asked       time.Time     // when the last listing began, by the machine's clock
	took        time.Duration // of the last listing
	fresh       int           // events that it found
	claims      int           // that the last listing of claims found
	claimsAsked time.Time
	claimsTook  time.Duration
	won, lost   int // attempts of late, by who was first

	notes   chan note // what this process did with claims
	arrived int       // how many of Bus.arrived are open or known
	used    uint64    // the Bus's count of polls at the last use; guarded by Bus.mu
}

// openEvent is an event that may have to be handled.
type openEvent struct {
	format.Event // without its payload; only its id before it was read
	key          string
	dated        time.Time // by the store
	listed       uint64    // round of the last listing that had it
	read         bool      // it is of one of the types

	claim   *format.Claim // as last seen; nil for none
	version objstore.Version
	look    bool      // there is a claim that must be read before it is made
	looks   int       // how often that was done, and the lease went on
	next    time.Time // nothing is to be done before
}

// ready reports whether the event can be claimed without another look.
func (e *openEvent) ready() bool { return e.read && !e.look }

// lost notes that somebody else has the claim, as a look or an attempt has shown.
func (e *openEvent) lost(now time.Time) {
	e.look, e.next = true, now.Add(lookInterval<<min(e.looks, 10))
	if e.claim != nil {
		if free := eventbus.FreeAt(e.claim); free.After(now) {
			e.next = earlier(e.next, free)
		}
	}
	e.looks++
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
			arrived: b.arrived.count(), open: map[string]*openEvent{}, known: known{seen: map[uint64]time.Time{}}, notes: make(chan note, notes),
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
				e.claim, e.version, e.look, e.looks, e.next = n.claim, n.version, false, 0, eventbus.FreeAt(n.claim)
			}
		default:
			return
		}
	}
}

// takeArrived opens what this process has sent since the last poll, so that it need not be read. It
// reports whether there is something to handle among it.
func (t *tracker) takeArrived(now time.Time) (some bool) {
	sent, all := t.Bus.arrived.since(t.arrived, t.namespace)
	t.arrived = all
	for _, e := range sent {
		k := eventKey{Object: objstore.Object{Key: e.Key(), Modified: now}}
		if t.open[e.ID] != nil || t.knows(&k) || len(t.open) >= t.maxOpen {
			continue
		}
		if !slices.Contains(t.types, e.Type) {
			t.know(k.Key, now)
			continue
		}
		o := &openEvent{Event: *e, key: k.Key, dated: now, listed: t.round, read: true}
		o.Payload = nil
		t.open[e.ID], some = o, true
	}
	return some
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
	t.asked, t.fresh = time.Now(), 0
	defer func() { t.took = time.Since(t.asked) }()
	if len(t.open) >= t.maxOpen {
		return nil
	}
	t.round++
	sweep := t.sweeps(now)
	after := min(t.after, t.reach) // the keys behind reach were not listed, if there are more
	if sweep {
		after = ""
	}
	var newest, dated time.Time
	last, whole := "", true
	err := t.listEvents(ctx, t.namespace, after, func(k eventKey) error {
		if len(t.open) >= t.maxOpen {
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
			t.open[k.id] = &openEvent{Event: format.Event{ID: k.id}, key: k.Key, dated: k.Modified, listed: t.round}
			t.fresh++
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
	t.reach = last
	t.listed(t.namespace, newest, dated, now, sweep)
	return nil
}
