package objects_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/eventbustest"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/dir"
)

// TestClaimsThatHaveNoPlace: in a directory the claims of a handler can make those of another one impossible
// ("h.json/x" and "h"), and so can somebody. Such an event is named and left out, and all others are delivered.
func TestClaimsThatHaveNoPlace(t *testing.T) {
	root := t.TempDir()
	bucket, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clock := eventbustest.NewClock(start)
	sent, err := objects.Open(objects.Options{Bucket: bucket, Now: clock.Now}).Enqueue(t.Context(), named("0", "1", "2", "3", "4"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	bus := objects.Open(objects.Options{Bucket: bucket, Now: clock.Now, Damaged: func(err error) {
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) {
			t.Errorf("reported: %v", err)
			return
		}
		told = append(told, corrupt.Key)
	}})
	claim := func(handler string, limit int) (ids []string) {
		t.Helper()
		r := request("s")
		r.Handler, r.Limit = handler, limit
		all, err := bus.Claim(t.Context(), r)
		if err != nil {
			t.Fatalf("Claim of %s: %v", handler, err)
		}
		for _, d := range all {
			ids = append(ids, d.ID)
		}
		return ids
	}
	if got := claim("h.json/x", 1); !slices.Equal(got, []string{sent[0].ID}) {
		t.Fatalf("the first handler got %q", got)
	}
	made := format.ClaimKey("n", sent[2].ID, "h")
	if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(made)), 0o755); err != nil {
		t.Fatal(err)
	}
	var got []string
	for range 4 {
		got = append(got, claim("h", 2)...)
		clock.Advance(time.Second)
	}
	slices.Sort(got)
	want := []string{sent[1].ID, sent[3].ID, sent[4].ID}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("delivered: %q, want %q", got, want)
	}
	wantTold := []string{format.ClaimKey("n", sent[0].ID, "h"), made}
	slices.Sort(wantTold)
	if slices.Sort(told); !slices.Equal(told, wantTold) {
		t.Errorf("named %q, want %q", told, wantTold)
	}
	lost := eventbus.Lease{Namespace: "n", Event: sent[0].ID, Handler: "h", Session: "s"}
	if done, err := bus.Ack(t.Context(), lost); done || err != nil {
		t.Errorf("Ack of the event that was left out: %v, %v", done, err)
	}
	if all, err := bus.List(t.Context(), eventbus.Query{Namespace: "n"}); err != nil || len(all) != len(sent) {
		t.Errorf("List: %d events, %v", len(all), err)
	}
}
