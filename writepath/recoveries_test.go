package writepath_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// recoveries are the rows of a store's recoveries object, nil if it does not exist.
func recoveries(t *testing.T, b objstore.Bucket) (all []format.Recovery, version objstore.Version) {
	t.Helper()
	body, version, err := b.Get(context.WithoutCancel(t.Context()), format.RecoveriesKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent
	}
	if err == nil {
		all, err = format.DecodeRecoveries(format.RecoveriesKey, body)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all, version
}

// schemaObjects are the versions of the objects below meta/schema/ and of the extras.
func schemaObjects(t *testing.T, b objstore.Bucket) map[string]objstore.Version {
	t.Helper()
	found := map[string]objstore.Version{}
	for _, prefix := range []string{"meta/schema/", format.ExtrasKey} {
		if err := b.List(t.Context(), prefix, func(o objstore.Object) error { found[o.Key] = o.Version; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestRecoveriesAreTold stops the writer of a schema change at each of its requests. The writer
// that completes the change records a row for each object that it wrote instead, once,
// whichever writers follow; objects that the first writer wrote itself have no row.
func TestRecoveriesAreTold(t *testing.T) {
	made := 0
	for at, more := 0, true; more; at++ {
		synctest.Test(t, func(t *testing.T) {
			disk := mem.New("x")
			initialise(t, disk, format.EngineV1, thing, other, links)
			b := &faulty.Bucket{Bucket: disk, At: at, Dead: true}
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			_, err := c.Commit(t.Context(), writepath.Tx{Pin: 1, Actor: "ann", Schema: remake})
			_ = c.Close(t.Context())
			more = b.Requests() > at
			landed := readHead(t, disk).CommitID == 2
			if landed != (err == nil) {
				var unknown *writepath.UnknownOutcomeError
				if !errors.As(err, &unknown) {
					t.Fatalf("request %d: the head is commit %d, the client was told %v", at, readHead(t, disk).CommitID, err)
				}
			}
			time.Sleep(time.Minute) // the lease of the dead is over
			before := schemaObjects(t, disk)
			next := func(id string) {
				t.Helper()
				c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "next"})
				if _, err := c.Commit(t.Context(), put(readHead(t, disk).CommitID, id, 1, other)); err != nil {
					t.Fatal(err)
				}
				closeIt(t, c)
			}
			next("a")
			after := schemaObjects(t, disk)
			rows, version := recoveries(t, disk)
			told := map[string]string{}
			for _, r := range rows {
				if told[r.Projection] != "" {
					t.Errorf("request %d: %s is told twice", at, r.Projection)
				}
				told[r.Projection] = r.Outcome
				if r.Commit != 2 || r.Actor != "ontosql:recovery" || r.ForActor != "ann" || time.Since(r.At.Time) > time.Minute {
					t.Errorf("request %d: %+v, want it of commit 2 for ann", at, r)
				}
			}
			done := 0 // by the next writer
			for key := range after {
				written := after[key] != before[key]
				if written {
					done++
				}
				if written != (told[key] == format.RecoveryWritten) || len(rows) > 0 && told[key] == "" && !strings.Contains(key, "/Other.json") {
					t.Errorf("request %d: %s, written by the next writer: %t, is told as %q", at, key, written, told[key])
				}
			}
			if !landed && len(rows) > 0 {
				t.Errorf("request %d: %+v of a change that did not land", at, rows)
			}
			if done > 0 {
				made++
			}
			next("b")
			if again, same := recoveries(t, disk); same != version {
				t.Errorf("request %d: a third writer tells %+v", at, again)
			}
			verify(t, disk)
		})
	}
	if made < 5 {
		t.Errorf("%d of the crashes left something to the next writer, want more", made)
	}
}

// TestRecoveriesAreBounded keeps the newest thousand rows. A row is not recorded twice.
func TestRecoveriesAreBounded(t *testing.T) {
	at := format.TimeOf(birth)
	old := make([]format.Recovery, 999)
	for i := range old {
		old[i] = format.Recovery{Actor: format.RecoveryActor, At: at, Commit: ontosql.CommitID(1), Outcome: format.RecoveryThere, Projection: strings.Repeat("x", i+1)}
	}
	old[500].Projection = format.RegistryKey
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other)
	if _, err := b.Put(t.Context(), format.RecoveriesKey, format.EncodeRecoveries(old)); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{format.RegistryKey, format.VersionsKey(thing), format.VersionsKey(other)} {
		if err := b.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "next"})
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
		t.Fatal(err)
	}
	closeIt(t, c)
	rows, _ := recoveries(t, b)
	outcomes := map[string]string{}
	for _, r := range rows {
		outcomes[r.Projection] = r.Outcome
	}
	if len(rows) != 1000 || rows[len(rows)-1].Commit != 1 {
		t.Errorf("%d rows, want 1000", len(rows))
	}
	for key, outcome := range map[string]string{
		format.RegistryKey: format.RecoveryWritten, format.VersionsKey(thing): format.RecoveryWritten, format.TypesKey: format.RecoveryThere,
	} {
		if outcomes[key] != outcome {
			t.Errorf("%s is told as %q, want %q", key, outcomes[key], outcome)
		}
	}
	if _, oldest := outcomes["x"]; oldest {
		t.Error("the oldest row is still there")
	}
	verify(t, b)
}

// TestRecoveriesAreNoneWithoutNeed: who projects his own change, and who finds
// everything done, tells nothing.
func TestRecoveriesAreNoneWithoutNeed(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV2, thing, other, links)
	for _, tx := range []writepath.Tx{{Pin: 1, Schema: remake}, put(2, "a", 1, other), migrate(other), put(4, "b", 1, thing)} {
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		closeIt(t, c)
	}
	if rows, _ := recoveries(t, b); rows != nil {
		t.Errorf("there are %+v, want none", rows)
	}
	verify(t, b)
}
