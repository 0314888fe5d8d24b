package writepath_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// largeEvent is a payload that does not fit into metadata.
var largeEvent = `{"a":"` + strings.Repeat("x", format.MaxInlineEvents) + `"}`

// made are events with these payloads.
func made(payloads ...string) (events []format.Event) {
	for _, p := range payloads {
		e, err := eventbus.Make(&eventbus.New{Namespace: "n", Type: "t", Payload: []byte(p)})
		if err != nil {
			panic(err)
		}
		events = append(events, e)
	}
	return events
}

func keysBelow(t *testing.T, b objstore.Bucket, prefix string) (keys []string) {
	t.Helper()
	err := b.List(t.Context(), prefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestEventsTakeNoRoundTrip: the answer of a commit with events comes after as many round trips as
// without, those that need an object of their own included.
func TestEventsTakeNoRoundTrip(t *testing.T) {
	took := func(payloads ...string) (first, second time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			disk := mem.New("x")
			initialise(t, disk, format.EngineV1, thing)
			c := writepath.Open(writepath.Options{RuntimeID: "test", Bucket: &faulty.Bucket{Bucket: disk, At: -1, Delay: func(context.Context, int, string, string) {
				time.Sleep(trip)
			}}})
			commit := func(pin ontosql.CommitID, id string) time.Duration {
				began := time.Now()
				tx := put(pin, id, 1, thing)
				tx.Events = made(payloads...)
				if _, err := c.Commit(t.Context(), tx); err != nil {
					t.Fatal(err)
				}
				return time.Since(began)
			}
			first, second = commit(1, "a"), commit(2, "b")
			closeIt(t, c)
			if got := len(keysBelow(t, disk, format.EventsPrefix)); got != 2*len(payloads) {
				t.Errorf("%d events were sent, want %d", got, 2*len(payloads))
			}
		})
		return first, second
	}
	first, second := took()
	for _, payloads := range [][]string{{`{"a":1}`, `{"a":2}`}, {largeEvent}} {
		if a, b := took(payloads...); a != first || b != second {
			t.Errorf("commits with %d events take %v and %v, want %v and %v", len(payloads), a, b, first, second)
		}
	}
}

// TestEventsWithoutRows: one event needs no commit, several are one commit without files, and an
// empty transaction stays an error.
func TestEventsWithoutRows(t *testing.T) {
	disk := mem.New("x")
	initialise(t, disk, format.EngineV1, thing)
	c := writepath.Open(writepath.Options{RuntimeID: "test", Bucket: disk})
	head := readHead(t, disk).CommitID
	for _, payloads := range [][]string{{`{"a":1}`}, {`{"a":2}`, `{"a":3}`}} {
		out, err := c.Commit(t.Context(), writepath.Tx{Pin: head, Events: made(payloads...)})
		if err != nil || (out.Commit == 0) != (len(payloads) == 1) {
			t.Errorf("%d events: %+v, %v", len(payloads), out, err)
		}
	}
	if _, err := c.Commit(t.Context(), writepath.Tx{Pin: head}); err == nil {
		t.Error("a transaction that does nothing was committed")
	}
	bad := made(`{}`)
	bad[0].Namespace = "../x"
	if _, err := c.Commit(t.Context(), writepath.Tx{Pin: head, Events: bad}); !errors.As(err, new(*eventbus.NameError)) {
		t.Errorf("a namespace that no bucket can keep: %v", err)
	}
	closeIt(t, c)
	if got := keysBelow(t, disk, format.EventsPrefix); len(got) != 3 {
		t.Errorf("events: %v", got)
	}
	if got := readHead(t, disk).CommitID; got != head+1 {
		t.Errorf("the head is %d, want %d", got, head+1)
	}
	verify(t, disk)
}

// TestEventsOnlyAtEveryRequest breaks each request of a transaction that only sends several events:
// all of them or none are sent after the next writer.
func TestEventsOnlyAtEveryRequest(t *testing.T) {
	for _, broken := range breakages {
		for at, more := 0, !broken.none; more; at++ {
			synctest.Test(t, func(t *testing.T) {
				f := fault{breakage: broken, at: at, disk: mem.New("x")}
				initialise(t, f.disk, format.EngineV1, thing, other)
				b := &faulty.Bucket{Bucket: f.disk, At: at, Applied: f.applied, Dead: f.dead}
				c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
				var out writepath.Outcome
				var err error
				var wg sync.WaitGroup
				wg.Go(func() { out, err = c.Commit(t.Context(), writepath.Tx{Events: made(`{"a":1}`, `{"a":2}`)}) })
				wg.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				_ = c.Close(ctx)
				f.checkSent(t, false)
				f.goOn(t, nil)
				sent := 0
				for _, m := range commits(t, f.disk) {
					events, readErr := outbox.Events(t.Context(), f.disk, "", m)
					if readErr != nil {
						t.Error(readErr)
					}
					sent += len(events)
				}
				if unknown := errors.Is(err, ontosql.ErrOutcomeUnknown); sent != 0 && sent != 2 || err == nil && (sent != 2 || out.Commit == 0) || err != nil && !unknown && sent != 0 {
					t.Errorf("%s: the client was told %+v, %v, and %d events were sent", broken.name, out, err, sent)
				}
				more = b.Requests() > at
				if t.Failed() {
					t.Fatalf("%s: at request %d", broken.name, at)
				}
			})
		}
	}
}
