package writepath

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql"
)

// lockHolder is the worker while it holds the lock.
type lockHolder struct {
	*Committer
	lease         *lease
	lastGroupSize int // of the last group that landed

	projecting *projection // on its way since the last schema change landed, nil for none
}

// serve commits groups until the queue has been empty for a while, the tenure
// is over (loaded), or the lease or the view of the head is lost.
func (t *lockHolder) serve() (loaded bool) {
	if err := t.store.begin(t.lease.ctx, t.queue); err != nil {
		if err = t.cause(err); errors.Is(err, ErrLeaseLost) {
			t.queue.Retry(t.queue.Drain(), err)
			return false
		}
		t.queue.Fail(err)
		return false
	}
	if !t.store.continued() {
		t.indexes.unpublished = nil // others committed since; the gap is filled from the chain
	}
	defer t.publishRemaining()
	for {
		if t.o.Now().Sub(t.lease.since) >= maxHold {
			return true
		}
		t.waitForGroup()
		group := t.queue.Take(maxGroup)
		if len(group) == 0 {
			if !t.waitIdle() {
				return false
			}
			continue
		}
		if group[0].reserves != nil {
			if !t.serveReservation(group[0]) {
				return false
			}
			continue
		}
		if !t.commit(group) {
			return false
		}
		t.publishIfDue()
	}
}

// publishIfDue brings the indexes forward, unless that was done lately. Which there
// are is not known while the list of types is on its way.
func (t *lockHolder) publishIfDue() {
	select {
	case <-t.projectionDone():
		t.endProjection()
	default:
		if t.projecting != nil {
			return
		}
	}
	t.indexes.start(t.lease, t.o.Log, &t.store)
}

// waitForGroup lets those who were just answered come back with their next
// transaction, for a quarter of a round trip: the first of them would be a group
// alone, and all the others would wait for it.
func (t *lockHolder) waitForGroup() {
	if waiting, _ := t.queue.State(); waiting == 0 {
		return
	}
	timer := time.NewTimer(t.roundTrip / 4)
	defer timer.Stop()
	for {
		if waiting, closed := t.queue.State(); waiting >= t.lastGroupSize || closed {
			return
		}
		select {
		case <-t.queue.Wake():
		case <-timer.C:
			return
		case <-t.lease.ctx.Done():
			return
		}
	}
}

// waitIdle waits for the next transaction and reports whether one came in time.
func (t *lockHolder) waitIdle() bool {
	if _, closed := t.queue.State(); closed {
		return false
	}
	timer := time.NewTimer(idleHold)
	defer timer.Stop()
	for {
		select {
		case <-t.queue.Wake():
			waiting, closed := t.queue.State()
			if waiting > 0 || closed {
				return waiting > 0
			}
		case <-t.projectionDone():
			t.publishIfDue()
		case <-timer.C:
			return false
		case <-t.lease.ctx.Done():
			return false
		}
	}
}

// publishRemaining brings the indexes up to the last commit before the lock is left.
// Where the lease is lost before that, they are owed.
func (t *lockHolder) publishRemaining() {
	t.indexes.wait()
	t.endProjection()
	if t.lease.check() == nil {
		switch rolled, err := t.rollForward(); {
		case err != nil:
			t.o.Logger.WarnContext(t.lease.ctx, "schema not projected", "error", err)
		case rolled && t.store.continued():
			t.indexes.add(t.store.last()) // types may have come that have no index yet
		}
		t.indexes.force(t.lease, t.o.Log, &t.store)
		t.indexes.wait()
	}
	if t.indexesBehind = t.lease.check() != nil; t.indexesBehind && t.store.continued() {
		t.indexes.add(t.store.last()) // some may have got no further
	}
}

// cause is why the lease ended, where that is why err came, else err.
func (t *lockHolder) cause(err error) error {
	if ended := context.Cause(t.lease.ctx); ended != nil && (errors.Is(err, ended) || errors.Is(err, context.Canceled)) {
		return ended
	}
	return err
}

// commit decides a group: checked, staged, swapped. It reports whether the lease
// and the view of the head are still good for another one.
func (t *lockHolder) commit(group []*pending) bool {
	group, later := t.selectMembers(group)
	t.queue.PutBack(later)
	for len(group) > 0 {
		staged, rest, err := t.stage(group)
		if errors.Is(err, ErrLeaseLost) {
			t.queue.Retry(rest, err)
			return false
		}
		if err != nil {
			for _, p := range rest {
				p.Finish(Outcome{}, err)
			}
			return false
		}
		if len(staged) == 0 {
			group = rest
			continue
		}
		return t.publish(staged)
	}
	return true
}

// publish swaps the head to a staged group and answers.
func (t *lockHolder) publish(staged []*attempt) bool {
	t.preloadManifests(staged)
	err := t.swap(staged)
	switch {
	case err == nil:
		// Before anybody is told: his next statement must see his commit.
		t.announce(staged)
		for _, a := range staged {
			a.p.Finish(Outcome{Commit: a.landing.id, Attempt: a.name, CreatedAt: a.manifest.CreatedAt.Time, Files: a.manifest.Files}, nil)
		}
		t.recordCommitted(staged)
		t.lastGroupSize = len(staged)
		return true
	case errors.Is(err, ontosql.ErrOutcomeUnknown):
		for _, a := range staged {
			a.p.Finish(Outcome{}, &UnknownOutcomeError{Commit: a.landing.id, Attempt: a.name, Err: err})
		}
	case errors.Is(err, ontosql.ErrHeadMoved):
		t.removeOrphans(staged)
		t.queue.Retry(transactions(staged), err)
	case errors.Is(err, ErrLeaseLost):
		t.queue.Retry(transactions(staged), err)
	default:
		for _, a := range staged {
			a.p.Finish(Outcome{}, err)
		}
	}
	return false
}

func transactions(staged []*attempt) []*pending {
	ps := make([]*pending, len(staged))
	for i, a := range staged {
		ps[i] = a.p
	}
	return ps
}

// recordCommitted takes a group that is visible into what we know of the store, and begins to
// project its schema change.
func (t *lockHolder) recordCommitted(staged []*attempt) {
	for _, a := range staged {
		t.store.add(a.landing)
		t.indexes.add(a.landing)
	}
	if l := t.store.last(); l.change != nil {
		t.startProjection(l)
	}
}

// removeOrphans deletes the objects of attempts that another commit went past.
func (t *lockHolder) removeOrphans(staged []*attempt) {
	t.cleanup.Go(func() {
		ctx, cancel := t.finishContext()
		defer cancel()
		for _, a := range staged {
			for _, o := range a.objects {
				if err := t.o.Bucket.Delete(ctx, o.key); err != nil {
					t.o.Logger.InfoContext(ctx, "orphan not removed", "key", o.key, "error", err)
					return
				}
			}
		}
	})
}
