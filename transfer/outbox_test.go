package transfer_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// sends commits events of these payloads.
func sends(t *testing.T, b objstore.Bucket, payloads ...string) (ids []string) {
	t.Helper()
	var all []format.Event
	for _, p := range payloads {
		e, err := eventbus.Make(&eventbus.New{Namespace: "n", Type: "t", Payload: []byte(p)})
		if err != nil {
			t.Fatal(err)
		}
		all, ids = append(all, e), append(ids, e.ID)
	}
	gatewayCommits(t, b, writepath.Tx{Events: all})
	return ids
}

// removeEvents removes the events and, unless a cleanup does it, the mark that they were sent.
func removeEvents(t *testing.T, b objstore.Bucket, cleanup bool) {
	t.Helper()
	for key := range objectsIn(t, b) {
		if strings.HasPrefix(key, format.EventsPrefix) || !cleanup && key == format.EventsSentKey {
			if err := b.Delete(t.Context(), key); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// eventsOn are the ids of the events in a bucket after somebody has looked.
func eventsOn(t *testing.T, b objstore.Bucket) (ids []string) {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := outbox.Open(outbox.Options{Bucket: b, Log: log, Damaged: func(err error) { t.Error(err) }}).Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	for key := range objectsIn(t, b) {
		if _, _, id, ok := format.ParseEventKey(key); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// eventsIn are the ids of the events in a SQLite file.
func eventsIn(t *testing.T, path string) (ids []string) {
	t.Helper()
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	bus := events.Open(events.Options{DB: db})
	defer bus.Close()
	listed, err := bus.List(t.Context(), eventbus.Query{Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range listed {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	return ids
}

// TestUnsentEvents: events of commits that were not sent when the store was copied are in the copy, once;
// those that a cleanup has removed are not.
func TestUnsentEvents(t *testing.T) {
	large := `{"a":"` + strings.Repeat("x", format.MaxInlineEvents) + `"}`
	source := mem.New("source")
	gatewayBegins(t, source)
	sends(t, source, `{"cleaned":1}`, `{"cleaned":2}`)
	removeEvents(t, source, true)
	mark, _, err := source.Get(t.Context(), format.EventsSentKey)
	if err != nil {
		t.Fatal(err)
	}
	want := append(sends(t, source, `{"a":1}`, `{"a":2}`), sends(t, source, large, `{"b":1}`)...)
	slices.Sort(want)
	for _, c := range []struct {
		story string
		sent  bool
	}{{"sent", true}, {"not sent", false}} {
		if !c.sent {
			removeEvents(t, source, true)
			put(t, source, format.EventsSentKey, string(mark))
		}
		to := mem.New("target")
		if _, err := copyObjects(t, source, to); err != nil {
			t.Fatalf("%s: %v", c.story, err)
		}
		if got := eventsOn(t, to); !slices.Equal(got, want) {
			t.Errorf("%s: the copy has the events %v, want %v", c.story, got, want)
		}
		maintaintest.Clean(t, to)
		path := filepath.Join(t.TempDir(), "onto.db")
		if _, err := transfer.CopyToFile(t.Context(), bucketSource(t, source), path, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
			t.Fatalf("%s: %v", c.story, err)
		}
		if got := eventsIn(t, path); !slices.Equal(got, want) {
			t.Errorf("%s: the file has the events %v, want %v", c.story, got, want)
		}
		back := mem.New("back")
		if _, err := transfer.CopyToBucket(t.Context(), fileSource(t, path), back, transfer.CopyOptions{Temp: t.TempDir()}); err != nil {
			t.Fatalf("%s: %v", c.story, err)
		}
		if got := eventsOn(t, back); !slices.Equal(got, want) {
			t.Errorf("%s: the bucket made of the file has the events %v, want %v", c.story, got, want)
		}
		// A copy that is there follows, and its mark as well.
		more := sends(t, source, `{"c":1}`, `{"c":2}`)
		if _, err := copyObjects(t, source, to); err != nil {
			t.Fatalf("%s: again: %v", c.story, err)
		}
		all := append(slices.Clone(want), more...)
		slices.Sort(all)
		if got := eventsOn(t, to); !slices.Equal(got, all) {
			t.Errorf("%s: the copy that follows has the events %v, want %v", c.story, got, all)
		}
		want = all
	}
}

// TestEventsOfNoCommit: the events of an attempt that did not become a commit are garbage, those of a
// commit are not.
func TestEventsOfNoCommit(t *testing.T) {
	source := mem.New("source")
	gatewayBegins(t, source)
	sends(t, source, `{"a":"`+strings.Repeat("x", format.MaxInlineEvents)+`"}`, `{}`)
	lost := format.CommitEventsKey(2, "1057a773")
	put(t, source, lost, "[]")
	log, err := chain.Open("", chain.Options{Bucket: source})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	plan, err := gc.Run(t.Context(), gc.Options{MaintenanceOptions: writepath.MaintenanceOptions{Bucket: source, Log: log}, Grace: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Planned) != 1 || plan.Planned[0].Key != lost {
		t.Errorf("garbage: %+v, want %s", plan.Planned, lost)
	}
}
