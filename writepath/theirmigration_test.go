package writepath_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// theyMigrate gives an entity type the field "theirs" as the original does: a commit
// that says so, and then, unless the original dies in between, the versions and the
// registry (COMPAT 3.4, 5.1).
func theyMigrate(t *testing.T, b objstore.Bucket, ref ontosql.TypeRef, dies bool) {
	t.Helper()
	head := readHead(t, b)
	id, parent := head.CommitID+1, head.CommitID
	path := format.ManifestKey(id, "0badc0de")
	list := decoded(t, b, format.VersionsKey(ref), format.DecodeVersions)
	before, _ := list.Current()
	body, err := format.EncodeManifest(&format.Manifest{
		CommitID: id, CreatedAt: head.UpdatedAt, RuntimeID: "original", ParentCommitID: &parent, ParentManifestPath: head.ManifestPath,
		Metadata: format.MigrationMetadata([]format.Migrated{{Type: ref, From: before.SchemaVersionID, To: before.SchemaVersionID + 1}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string, body []byte) {
		t.Helper()
		if _, err := b.Put(t.Context(), key, body); err != nil {
			t.Fatal(err)
		}
	}
	put(path, body)
	put(format.HeadKey, format.EncodeHead(&format.Head{CommitID: id, ManifestPath: &path, RuntimeID: "original", UpdatedAt: head.UpdatedAt}))
	if dies {
		return
	}
	next := schemaOf(ref)
	next.Fields = append(next.Fields, format.NewField("theirs", format.FieldStr, true))
	schema := format.EncodeSchema(&next)
	hash, err := format.SchemaHash(schema)
	if err != nil {
		t.Fatal(err)
	}
	text, err := format.SchemaJSON(schema)
	if err != nil {
		t.Fatal(err)
	}
	list.Versions = append(slices.Clone(list.Versions), format.SchemaVersion{
		CreatedAt: head.UpdatedAt, Reason: ptr("migration"), SchemaHash: hash, SchemaJSON: text, SchemaVersionID: before.SchemaVersionID + 1,
	})
	put(format.VersionsKey(ref), format.EncodeVersions(list))
	registry := decoded(t, b, format.RegistryKey, format.DecodeRegistry)
	registry.Entity[ref.Name] = schema
	if body, err = format.EncodeRegistry(registry); err != nil {
		t.Fatal(err)
	}
	put(format.RegistryKey, body)
}

// TestTheyMigrateWhatWeChanged: our process dies right after the swap of a change of a
// type, so that the original knows nothing of it, and the original migrates the type in a
// later commit. That commit wins for our readers and for the next writer, who tells so;
// what else the change did is projected. Where the original dies before it wrote the
// versions of its migration, there is nothing of it and ours is.
func TestTheyMigrateWhatWeChanged(t *testing.T) {
	drops := func(s *migration.State) error { return s.Drop(thing, true) }
	remakes := func(s *migration.State) error {
		return errors.Join(s.Drop(thing, true), s.Create(ptr(schemaOf(thing)), format.Extras{}))
	}
	for _, engine := range []string{format.EngineV1, format.EngineV2} {
		for name, ours := range map[string]func(*migration.State) error{"migrate": migrate(thing, other).Schema, "drop": drops, "drop and create": remakes} {
			for _, dies := range []bool{false, true} {
				t.Run(engine+"/"+name+map[bool]string{true: "/they die, too"}[dies], func(t *testing.T) {
					b := mem.New("x")
					initialise(t, b, engine, thing, other)
					before := map[string][]byte{}
					for _, prefix := range []string{"meta/schema/", "meta/indices/", "meta/ontosql/"} {
						if err := b.List(t.Context(), prefix, func(o objstore.Object) (err error) {
							before[o.Key], _, err = b.Get(t.Context(), o.Key)
							return err
						}); err != nil {
							t.Fatal(err)
						}
					}
					process := func(tx writepath.Tx) {
						t.Helper()
						c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
						if _, err := c.Commit(t.Context(), tx); err != nil {
							t.Fatal(err)
						}
						closeIt(t, c)
					}
					process(writepath.Tx{Pin: 1, Actor: "ann", Schema: ours})
					if err := b.List(t.Context(), "meta/schema/", func(o objstore.Object) error {
						if before[o.Key] == nil {
							return b.Delete(t.Context(), o.Key)
						}
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					for key, body := range before {
						if _, err := b.Put(t.Context(), key, body); err != nil {
							t.Fatal(err)
						}
					}
					theyMigrate(t, b, thing, dies)
					theirs := fieldsSeen(t, b, thing)
					if strings.Contains(theirs, "theirs") == dies {
						t.Errorf("before the next writer readers see %s", theirs)
					}
					rowOf := func(pin ontosql.CommitID, id string) writepath.Tx {
						tx := put(pin, id, 1, other)
						if name == "migrate" {
							tx.Data[0].SchemaVersion = 2
						}
						return tx
					}
					process(rowOf(3, "x"))
					if now := fieldsSeen(t, b, thing); now != theirs {
						t.Errorf("the next writer made %s of %s", now, theirs)
					}
					list, _ := decoded(t, b, format.VersionsKey(thing), format.DecodeVersions).Current()
					if strings.Contains(list.SchemaJSON, "theirs") == dies {
						t.Errorf("the versions end with %s", list.SchemaJSON)
					}
					told := map[string]string{}
					rows, version := recoveries(t, b)
					for _, r := range rows {
						told[r.Projection] = r.Outcome
					}
					if want := map[bool]string{false: format.RecoveryForeign, true: format.RecoveryWritten}[dies]; told[format.VersionsKey(thing)] != want {
						t.Errorf("recoveries tells %q of the versions, want %q: %v", told[format.VersionsKey(thing)], want, told)
					}
					process(rowOf(4, "y"))
					if again, same := recoveries(t, b); same != version {
						t.Errorf("a third writer tells %+v", again)
					}
					verify(t, b)
				})
			}
		}
	}
}

// fieldsSeen are the columns of a type that a reader sees, or "".
func fieldsSeen(t *testing.T, b objstore.Bucket, ref ontosql.TypeRef) string {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		t.Fatal(err)
	}
	reader := resolver.Open(resolver.Options{Bucket: b, Log: log})
	defer reader.Close()
	pin, err := reader.Pin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found, ok := pin.Catalog.Type(ref)
	if !ok {
		return ""
	}
	var names []string
	for _, c := range found.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}
