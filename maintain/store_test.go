package maintain_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
)

// store is a store to be damaged. Changing an object also updates the checksum that another
// object has of it, so that only the intended damage is found.
type store struct {
	*mem.Bucket
	t *testing.T
}

// open returns a copy of a store: "demo", or one of fixtures.Stores.
func open(t *testing.T, name string) store {
	t.Helper()
	s := store{mem.New(name), t}
	if name != ours {
		fixtures.Load(t, s, name)
		return s
	}
	objects, err := demoObjects()
	must(t, err)
	for key, body := range objects {
		s.put(key, body)
	}
	return s
}

// demoObjects returns the objects of the demo, which takes time to write.
var demoObjects = sync.OnceValues(func() (map[string][]byte, error) {
	ctx := context.Background()
	b := mem.New("demo")
	if err := demo.Fill(ctx, b, nil); err != nil {
		return nil, fmt.Errorf("fill the demo: %w", err)
	}
	objects := map[string][]byte{}
	return objects, b.List(ctx, "", func(o objstore.Object) (err error) {
		objects[o.Key], _, err = b.Get(ctx, o.Key)
		return err
	})
})

func (s store) get(key string) []byte {
	s.t.Helper()
	body, _, err := s.Get(s.t.Context(), key)
	if err != nil {
		s.t.Fatalf("read %s: %v", key, err)
	}
	return body
}

func (s store) put(key string, body []byte) {
	s.t.Helper()
	if _, err := s.Put(s.t.Context(), key, body); err != nil {
		s.t.Fatalf("write %s: %v", key, err)
	}
}

func (s store) remove(key string) {
	s.t.Helper()
	s.get(key)
	if err := s.Delete(s.t.Context(), key); err != nil {
		s.t.Fatalf("remove %s: %v", key, err)
	}
}

// replace replaces the first occurrence of old in an object, and updates the checksum in the
// head or manifest.
func (s store) replace(key, old, new string) {
	s.t.Helper()
	body := s.get(key)
	if !bytes.Contains(body, []byte(old)) {
		s.t.Fatalf("%s has no %s:\n%s", key, old, body)
	}
	s.rewrite(key, bytes.Replace(body, []byte(old), []byte(new), 1))
}

func (s store) rewrite(key string, body []byte) {
	s.t.Helper()
	before, after := sum(s.get(key)), sum(body)
	s.put(key, body)
	for _, by := range append(s.keys("commits/"), format.HeadKey) {
		if text := s.get(by); strings.HasSuffix(by, ".json") && by != key && bytes.Contains(text, []byte(before)) {
			s.rewrite(by, bytes.ReplaceAll(text, []byte(before), []byte(after)))
		}
	}
}

func sum(body []byte) string {
	h := sha256.Sum256(body)
	return hex.EncodeToString(h[:])
}

func (s store) keys(prefix string) []string {
	s.t.Helper()
	var keys []string
	err := s.List(s.t.Context(), prefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		s.t.Fatalf("list %s: %v", prefix, err)
	}
	return keys
}

// find returns the only key below commits/N- with a suffix, such as find(1,
// "Customer.parquet").
func (s store) find(id string, suffix string) string {
	s.t.Helper()
	keys := slices.DeleteFunc(s.keys("commits/"+id+"-"), func(k string) bool { return !strings.HasSuffix(k, suffix) })
	if len(keys) != 1 {
		s.t.Fatalf("commit %s has %d objects %s", id, len(keys), suffix)
	}
	return keys[0]
}

// editSchema replaces a text in the last schema version of a type and updates hash and
// registry.
func (s store) editSchema(ref ontosql.TypeRef, old, new string) {
	s.t.Helper()
	key := format.VersionsKey(ref)
	list, err := format.DecodeVersions(key, s.get(key))
	if err != nil {
		s.t.Fatal(err)
	}
	last := &list.Versions[len(list.Versions)-1]
	if !strings.Contains(last.SchemaJSON, old) {
		s.t.Fatalf("%s has no %s:\n%s", key, old, last.SchemaJSON)
	}
	before, _ := format.Canonicalize([]byte(last.SchemaJSON))
	text := strings.ReplaceAll(last.SchemaJSON, old, new)
	if last.SchemaJSON, err = format.SchemaJSON([]byte(text)); err != nil {
		s.t.Fatal(err)
	}
	last.SchemaHash, _ = format.SchemaHash([]byte(text))
	after, _ := format.Canonicalize([]byte(text))
	s.put(key, format.EncodeVersions(list))
	s.replace(format.RegistryKey, string(before), string(after))
}

// edit changes a data file.
func (s store) edit(key string, change func(*table)) {
	s.t.Helper()
	f, err := format.OpenDataFile(s.get(key))
	if err != nil {
		s.t.Fatalf("open %s: %v", key, err)
	}
	t := &table{}
	for _, c := range f.Columns() {
		t.columns = append(t.columns, column{name: c.Name, kind: c.Kind})
	}
	err = f.Scan(context.WithoutCancel(s.t.Context()), func(batch [][]format.Value) error {
		for i := range batch {
			t.columns[i].values = append(t.columns[i].values, batch[i]...)
		}
		return nil
	})
	if err != nil {
		s.t.Fatalf("read %s: %v", key, err)
	}
	t.columns = slices.DeleteFunc(t.columns, func(c column) bool { return c.kind == format.KindOther })
	change(t)
	s.rewrite(key, t.encode(s.t))
}

// repeatRow duplicates the first row of a file of a commit.
func (s store) repeatRow(id, suffix string) {
	s.t.Helper()
	key := s.find(id, suffix)
	rows := 0
	s.edit(key, func(t *table) {
		rows = len(t.columns[0].values)
		for i := range t.columns {
			t.columns[i].values = append(t.columns[i].values, t.columns[i].values[0])
		}
	})
	entry := func(n int) string { return fmt.Sprintf(`"path":"%s","row_count":%d,`, key, n) }
	s.replace(s.find(id, "manifest.json"), entry(rows), entry(rows+1))
}

func (s store) editIndex(ref ontosql.TypeRef, change func(*format.Index)) {
	s.t.Helper()
	key := format.IndexKey(ref)
	index, err := format.DecodeIndex(key, s.get(key))
	must(s.t, err)
	change(index)
	s.put(key, format.EncodeIndex(index))
}

// changeSchema adds a schema change to the last commit of the demo.
func (s store) changeSchema(change func(*format.SchemaChange)) {
	s.t.Helper()
	first := s.find("1", "manifest.json")
	m, err := format.DecodeManifest(first, s.get(first))
	must(s.t, err)
	c, err := m.SchemaChange(first)
	must(s.t, err)
	change(c)
	key := s.find("54", "manifest.json")
	last, err := format.DecodeManifest(key, s.get(key))
	must(s.t, err)
	last.Metadata[format.MetadataSchema], err = format.EncodeSchemaChange(c)
	must(s.t, err)
	body, err := format.EncodeManifest(last)
	must(s.t, err)
	s.rewrite(key, body)
}

// migrateShop adds a second version of Store and returns both.
func (s store) migrateShop() *format.Versions {
	s.t.Helper()
	versions, err := format.DecodeVersions(format.VersionsKey(shop), s.get(format.VersionsKey(shop)))
	must(s.t, err)
	next := versions.Versions[0]
	next.SchemaVersionID = 2
	next.SchemaJSON, err = format.SchemaJSON([]byte(strings.ReplaceAll(next.SchemaJSON, `"city"`, `"town"`)))
	must(s.t, err)
	next.SchemaHash, err = format.SchemaHash([]byte(next.SchemaJSON))
	must(s.t, err)
	versions.Versions = append(versions.Versions, next)
	s.changeSchema(func(c *format.SchemaChange) {
		c.Versions = []format.Versions{*versions}
		i := slices.IndexFunc(c.Types, func(t format.TypeState) bool { return t.Type == shop.Name })
		c.Types[i].SchemaVersionID = 2
		c.Types[i].Schema, err = format.Canonicalize([]byte(next.SchemaJSON))
	})
	must(s.t, err)
	return versions
}

func (s store) dropShop() {
	s.t.Helper()
	s.changeSchema(func(c *format.SchemaChange) {
		c.Versions = nil
		c.Types = slices.DeleteFunc(c.Types, func(t format.TypeState) bool { return t.Type == shop.Name })
		c.Dropped = []format.DroppedRef{{Kind: "entity", Type: shop.Name, Purged: true}}
	})
}

// registered returns the schema of an entity type in the registry.
func (s store) registered(ref ontosql.TypeRef) string {
	s.t.Helper()
	registry, err := format.DecodeRegistry(format.RegistryKey, s.get(format.RegistryKey))
	must(s.t, err)
	return string(registry.Entity[ref.Name])
}

// editRows replaces a text in the first row of a file and rewrites the file with our writer.
func (s store) editRows(ref ontosql.TypeRef, key, old, new string) {
	s.t.Helper()
	schema, err := format.DecodeSchema(format.RegistryKey, "", []byte(s.registered(ref)))
	must(s.t, err)
	local := filepath.Join(s.t.TempDir(), "rows.parquet")
	must(s.t, os.WriteFile(local, s.get(key), 0o600))
	rows, err := format.ReadRows(local)
	must(s.t, err)
	rows[0].Fields = bytes.Replace(rows[0].Fields, []byte(old), []byte(new), 1)
	var out bytes.Buffer
	_, err = format.WriteRows(&out, ref, format.DataFields(schema.Fields), func(yield func(format.Row, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	})
	must(s.t, err)
	s.rewrite(key, out.Bytes())
}

// lock writes a lock object; the times are of one day.
func (s store) lock(owner string, ttl int64, acquired, expires string) {
	s.t.Helper()
	s.put(format.LockKey, fmt.Appendf(nil,
		`{"acquired_at":"2026-11-21T%s.000000+00:00","expires_at":"2026-11-21T%s.000000+00:00","lease_ttl_ms":%d,"owner_id":"%s"}`,
		acquired, expires, ttl, owner))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkpointOfAnother writes a checkpoint in which the manifest of a commit has other rows.
func (s store) checkpointOfAnother(id string) {
	key := s.find(id, "manifest.json")
	manifest := s.get(key)
	s.put(key, bytes.Replace(manifest, []byte(`"row_count":`), []byte(`"row_count":1`), 1))
	head, err := format.DecodeHead(format.HeadKey, s.get(format.HeadKey))
	must(s.t, err)
	log, err := chain.Open("", chain.Options{Bucket: s})
	must(s.t, err)
	defer log.Close()
	view, err := log.At(s.t.Context(), head)
	must(s.t, err)
	s.put(format.CheckpointKey, view.Checkpoint())
	s.put(key, manifest)
}
