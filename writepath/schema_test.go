package writepath_test

import (
	"context"
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
			if err := s.Migrate(1, &schema, migration.ReasonMigration); err != nil {
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

// checkDeclared says whether other readers find the extras that the newest
// schema change left.
func checkDeclared(t *testing.T, b objstore.Bucket) {
	t.Helper()
	var want []format.Extras
	for _, m := range commits(t, b) {
		change, err := m.SchemaChange("")
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			want = change.Extras
		}
	}
	body, _, err := b.Get(context.WithoutCancel(t.Context()), format.ExtrasKey)
	if errors.Is(err, objstore.ErrNotFound) {
		if len(want) > 0 {
			t.Errorf("there is no %s, want %+v", format.ExtrasKey, want)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := format.DecodeDeclaredTypes(format.ExtrasKey, body); err != nil || !format.SameExtras(got.Types, want) {
		t.Errorf("%s is %s (%v), want %+v", format.ExtrasKey, body, err, want)
	}
}

// TestExtras goes through the life of what SQL declares: it comes with a type, is
// carried on by changes that are not about it, changes without a schema version,
// and goes with the type. Every step is another process's.
func TestExtras(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1, other)
	declared := func(comment string) format.Extras {
		return format.Extras{Kind: "entity", Type: "Thing", Comment: comment, Columns: []format.ColumnExtras{{Field: "n", Default: "7", Comment: "A number."}, {Field: "id"}}}
	}
	create := func(ref ontosql.TypeRef, extras format.Extras) func(*migration.State) error {
		schema := schemaOf(ref)
		return func(s *migration.State) error { return s.Create(&schema, extras) }
	}
	toText := func(ref ontosql.TypeRef) func(*migration.State) error {
		schema := schemaOf(ref)
		schema.Fields[1] = format.NewField("n", format.FieldStr, false)
		return func(s *migration.State) error { return s.Migrate(1, &schema, migration.ReasonMigration) }
	}
	text := format.Extras{Kind: "entity", Type: "Thing", Comment: "Any thing.", Columns: []format.ColumnExtras{{Field: "n", Comment: "A number."}, {Field: "id"}}}
	steps := []struct {
		what   string
		change func(*migration.State) error
		want   []format.Extras
		kept   bool // the object is not written again
	}{
		{"create", create(thing, declared("A thing.")), []format.Extras{declared("A thing.")}, false},
		{"create another type", create(links, format.Extras{}), []format.Extras{declared("A thing.")}, true},
		{"describe", func(s *migration.State) error { return s.Describe(declared("Any thing.")) }, []format.Extras{declared("Any thing.")}, false},
		{"migrate another type", toText(other), []format.Extras{declared("Any thing.")}, true},
		{"migrate it", toText(thing), []format.Extras{text}, false},
		{"drop it", func(s *migration.State) error { return errors.Join(s.Drop(links, false), s.Drop(thing, false)) }, nil, false},
		{"create it again", create(thing, format.Extras{}), nil, true},
	}
	var before objstore.Version
	for i, step := range steps {
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
		if _, err := c.Commit(t.Context(), writepath.Tx{Pin: ontosql.CommitID(i + 1), Schema: step.change}); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		closeIt(t, c)
		checkDeclared(t, b)
		body, version, err := b.Get(t.Context(), format.ExtrasKey)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := format.DecodeDeclaredTypes(format.ExtrasKey, body); err != nil || !format.SameExtras(got.Types, step.want) {
			t.Errorf("%s: %s (%v), want %+v", step.what, body, err, step.want)
		}
		if kept := version == before; kept != step.kept {
			t.Errorf("%s: the object was kept: %t, want %t", step.what, kept, step.kept)
		}
		before = version
	}
	checkProjected(t, b, thing, other)
	verify(t, b)
}

// TestNextWriterDeclares: the writer of a change died before it wrote the extras,
// or left half an object; the next one writes them, save those of a type that the
// original has dropped since.
func TestNextWriterDeclares(t *testing.T) {
	b := mem.New("x")
	initialise(t, b, format.EngineV1)
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "test"})
	_, err := c.Commit(t.Context(), writepath.Tx{Schema: func(s *migration.State) error {
		first, second := schemaOf(thing), schemaOf(other)
		return errors.Join(s.Create(&first, format.Extras{Comment: "A thing."}), s.Create(&second, format.Extras{Comment: "Another."}))
	}})
	if err != nil {
		t.Fatal(err)
	}
	closeIt(t, c)
	next := func(what string) {
		t.Helper()
		c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "next"})
		if _, err := c.Commit(t.Context(), put(readHead(t, b).CommitID, what, 1, other)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		closeIt(t, c)
	}
	if err := b.Delete(t.Context(), format.ExtrasKey); err != nil {
		t.Fatal(err)
	}
	next("gone")
	checkDeclared(t, b)
	if _, err := b.Put(t.Context(), format.ExtrasKey, []byte(`{"types":[{"kind":`)); err != nil {
		t.Fatal(err)
	}
	next("damaged")
	checkDeclared(t, b)
	theyDrop(t, b, thing)
	next("dropped by the original")
	got := decoded(t, b, format.ExtrasKey, format.DecodeDeclaredTypes).Types
	if want := []format.Extras{{Kind: "entity", Type: "Other", Comment: "Another."}}; !format.SameExtras(got, want) {
		t.Errorf("the extras after the original dropped a type: %+v, want %+v", got, want)
	}
	verify(t, b)
}

// TestTheirsAfterOurDrop: the original registers a type again that we dropped,
// without a commit; the next process of ours projects the drop no more. What it
// finds done it does not write again.
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

	schema := format.EncodeSchema(ptr(schemaOf(thing)))
	text, err := format.SchemaJSON(schema)
	if err != nil {
		t.Fatal(err)
	}
	hash, err := format.SchemaHash(schema)
	if err != nil {
		t.Fatal(err)
	}
	later := format.TimeOf(time.Now().Add(time.Minute))
	types := decoded(t, b, format.TypesKey, format.DecodeTypes)
	types.Entities = append(types.Entities, "Thing")
	registry := decoded(t, b, format.RegistryKey, format.DecodeRegistry)
	registry.Entity["Thing"] = schema
	registryBody, err := format.EncodeRegistry(registry)
	if err != nil {
		t.Fatal(err)
	}
	for key, body := range map[string][]byte{
		format.VersionsKey(thing): format.EncodeVersions(&format.Versions{TypeKind: "entity", TypeName: "Thing", Versions: []format.SchemaVersion{{CreatedAt: later, SchemaHash: hash, SchemaJSON: text, SchemaVersionID: 1}}}),
		format.TypesKey:           format.EncodeTypes(types),
		format.DroppedKey:         format.EncodeDropped(&format.Dropped{UpdatedAt: later}),
		format.RegistryKey:        registryBody,
	} {
		if _, err := b.Put(t.Context(), key, body); err != nil {
			t.Fatal(err)
		}
	}
	process(put(3, "b", 1, other))
	process(put(4, "c", 1, thing))
	checkProjected(t, b, other, thing)
	if marks := decoded(t, b, format.DroppedKey, format.DecodeDropped); len(marks.Entity) != 0 {
		t.Errorf("the type that is theirs is marked as dropped: %+v", marks.Entity)
	}
	verify(t, b)
}

// TestDropAndCreateInOneCommit: the type is another one from this commit on, also
// where the new one has the schema that the old one began with, and its rows of
// this commit are the only ones.
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

// TestStateIsTheCatalogs: a gateway works a change out from its catalog, and it is
// done to what stands in the store; both must be one schema, also where the
// original was at work or left something half done.
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
	// The original died between its versions and its registry; another version was
	// damaged, and a type that nobody finished is in the list alone.
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
