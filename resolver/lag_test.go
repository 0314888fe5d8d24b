package resolver

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// TestLagOfTheMoment: an index without the newest commits may be about to be published, so
// there is no warning. An index that stays behind gives a warning.
func TestLagOfTheMoment(t *testing.T) {
	const lag = "index lag detected for entity:A; using manifest fallback"
	const missing = "index missing for entity:A; using manifest fallback"
	one := func(upTo int) []byte {
		x := &format.Index{TypeName: "A", MaxIndexedCommit: ontosql.CommitID(upTo)}
		for id := ontosql.CommitID(1); id <= x.MaxIndexedCommit; id++ {
			x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: id, MaxCommitID: id, Path: format.DataKey(format.EngineV1, id, "00000001", typeA, 1)})
		}
		return format.EncodeIndex(x)
	}
	for _, tc := range []struct {
		name      string
		before    int           // how far the index goes at first; -1 for none
		age       time.Duration // of commit 2
		wait      time.Duration
		after     int // how far it goes after the wait; -1 for none
		at, later []string
		status    string // at first, in index_health
	}{
		{"published soon", 1, 0, 2 * time.Minute, 2, nil, nil, StatusLagging},
		{"published late, and nobody asked in between", 1, 0, 59 * time.Second, 1, nil, nil, StatusLagging},
		{"never published", 1, 0, 61 * time.Second, 1, nil, []string{lag}, StatusLagging},
		{"behind since long ago", 1, time.Hour, time.Second, 1, []string{lag}, []string{lag}, StatusLagging},
		{"missing, the type is new", -1, 0, time.Second, -1, nil, nil, StatusMissing},
		{"missing for long", -1, 2 * time.Minute, time.Second, -1, []string{missing}, []string{missing}, StatusMissing},
		{"missing, then published", -1, 0, 2 * time.Minute, 2, nil, nil, StatusMissing},
		{"a commit from a clock that is ahead", 1, -time.Hour, time.Minute, 1, nil, nil, StatusLagging},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				initialise(t, b)
				b.at = func() time.Time { return time.Now().Add(-tc.age) }
				b.commit(t, 1, nil, typeA)
				b.commit(t, 1, nil, typeA)
				write := func(upTo int) {
					if upTo >= 0 {
						b.put(t, format.IndexKey(typeA), one(upTo))
					}
				}
				write(tc.before)
				pin := b.pin(t)
				typ, _ := pin.Catalog.Type(typeA)
				if diff := cmp.Diff(tc.at, checkWindow(t, b.store, pin, typ, ontosql.Window{Upper: 2}).Warnings); diff != "" {
					t.Errorf("warnings at first (-want +got):\n%s", diff)
				}
				health, err := b.store.IndexHealth(t.Context(), pin)
				if err != nil || health[0].Status != tc.status {
					t.Errorf("index_health says %+v (%v), want %s", health, err, tc.status)
				}
				time.Sleep(tc.wait)
				write(tc.after)
				for range 2 {
					if diff := cmp.Diff(tc.later, checkWindow(t, b.store, pin, typ, ontosql.Window{Upper: 2}).Warnings); diff != "" {
						t.Errorf("warnings after %s (-want +got):\n%s", tc.wait, diff)
					}
				}
			})
		})
	}
}

// TestLongIndexIsReadSeldom: an index that grows with the history is not read
// at every head. What it has not said yet is in the log, and when it should have
// caught up it is read again.
func TestLongIndexIsReadSeldom(t *testing.T) {
	for _, tc := range []struct {
		entries int
		reads   int // of 20 heads, one every 10 ms
	}{{999, 20}, {1000, 2}, {2500, 1}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			initialise(t, b)
			b.at = time.Now
			for range 3 {
				b.commit(t, 1, nil, typeA)
			}
			x := &format.Index{TypeName: "A", MaxIndexedCommit: 3}
			for range tc.entries {
				x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: 2, MaxCommitID: 2, Path: format.DataKey(format.EngineV1, 2, "00000001", typeA, 1)})
			}
			b.put(t, format.IndexKey(typeA), format.EncodeIndex(x))
			ask := func() (reads int) {
				pin := b.pin(t)
				typ, _ := pin.Catalog.Type(typeA)
				b.ops.take()
				checkWindow(t, b.store, pin, typ, ontosql.Window{Upper: pin.Head.Commit})
				for _, line := range b.ops.take() {
					if strings.Contains(line, format.IndexKey(typeA)) {
						reads++
					}
				}
				return reads
			}
			reads := 0
			for range 20 {
				reads += ask()
				time.Sleep(10 * time.Millisecond)
				b.commit(t, 1, nil, typeA)
			}
			if reads != tc.reads {
				t.Errorf("an index of %d entries was read %d times for 20 heads, want %d", tc.entries, reads, tc.reads)
			}
			time.Sleep(time.Minute)
			if ask() != 1 {
				t.Errorf("the index of %d entries is not read again when it should have caught up", tc.entries)
			}
		})
	}
}
