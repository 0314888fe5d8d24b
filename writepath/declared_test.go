package writepath_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

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
