package commit_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
	"github.com/ontosql/ontosql/writepath"
)

// made is an event with a number.
func made(t *testing.T, n int) []format.Event {
	t.Helper()
	e, err := eventbus.Make(&eventbus.New{Namespace: "n", Type: "t", Payload: fmt.Appendf(nil, `{"n":%d}`, n)})
	if err != nil {
		t.Error(err)
	}
	return []format.Event{e}
}

// TestEvents: transactions with events at once, some of them refused and some without rows. The events of
// those that committed are there, once, and events alone make no commit.
func TestEvents(t *testing.T) {
	s := openSite(t, sqlitetest.Fixture(t, sqlitetest.FileV1))
	pin, err := s.db.PinFresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	head := pin.Head.Commit
	tag := format.Tag{Commit: 3}
	const n = 60
	var mu sync.Mutex
	want, commits := map[string]bool{}, 0
	var all sync.WaitGroup
	for i := range n {
		tx := writepath.Tx{Pin: head, Events: made(t, i)}
		if i%3 != 0 { // each name is made twice, and the second is refused
			tx.Tags = map[string]format.TagChange{fmt.Sprint("t", i/6, i%2): {After: &tag}}
		}
		all.Go(func() {
			out, err := s.Commit(t.Context(), tx)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				want[tx.Events[0].ID] = true
				if (out.Commit == 0) != (len(tx.Tags) == 0) {
					t.Errorf("the outcome is %+v with %d tags", out, len(tx.Tags))
				}
				if out.Commit > 0 {
					commits++
				}
			case !errors.As(err, new(*writepath.TagConflictError)):
				t.Error(err)
			}
		})
	}
	all.Wait()
	bus := events.Open(events.Options{DB: s.db})
	defer bus.Close()
	listed, err := bus.List(t.Context(), eventbus.Query{Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range listed {
		if !want[e.ID] {
			t.Errorf("event %s %s was sent, and its transaction was refused", e.ID, e.Payload)
		}
		delete(want, e.ID)
	}
	if len(want) > 0 || len(listed) == n {
		t.Errorf("%d events were not sent, of %d", len(want), len(listed))
	}
	if pin, err = s.db.PinFresh(t.Context()); err != nil || int(pin.Head.Commit-head) != commits {
		t.Errorf("the head is %d, %v; want %d commits after %d", pin.Head.Commit, err, commits, head)
	}
}
