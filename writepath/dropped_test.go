package writepath_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// theyRegister registers an entity type as the original does, by its schema objects
// alone (COMPAT 1.4).
func theyRegister(t *testing.T, b objstore.Bucket, ref ontosql.TypeRef) {
	t.Helper()
	now, schema := format.TimeOf(time.Now()), format.EncodeSchema(ptr(schemaOf(ref)))
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
	marks := decoded(t, b, format.DroppedKey, format.DecodeDropped)
	delete(marks.Entity, ref.Name)
	registry := decoded(t, b, format.RegistryKey, format.DecodeRegistry)
	registry.Entity[ref.Name] = schema
	body, err := format.EncodeRegistry(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []struct {
		key  string
		body []byte
	}{
		{format.VersionsKey(ref), format.EncodeVersions(&format.Versions{TypeKind: "entity", TypeName: ref.Name, Versions: []format.SchemaVersion{{
			CreatedAt: now, SchemaHash: hash, SchemaJSON: text, SchemaVersionID: 1,
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

// TestTheyCreateWhatWeDropped lets the writer of a drop die at each of its requests,
// the next one write another type, and the original create the type again: by its
// rules nothing of the type as it was comes back, nor by ours.
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
				theyCommit(t, disk, thing, "older") // so that its index is not ours
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
				if head == 3 { // the drop did not land
					if err == nil {
						t.Errorf("request %d: the drop was acknowledged and is not there", at)
					}
					return
				}
				time.Sleep(time.Second)
				theyRegister(t, disk, thing)
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
