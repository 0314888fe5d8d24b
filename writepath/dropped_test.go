package writepath_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// theyRegister registers an entity type at the time at as the original does, by schema objects
// only (COMPAT 1.4).
func theyRegister(t *testing.T, b objstore.Bucket, ref ontosql.TypeRef, at time.Time) {
	t.Helper()
	schema := format.EncodeSchema(ptr(schemaOf(ref)))
	text, err := format.SchemaJSON(schema)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := format.SchemaHash(schema)
	if err != nil {
		t.Fatal(err)
	}
	types := decoded(t, b, format.TypesKey, format.DecodeTypes)
	types.Entities = append(types.Entities, ref.Name)
	registry := decoded(t, b, format.RegistryKey, format.DecodeRegistry)
	registry.Entity[ref.Name] = schema
	body, err := format.EncodeRegistry(registry)
	if err != nil {
		t.Fatal(err)
	}
	marks := &format.Dropped{}
	if stored, _, err := b.Get(t.Context(), format.DroppedKey); err == nil {
		if marks, err = format.DecodeDropped(format.DroppedKey, stored); err != nil {
			t.Fatal(err)
		}
	}
	delete(marks.Entity, ref.Name)
	for _, o := range []struct {
		key  string
		body []byte
	}{
		{format.VersionsKey(ref), format.EncodeVersions(&format.Versions{TypeKind: "entity", TypeName: ref.Name, Versions: []format.SchemaVersion{{
			CreatedAt: format.TimeOf(at), SchemaHash: hash, SchemaJSON: text, SchemaVersionID: 1,
		}}})},
		{format.TypesKey, format.EncodeTypes(types)},
		{format.DroppedKey, format.EncodeDropped(marks)},
		{format.RegistryKey, body},
	} {
		if _, err := b.Put(t.Context(), o.key, o.body); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheyCreateWhatWeDropped stops the writer of a drop at each of its requests. The next
// writer writes another type, and the original creates the type again: neither program may
// return rows of the dropped type.
func TestTheyCreateWhatWeDropped(t *testing.T) {
	for _, engine := range []string{format.EngineV1, format.EngineV2} {
		for at, more := 0, true; more; at++ {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				initialise(t, disk, engine, thing, other)
				first := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "first"})
				if _, err := first.Commit(t.Context(), put(1, "old", 1, thing)); err != nil {
					t.Fatal(err)
				}
				closeIt(t, first)
				theyCommit(t, disk, thing, "older") // the index is the original's
				b := &faulty.Bucket{Bucket: disk, At: at, Dead: true}
				c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
				_, err := c.Commit(t.Context(), drop(3, thing))
				_ = c.Close(t.Context())
				more = b.Requests() > at
				time.Sleep(time.Minute)
				next := func(tx writepath.Tx) {
					t.Helper()
					c := writepath.Open(writepath.Options{Bucket: disk, RuntimeID: "next"})
					if _, err := c.Commit(t.Context(), tx); err != nil {
						t.Fatalf("at request %d: %v", at, err)
					}
					closeIt(t, c)
				}
				head := readHead(t, disk).CommitID
				next(put(head, "x", 1, other))
				if head == 3 { // the drop was not committed
					if err == nil {
						t.Errorf("request %d: the drop was acknowledged and is not there", at)
					}
					return
				}
				time.Sleep(time.Second)
				theyRegister(t, disk, thing, time.Now())
				theyCommit(t, disk, thing, "theirs")
				next(put(head+2, "ours", 1, thing))
				theyCommit(t, disk, other, "last")
				found, err := original.Read(t.Context(), disk)
				if err != nil {
					t.Fatalf("at request %d: %v", at, err)
				}
				var keys []string
				for _, r := range found[thing].Rows {
					keys = append(keys, r.Key)
				}
				if len(keys) != 2 || keys[0] != "theirs" || keys[1] != "ours" {
					t.Errorf("at request %d the original reads %q of the new type, want theirs and ours", at, keys)
				}
				verify(t, disk)
			})
		}
	}
}

// TestTheirsAfterOurDrop: the original registers a dropped type again, without a commit; the
// next process does not project the drop again, and does not rewrite objects that are up to
// date.
func TestTheirsAfterOurDrop(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other)
	process := func(tx writepath.Tx) {
		t.Helper()
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		closeIt(t, c)
	}
	process(drop(1, thing))
	_, emptied, err := b.Get(t.Context(), format.VersionsKey(thing))
	if err != nil {
		t.Fatal(err)
	}
	process(put(2, "a", 1, other))
	if _, again, err := b.Get(t.Context(), format.VersionsKey(thing)); err != nil || again != emptied {
		t.Errorf("the versions of the dropped type were written again (%v)", err)
	}
	theyRegister(t, b, thing, time.Now().Add(time.Minute))
	process(put(3, "b", 1, other))
	process(put(4, "c", 1, thing))
	checkProjected(t, b, other, thing)
	if marks := decoded(t, b, format.DroppedKey, format.DecodeDropped); len(marks.Entity) != 0 {
		t.Errorf("the type that is theirs is marked as dropped: %+v", marks.Entity)
	}
	verify(t, b)
}

// TestDropAndCreateInOneCommit: the type is a new one from this commit on, even if its schema
// equals the old type's first one, and it only has the rows of this commit.
func TestDropAndCreateInOneCommit(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV2, thing, other)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	if _, err := c.Commit(t.Context(), put(1, "old", 1, thing)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Commit(t.Context(), migrate(thing)); err != nil {
		t.Fatal(err)
	}
	layouts := &format.Layouts{Layouts: []format.Layout{{ActivationCommitID: 1, IsCurrent: true, SchemaVersionID: 1, TypeKind: "entity", TypeName: "Thing"}}}
	if _, err := b.Put(t.Context(), format.LayoutsKey, format.EncodeLayouts(layouts)); err != nil {
		t.Fatal(err)
	}
	tx := put(3, "new", 1, thing)
	tx.Schema = func(s *migration.State) error {
		schema := schemaOf(thing)
		return errors.Join(s.Drop(thing, true), s.Create(&schema, format.Extras{}))
	}
	if out, err := c.Commit(t.Context(), tx); err != nil || out.Commit != 4 {
		t.Fatalf("drop and create: %+v, %v", out, err)
	}
	var changed *writepath.SchemaChangedError
	if _, err := c.Commit(t.Context(), put(3, "late", 1, thing)); !errors.As(err, &changed) {
		t.Errorf("rows for the type as it was: %v", err)
	}
	closeIt(t, c)
	checkProjected(t, b, thing, other)
	if v := decoded(t, b, format.VersionsKey(thing), format.DecodeVersions).Versions; len(v) != 1 || v[0].SchemaVersionID != 1 || v[0].CreatedAt.Equal(birth) {
		t.Errorf("the versions of the new type are %+v", v)
	}
	if x := decoded(t, b, format.IndexKey(thing), format.DecodeIndex); len(x.Entries) != 1 || x.Entries[0].MinCommitID != 4 {
		t.Errorf("the index of the new type is %+v, want commit 4 alone", x)
	}
	if left := decoded(t, b, format.LayoutsKey, format.DecodeLayouts).Layouts; len(left) != 0 {
		t.Errorf("the layout of the old type is left: %+v", left)
	}
	verify(t, b)
}

// TestVerifyTellsTheirsFromOurDrop: Verify must not report a type that the original registered
// after the drop as an unprojected drop, whatever its time; the same type without that
// registration must be reported.
func TestVerifyTellsTheirsFromOurDrop(t *testing.T) {
	asItWas := func(t *testing.T, b *mem.Bucket, before map[string][]byte) {
		err := b.Delete(t.Context(), format.DroppedKey)
		for key, body := range before {
			_, putErr := b.Put(t.Context(), key, body)
			err = errors.Join(err, putErr)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	theirs := func(at time.Time) func(*testing.T, *mem.Bucket, map[string][]byte) {
		return func(t *testing.T, b *mem.Bucket, _ map[string][]byte) { theyRegister(t, b, thing, at) }
	}
	for name, tc := range map[string]struct {
		then func(t *testing.T, b *mem.Bucket, before map[string][]byte)
		lags bool
	}{
		"as it was":                 {asItWas, true},
		"by a clock that is behind": {theirs(birth.Add(time.Hour)), false},
		"by a clock that is ahead":  {theirs(time.Now().Add(time.Hour)), false},
	} {
		t.Run(name, func(t *testing.T) {
			b := mem.New("x")
			initialise(t, b, format.EngineV1, thing, other)
			before := map[string][]byte{}
			for _, key := range []string{format.VersionsKey(thing), format.TypesKey, format.RegistryKey} {
				body, _, err := b.Get(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				before[key] = body
			}
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			if _, err := c.Commit(t.Context(), drop(1, thing)); err != nil {
				t.Fatal(err)
			}
			closeIt(t, c)
			tc.then(t, b, before)
			report, err := maintain.Verify(t.Context(), b)
			if err != nil || report.Err() != nil {
				t.Fatal(err, report.Err())
			}
			lags := slices.ContainsFunc(report.Problems, func(p maintain.Problem) bool { return p.Rule == maintain.A13 })
			if lags != tc.lags {
				t.Errorf("the drop waits for its projection: %t, want %t\n%s", lags, tc.lags, report)
			}
		})
	}
}

// TestVerifyAfterADrop: the index of a dropped type ends at its drop and is never reported as
// behind.
func TestVerifyAfterADrop(t *testing.T) {
	for name, drops := range map[string]func(*testing.T, *mem.Bucket){
		"ours": func(t *testing.T, b *mem.Bucket) {
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			if _, err := c.Commit(t.Context(), drop(2, thing)); err != nil {
				t.Fatal(err)
			}
			closeIt(t, c)
		},
		"the original's": func(t *testing.T, b *mem.Bucket) { theyDrop(t, b, thing) },
	} {
		b := mem.New("x")
		initialise(t, b, format.EngineV1, thing, other)
		process := func(tx writepath.Tx) {
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			if _, err := c.Commit(t.Context(), tx); err != nil {
				t.Fatal(err)
			}
			closeIt(t, c)
		}
		process(put(1, "a", 1, thing))
		drops(t, b)
		process(put(3, "b", 1, other))
		process(put(4, "c", 1, other))
		report, err := maintain.Verify(t.Context(), b)
		if err != nil || len(report.Problems) > 0 {
			t.Errorf("after %s drop: %v\n%s", name, err, report)
		}
	}
}
