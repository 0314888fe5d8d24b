// Package nameservicetest is the contract test suite of package nameservice. Every kind of store must
// pass it: each sentence of the contract is a test.
package nameservicetest

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

// Store is an empty name service under test.
type Store struct {
	// Open opens it once more, for another process. The service ends with the test.
	Open func() nameservice.Service
	// Plant stores a record in the form of version 1, as another program has left it. It is nil for
	// a store that nobody else writes.
	Plant func(a nameservice.Alias, record string)
}

// Run runs all tests. fresh returns an empty store at each call.
func Run(t *testing.T, fresh func(t *testing.T) Store) {
	for _, test := range []struct {
		name string
		run  func(w *world)
	}{
		{"create", testCreate},
		{"create twice", testCreateTwice},
		{"create: types and dependencies", testTypes},
		{"unborn is not unknown", testUnknown},
		{"list by type", testList},
		{"push: conditions", testPushConditions},
		{"push: one concern only", testPushApart},
		{"push: payloads", testPayloads},
		{"push: members that are not known", testForeignMembers},
		{"push: payloads that few stores keep", testRarePayloads},
		{"push: no record", testPushNothing},
		{"fast-forward", testFastForward},
		{"retract", testRetract},
		{"retract with a reason", testRetractReason},
		{"purge", testPurge},
		{"names that are kept", testNames},
		{"names that are refused", testRefusedNames},
		{"push with retry", testPushWithRetry},
		{"revise", testRevise},
		{"locks: acquire, refresh, release", testLock},
		{"locks: expiry and takeover", testLockExpiry},
		{"locks: several kinds", testLockKinds},
		{"subscriptions", testSubscriptions},
		{"subscriptions: types and concerns", testInterest},
		{"version 1 is mapped", testLegacyRead},
		{"version 1: the first write", testLegacyWrite},
		{"version 1: migrate", testLegacyMigrate},
		{"race: create", testRaceCreate},
		{"race: one head", testRaceHead},
		{"race: four concerns", testRaceConcerns},
		{"race: a lock", testRaceLock},
		{"ended context", testEndedContext},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &world{T: t, store: fresh(t)}
			w.Service = w.store.Open()
			test.run(w)
		})
	}
}

// world is a store and what a test does with it.
type world struct {
	*testing.T
	nameservice.Service
	store Store
}

var created = time.Unix(1705312200, 0)

// shop is the record that most tests use.
var shop = nameservice.Alias{Name: "shop", Branch: "main"}

func (w *world) create(a nameservice.Alias) *nameservice.Record {
	w.Helper()
	n := nameservice.New{Alias: a, CreatedAt: created}
	if a.Graph {
		n.Type = "vg:bm25"
	}
	r, err := w.Create(w.Context(), n)
	if err != nil {
		w.Fatalf("Create %s: %v", a, err)
	}
	return r
}

func (w *world) get(a nameservice.Alias) *nameservice.Record {
	w.Helper()
	r, err := w.Get(w.Context(), a)
	if err != nil {
		w.Fatalf("Get %s: %v", a, err)
	}
	return r
}

func (w *world) write(a nameservice.Alias, e nameservice.Edit) nameservice.Result {
	w.Helper()
	result, err := w.Write(w.Context(), a, e)
	if err != nil {
		w.Fatalf("Write %s of %s: %v", e.Concern, a, err)
	}
	return result
}

// mustWrite is write of what is accepted.
func (w *world) mustWrite(a nameservice.Alias, e nameservice.Edit) {
	w.Helper()
	if result := w.write(a, e); !result.Updated {
		w.Fatalf("Write %s of %s: got the conflict %s, want an update", e.Concern, a, show(result.Actual))
	}
}

// want compares a concern, as another process reads it.
func (w *world) want(story string, a nameservice.Alias, c nameservice.Concern, want nameservice.Value) {
	w.Helper()
	r, err := w.store.Open().Get(w.Context(), a)
	if err != nil {
		w.Fatalf("%s: Get: %v", story, err)
	}
	if got := r.Value(c); !got.Equal(want) {
		w.Errorf("%s: %s is %s, want %s", story, c, show(&got), show(&want))
	}
}

func (w *world) wantError(story string, got, want error) {
	w.Helper()
	if !errors.Is(got, want) {
		w.Errorf("%s: got the error %v, want %v", story, got, want)
	}
}

// value is a value with a payload, "" for null.
func value(v int64, payload string) nameservice.Value {
	if payload == "" {
		return nameservice.Value{V: v}
	}
	return nameservice.Value{V: v, Payload: json.RawMessage(payload)}
}

func show(v *nameservice.Value) string {
	if v == nil {
		return "nothing"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// pks are the aliases of records.
func pks(list []*nameservice.Record) []string {
	all := make([]string, len(list))
	for i, r := range list {
		all[i] = r.Alias.String()
	}
	return all
}

func (w *world) equal(what string, got, want []string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
