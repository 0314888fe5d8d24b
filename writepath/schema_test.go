package writepath_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// drop is a transaction that drops a type, as DDL makes it.
func drop(pin ontosql.CommitID, ref ontosql.TypeRef) writepath.Tx {
	return writepath.Tx{Pin: pin, Schema: func(s *migration.State) error { return s.Drop(ref, true) }}
}

// migrate is a transaction that gives types a second version, in which n may be
// missing.
func migrate(refs ...ontosql.TypeRef) writepath.Tx {
	return writepath.Tx{Pin: 1, Schema: func(s *migration.State) error {
		for _, ref := range refs {
			schema := schemaOf(ref)
			schema.Fields[len(schema.Fields)-1] = format.NewField("n", format.FieldInt, true)
			if err := s.Migrate(1, &schema, nil, migration.ReasonMigration); err != nil {
				return err
			}
		}
		return nil
	}}
}

func decoded[T any](t *testing.T, b objstore.Bucket, key string, decode func(string, []byte) (T, error)) T {
	t.Helper()
	body, _, err := b.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decode(key, body)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDropAndRegisterAgain(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV2, thing, other)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	if _, err := c.Commit(t.Context(), migrate(thing, other)); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	// As the original's migrations leave them (COMPAT 3.6); we write none.
	layouts := &format.Layouts{Layouts: []format.Layout{
		{ActivationCommitID: 2, IsCurrent: true, SchemaVersionID: 2, TypeKind: "entity", TypeName: "Thing"},
		{ActivationCommitID: 2, IsCurrent: true, SchemaVersionID: 2, TypeKind: "entity", TypeName: "Other"},
	}}
	if _, err := b.Put(t.Context(), format.LayoutsKey, format.EncodeLayouts(layouts)); err != nil {
		t.Fatal(err)
	}
	old := put(2, "old", 1, thing)
	old.Data[0].SchemaVersion = 2
	if _, err := c.Commit(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Commit(t.Context(), drop(3, thing)); err != nil || out.Commit != 4 {
		t.Fatalf("drop: %+v, %v", out, err)
	}
	var changed *writepath.SchemaChangedError
	if _, err := c.Commit(t.Context(), put(4, "a", 1, thing)); !errors.As(err, &changed) || changed.Actual != 0 {
		t.Errorf("rows of a dropped type: %v", err)
	}
	closeIt(t, c)
	maintaintest.Clean(t, b)
	checkProjected(t, b, other)
	mark := decoded(t, b, format.DroppedKey, format.DecodeDropped).Entity["Thing"]
	if mark.CommitID != 4 || !mark.Purged {
		t.Errorf("the mark of the dropped type is %+v", mark)
	}
	if v := decoded(t, b, format.VersionsKey(thing), format.DecodeVersions); len(v.Versions) != 0 {
		t.Errorf("a dropped type has versions %+v", v.Versions)
	}
	if x := decoded(t, b, format.IndexKey(thing), format.DecodeIndex); len(x.Entries) != 0 || x.MaxIndexedCommit != 4 {
		t.Errorf("the index of a dropped type is %+v", x)
	}
	if diff := cmp.Diff(layouts.Layouts[1:], decoded(t, b, format.LayoutsKey, format.DecodeLayouts).Layouts); diff != "" {
		t.Errorf("layouts after the drop (-want +got):\n%s", diff)
	}

	c = writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	if _, err := c.Register(t.Context(), time.Time{}, schemas(thing)); err != nil {
		t.Fatalf("register again: %v", err)
	}
	// Its version is 1 again, as it once was, and still these rows were made for
	// another type.
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); !errors.As(err, &changed) {
		t.Errorf("rows for the type as it was before the drop: %v", err)
	}
	if _, err := c.Commit(t.Context(), put(5, "new", 1, thing)); err != nil {
		t.Error(err)
	}
	closeIt(t, c)
	checkProjected(t, b, thing, other)
	if marks := decoded(t, b, format.DroppedKey, format.DecodeDropped); len(marks.Entity) != 0 {
		t.Errorf("marks after the type is back: %+v", marks.Entity)
	}
	if x := decoded(t, b, format.IndexKey(thing), format.DecodeIndex); len(x.Entries) != 1 || x.Entries[0].MinCommitID != 6 {
		t.Errorf("the index of the type that is back is %+v, want commit 6 alone", x)
	}
	verify(t, b)
}

// theyDrop drops an entity type as the original does, by an empty commit and its
// schema objects (COMPAT 3.7).
func theyDrop(t *testing.T, b objstore.Bucket, ref ontosql.TypeRef) {
	t.Helper()
	head := readHead(t, b)
	id, parent := head.CommitID+1, head.CommitID
	path := format.ManifestKey(id, "0badc0de")
	m := &format.Manifest{
		CommitID: id, CreatedAt: head.UpdatedAt, RuntimeID: "original", ParentCommitID: &parent, ParentManifestPath: head.ManifestPath,
		Metadata: map[string]json.RawMessage{"operation": json.RawMessage(`"schema_drop"`), "target_kind": json.RawMessage(`"entity"`), "target_type": format.AppendString(nil, ref.Name)},
	}
	body, err := format.EncodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	types := decoded(t, b, format.TypesKey, format.DecodeTypes)
	types.Entities = slices.DeleteFunc(types.Entities, func(name string) bool { return name == ref.Name })
	registry := decoded(t, b, format.RegistryKey, format.DecodeRegistry)
	delete(registry.Entity, ref.Name)
	registryBody, err := format.EncodeRegistry(registry)
	if err != nil {
		t.Fatal(err)
	}
	marks := &format.Dropped{
		Entity:    map[string]format.DroppedType{ref.Name: {CommitID: id, Purged: true, UpdatedAt: head.UpdatedAt}},
		Relation:  map[string]format.DroppedType{},
		UpdatedAt: head.UpdatedAt,
	}
	for _, o := range []struct {
		key  string
		body []byte
	}{
		{path, body},
		{format.HeadKey, format.EncodeHead(&format.Head{CommitID: id, ManifestPath: &path, RuntimeID: "original", UpdatedAt: head.UpdatedAt})},
		{format.DroppedKey, format.EncodeDropped(marks)},
		{format.VersionsKey(ref), format.EncodeVersions(&format.Versions{TypeKind: "entity", TypeName: ref.Name})},
		{format.IndexKey(ref), format.EncodeIndex(&format.Index{TypeName: ref.Name, MaxIndexedCommit: id})},
		{format.RegistryKey, registryBody},
		{format.TypesKey, format.EncodeTypes(types)},
	} {
		if _, err := b.Put(t.Context(), o.key, o.body); err != nil {
			t.Fatal(err)
		}
	}
	maintaintest.Clean(t, b)
}

func TestDropByTheOriginal(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other)
	theyDrop(t, b, thing)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	var changed *writepath.SchemaChangedError
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); !errors.As(err, &changed) || changed.Type != thing {
		t.Errorf("rows for a type that the original dropped since: %v", err)
	}
	if _, err := c.Commit(t.Context(), put(1, "a", 1, other)); err != nil {
		t.Errorf("rows of another type: %v", err)
	}
	closeIt(t, c)
	verify(t, b)
}

// TestNextWriterProjects: the writer of a schema change died right after its
// swap; the next one writes the schema objects, and nothing over what the
// original did meanwhile.
func TestNextWriterProjects(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, thing, other)
	for _, ref := range []ontosql.TypeRef{thing, other} {
		if err := b.Delete(t.Context(), format.VersionsKey(ref)); err != nil {
			t.Fatal(err)
		}
	}
	now := format.TimeOf(birth)
	if _, err := b.Put(t.Context(), format.TypesKey, format.EncodeTypes(&format.Types{Entities: []string{"Theirs"}, UpdatedAt: now})); err != nil {
		t.Fatal(err)
	}
	theirs := schemaOf(ontosql.TypeRef{Kind: ontosql.Entity, Name: "Theirs"})
	text, err := format.SchemaJSON(format.EncodeSchema(&theirs))
	if err != nil {
		t.Fatal(err)
	}
	hash, err := format.SchemaHash([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	versions := &format.Versions{TypeKind: "entity", TypeName: "Theirs", Versions: []format.SchemaVersion{{CreatedAt: now, SchemaHash: hash, SchemaJSON: text, SchemaVersionID: 1}}}
	if _, err := b.Put(t.Context(), format.VersionsKey(theirs.Ref), format.EncodeVersions(versions)); err != nil {
		t.Fatal(err)
	}
	registry, err := format.EncodeRegistry(&format.Registry{Entity: map[string]json.RawMessage{"Theirs": format.EncodeSchema(&theirs)}, UpdatedAt: now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Put(t.Context(), format.RegistryKey, registry); err != nil {
		t.Fatal(err)
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	if _, err := c.Commit(t.Context(), put(1, "a", 1, thing)); err != nil {
		t.Errorf("rows for a schema that is not projected yet: %v", err)
	}
	closeIt(t, c)
	if types := decoded(t, b, format.TypesKey, format.DecodeTypes); !slices.Equal(types.Entities, []string{"Other", "Theirs", "Thing"}) {
		t.Errorf("types.json lists %q", types.Entities)
	}
	if r := decoded(t, b, format.RegistryKey, format.DecodeRegistry); len(r.Entity) != 3 {
		t.Errorf("the registry has %d types, want 3", len(r.Entity))
	}
	for _, ref := range []ontosql.TypeRef{thing, other} {
		if x := decoded(t, b, format.IndexKey(ref), format.DecodeIndex); x.MaxIndexedCommit != 2 {
			t.Errorf("the index of %s is at commit %d, want 2", ref, x.MaxIndexedCommit)
		}
	}
	verify(t, b)
}

// TestStateIsTheCatalogs: a gateway computes a change from its catalog, and the change is
// applied to the schema in the store; both must be equal, also after changes of the original
// and after incomplete ones.
func TestStateIsTheCatalogs(t *testing.T) {
	stores := map[string]*mem.Bucket{}
	for _, name := range fixtures.Stores {
		stores[name] = mem.New(name)
		for key, body := range fixtures.Objects(t, name) {
			if _, err := stores[name].Put(t.Context(), key, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	ours := mem.New("ours")
	initialise(t, ours, format.EngineV1, thing, other, links)
	c := writepath.Open(writepath.Options{Bucket: ours, RuntimeID: "test"})
	for i, change := range []func(*migration.State) error{
		remake,
		func(s *migration.State) error {
			return s.Create(ptr(schemaOf(links)), format.Extras{Comment: "A link."})
		},
		migrate(other).Schema,
	} {
		if _, err := c.Commit(t.Context(), writepath.Tx{Pin: ontosql.CommitID(1 + i), Schema: change}); err != nil {
			t.Fatal(err)
		}
	}
	closeIt(t, c)
	theyDrop(t, ours, thing)
	// The original died between its versions and its registry; another version was damaged,
	// and an incomplete type exists only in the list.
	if err := ours.Delete(t.Context(), format.RegistryKey); err != nil {
		t.Fatal(err)
	}
	stores["ours"] = ours
	damaged := mem.New("damaged")
	initialise(t, damaged, format.EngineV1, thing, other)
	for key, body := range map[string]string{
		format.VersionsKey(thing): `{"versions":[{"created_at":null,"schema_hash":"","schema_json":"{","schema_version_id":3}]}`,
		format.TypesKey:           `{"entities":["Thing","Unfinished"],"relations":[]}`,
	} {
		if _, err := damaged.Put(t.Context(), key, []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	stores["damaged"] = damaged
	for name, b := range stores {
		t.Run(name, func(t *testing.T) {
			log, err := chain.Open("", chain.Options{Bucket: b})
			if err != nil {
				t.Fatal(err)
			}
			reader := resolver.Open(resolver.Options{Bucket: b, Log: log})
			defer reader.Close()
			var got *migration.State
			seen := errors.New("seen")
			c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
			_, err = c.Commit(t.Context(), writepath.Tx{Schema: func(s *migration.State) error { got = s; return seen }})
			closeIt(t, c)
			if !errors.Is(err, seen) {
				t.Fatal(err)
			}
			pin, err := reader.Pin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := pin.Catalog.State(got.At.Time, "test")
			for what, diff := range map[string]string{
				"schemas":  cmp.Diff(spelled(want.Types), spelled(got.Types)),
				"versions": cmp.Diff(want.Versions, got.Versions, cmpopts.EquateEmpty()),
				"extras":   cmp.Diff(want.Extras, got.Extras),
			} {
				if diff != "" {
					t.Errorf("%s (-catalog +store):\n%s", what, diff)
				}
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

func spelled(types map[ontosql.TypeRef]json.RawMessage) map[string]string {
	all := map[string]string{}
	for ref, text := range types {
		all[ref.String()] = string(text)
	}
	return all
}
