package writepath

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus/outbox"
)

// lockHolder is the worker while it holds the lock.
type lockHolder struct {
	*Committer
	lease         *lease
	lastGroupSize int // size of the last committed group

	projecting *projection // of the last schema change, while it is written; nil for none
}

// serve commits groups until the queue has been empty for idleHold, maxHold is over (loaded),
// or the lease or the known head is lost.
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
		t.indexes.unpublished = nil // other writers committed; the gap is read from the chain
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

// publishIfDue publishes the indexes, unless that was done recently. It waits for a projection
// in progress, which changes the list of types.
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

// waitForGroup waits up to a quarter of a round trip for the clients that were just answered
// to return with their next transaction. Otherwise the first of them would be a group alone
// and all others would wait for it.
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

// waitIdle waits for the next transaction and reports whether one arrived in time.
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

// publishRemaining publishes the indexes up to the last commit before the lock is released. If
// the lease is lost, that remains to be done. It also begins to send the events of commits whose
// writers have not.
func (t *lockHolder) publishRemaining() {
	t.indexes.wait()
	t.endProjection()
	if t.lease.check() == nil {
		switch rolled, err := t.rollForward(); {
		case err != nil:
			t.o.Logger.WarnContext(t.lease.ctx, "schema not projected", "error", err)
		case rolled && t.store.continued():
			t.indexes.add(t.store.last()) // there may be new types without an index
		}
		t.indexes.force(t.lease, t.o.Log, &t.store)
		t.indexes.wait()
	}
	if t.indexesBehind = t.lease.check() != nil; t.indexesBehind && t.store.continued() {
		t.indexes.add(t.store.last()) // some indexes may be behind
	}
	if t.store.head.ManifestPath != nil {
		t.sendEvents(t.store.head, outbox.Own{})
	}
}

// cause returns the reason for which the lease ended if err results from it; otherwise err.
func (t *lockHolder) cause(err error) error {
	if ended := context.Cause(t.lease.ctx); ended != nil && (errors.Is(err, ended) || errors.Is(err, context.Canceled)) {
		return ended
	}
	return err
}

// commit checks, stages and swaps a group. It reports whether the lease and the known head are
// still valid.
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

// publish swaps the head to a staged group and reports the outcome.
func (t *lockHolder) publish(staged []*attempt) bool {
	t.preloadManifests(staged)
	began := time.Now()
	err := t.swap(staged)
	switch {
	case err == nil:
		// Before the clients are answered: their next statement must see the commit.
		t.announce(staged)
		for _, a := range staged {
			a.p.Finish(Outcome{Commit: a.landing.id, Attempt: a.name, CreatedAt: a.manifest.CreatedAt.Time, Files: a.manifest.Files}, nil)
		}
		t.recordCommitted(staged, began)
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

// recordCommitted adds a visible group to the known state of the store, and starts the
// projection of its schema change and the sending of its events. It was not visible before began.
func (t *lockHolder) recordCommitted(staged []*attempt, began time.Time) {
	for _, a := range staged {
		t.store.add(a.landing)
		t.indexes.add(a.landing)
	}
	if slices.ContainsFunc(staged, func(a *attempt) bool { return len(a.events) > 0 }) {
		t.sendEvents(t.store.head, outbox.Own{From: staged[0].landing.id, At: began})
	}
	if l := t.store.last(); l.change != nil {
		t.startProjection(l)
	}
}

// removeOrphans deletes the objects of attempts whose number another commit took.
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
