package nameservicetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

// meddler writes before each of the first writes of a service.
type meddler struct {
	nameservice.Service
	times  int
	meddle func()
}

func (m *meddler) Write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (nameservice.Result, error) {
	if m.times > 0 {
		m.times--
		m.meddle()
	}
	return m.Service.Write(ctx, a, e)
}

func testPushWithRetry(w *world) {
	w.create(shop)
	other := int64(0)
	m := &meddler{Service: w, times: 3, meddle: func() {
		other++
		w.mustWrite(shop, nameservice.NewFastForward(nameservice.Head, value(other, `{"by":"other"}`)))
	}}
	push := func(v int64) nameservice.Result {
		w.Helper()
		result, err := nameservice.PushWithRetry(w.Context(), m, shop, nameservice.Head, value(v, `{"by":"us"}`))
		if err != nil {
			w.Fatalf("PushWithRetry: %v", err)
		}
		return result
	}
	if result := push(10); !result.Updated {
		w.Errorf("push of 10 over 1, 2 and 3: got the conflict %s", show(result.Actual))
	}
	w.want("push of 10", shop, nameservice.Head, value(10, `{"by":"us"}`))

	other, m.times = 19, 1
	if result, next := push(20), value(20, ""); result.Updated || !result.Diverged(next) || !result.Actual.Equal(value(20, `{"by":"other"}`)) {
		w.Errorf("push of 20 after another 20: got %v, %s; want a divergence", result.Updated, show(result.Actual))
	}
	other, m.times = 20, 1000
	if result, next := push(1000), value(1000, ""); result.Updated || result.Diverged(next) || m.times < 900 {
		w.Errorf("push that always loses: got %v, %s after %d tries; want a conflict that has not diverged, after a few", result.Updated, show(result.Actual), 1000-m.times)
	}
	_, err := nameservice.PushWithRetry(w.Context(), w, nameservice.Alias{Name: "none", Branch: "main"}, nameservice.Head, value(1, `{}`))
	w.wantError("push without a record", err, nameservice.ErrNotFound)
}

func testRevise(w *world) {
	w.create(shop)
	m := &meddler{Service: w, times: 2, meddle: func() {
		_, err := nameservice.Revise(w.Context(), w, shop, nameservice.Config, increment)
		if err != nil {
			w.Error(err)
		}
	}}
	got, err := nameservice.Revise(w.Context(), m, shop, nameservice.Config, increment)
	if want := value(3, `{"n":3}`); err != nil || !got.Equal(want) {
		w.Errorf("Revise: got %s, %v; want %s", show(&got), err, show(&want))
	}
	m.times = 1000
	_, err = nameservice.Revise(w.Context(), m, shop, nameservice.Config, increment)
	var conflict *nameservice.ConflictError
	if !errors.As(err, &conflict) {
		w.Errorf("a change that always loses: got the error %v, want a *ConflictError", err)
	}
	no := errors.New("no")
	_, err = nameservice.Revise(w.Context(), w, shop, nameservice.Config, func(*nameservice.Record) (json.RawMessage, error) { return nil, no })
	w.wantError("a change that fails", err, no)
	_, err = nameservice.Revise(w.Context(), w, nameservice.Alias{Name: "none", Branch: "main"}, nameservice.Config, increment)
	w.wantError("a change of no record", err, nameservice.ErrNotFound)
}

// increment counts the member n of the config.
func increment(r *nameservice.Record) (json.RawMessage, error) {
	var config struct{ N int }
	if r.Config.Payload != nil {
		if err := json.Unmarshal(r.Config.Payload, &config); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(nil, `{"n":%d}`, config.N+1), nil
}

// clock is a clock that is moved by hand.
type clock struct{ at int64 }

func (c *clock) now() time.Time { return time.Unix(c.at, 0) }

func (w *world) holder(name string, c *clock) nameservice.Holder {
	return nameservice.Holder{Service: w.store.Open(), Name: name, Now: c.now, Lease: time.Hour}
}

// testLock: the story of seed 003, lock acquisition flow and lock refresh.
func testLock(w *world) {
	const kind = nameservice.IndexLock
	c := &clock{1705312200}
	w.create(shop)
	w.mustWrite(shop, nameservice.NewPush(nameservice.Status, value(1, ""), value(89, `{"state":"ready","queue_depth":3}`)))
	ours, theirs := w.holder("indexer-7f3a", c), w.holder("indexer-other", c)
	if _, err := ours.Acquire(w.Context(), shop, kind, 45); err != nil {
		w.Fatal(err)
	}
	w.want("acquired", shop, nameservice.Status, value(90, `{"state":"indexing","queue_depth":3,`+
		`"index_lock":{"holder":"indexer-7f3a","target_t":45,"acquired_at":1705312200,"expires_at":1705315800}}`))
	c.at += 1800
	var held *nameservice.LockHeldError
	if _, err := theirs.Acquire(w.Context(), shop, kind, 46); !errors.As(err, &held) || held.Lock.Holder != "indexer-7f3a" {
		w.Errorf("Acquire of a lock that is held: got %v, want a *LockHeldError", err)
	}
	_, err := theirs.Refresh(w.Context(), shop, kind)
	w.wantError("Refresh of somebody else's lock", err, nameservice.ErrLockLost)
	w.wantError("Release of somebody else's lock", theirs.Release(w.Context(), shop, kind), nameservice.ErrLockLost)
	if _, err := ours.Refresh(w.Context(), shop, kind); err != nil {
		w.Error(err)
	}
	w.want("refreshed", shop, nameservice.Status, value(91, `{"state":"indexing","queue_depth":3,`+
		`"index_lock":{"holder":"indexer-7f3a","target_t":45,"acquired_at":1705312200,"expires_at":1705317600,"refreshed_at":1705314000}}`))
	if err := ours.Release(w.Context(), shop, kind); err != nil {
		w.Error(err)
	}
	w.want("released", shop, nameservice.Status, value(92, `{"state":"ready","queue_depth":3}`))
	if err := ours.Release(w.Context(), shop, kind); err != nil {
		w.Errorf("Release again: %v", err)
	}
	w.want("released again: nothing was written", shop, nameservice.Status, value(92, `{"state":"ready","queue_depth":3}`))
	_, err = nameservice.Holder{Service: w}.Acquire(w.Context(), shop, kind, 1)
	w.wantError("Acquire without a name", err, nameservice.ErrHolder)
}

// testLockExpiry: the lock of a holder that crashed is taken over when it has expired.
func testLockExpiry(w *world) {
	const kind = nameservice.ReindexLock
	c := &clock{1000}
	w.create(shop)
	crashed, other := w.holder("crashed", c), w.holder("other", c)
	if _, err := crashed.Acquire(w.Context(), shop, kind, 1); err != nil {
		w.Fatal(err)
	}
	c.at = 1000 + 3600 - 1
	var held *nameservice.LockHeldError
	if _, err := other.Acquire(w.Context(), shop, kind, 1); !errors.As(err, &held) {
		w.Errorf("a second before the end: got %v, want a *LockHeldError", err)
	}
	c.at++
	if _, err := crashed.Refresh(w.Context(), shop, kind); err != nil {
		w.Errorf("Refresh of a lock that has expired and that nobody has taken: %v", err)
	}
	c.at += 3600
	if _, err := other.Acquire(w.Context(), shop, kind, 2); err != nil {
		w.Errorf("at the end: %v", err)
	}
	_, err := crashed.Refresh(w.Context(), shop, kind)
	w.wantError("Refresh after the takeover", err, nameservice.ErrLockLost)
	if l := nameservice.HeldLock(w.get(shop).Status, kind); l == nil || l.Holder != "other" || l.TargetT != 2 {
		w.Errorf("the lock is %+v, want that of other", l)
	}
}

// testLockKinds: locks of several kinds are held at a time, and the state is one that a lock has set.
func testLockKinds(w *world) {
	c := &clock{1000}
	w.create(shop)
	h := w.holder("h", c)
	state := func(story, want string) {
		w.Helper()
		var status struct{ State string }
		_ = json.Unmarshal(w.get(shop).Status.Payload, &status)
		if status.State != want {
			w.Errorf("%s: the state is %q, want %q", story, status.State, want)
		}
	}
	for _, kind := range nameservice.LockKinds {
		if _, err := h.Acquire(w.Context(), shop, kind, 1); err != nil {
			w.Fatal(err)
		}
	}
	for _, kind := range nameservice.LockKinds {
		if err := h.Release(w.Context(), shop, kind); err != nil {
			w.Fatal(err)
		}
		want := map[nameservice.LockKind]string{nameservice.IndexLock: "reindexing", nameservice.ReindexLock: "migrating", nameservice.MigrationLock: "ready"}[kind]
		state("after the release of "+string(kind), want)
	}
	w.mustWrite(shop, nameservice.NewFastForward(nameservice.Status, value(100, `{"state":"error","error":"disk","index_lock":null}`)))
	if _, err := h.Acquire(w.Context(), shop, nameservice.IndexLock, 1); err != nil {
		w.Fatal(err)
	}
	state("a state that no lock has set, with a lock", "error")
}
