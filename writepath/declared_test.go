package writepath_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// checkDeclared checks that other readers find the extras and the field ids of the newest
// schema change.
func checkDeclared(t *testing.T, b objstore.Bucket) {
	t.Helper()
	want := &format.DeclaredTypes{}
	for _, m := range commits(t, b) {
		change, err := m.SchemaChange("")
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			want.Types, want.FieldIDs = change.Extras, change.FieldIDs
		}
	}
	body, _, err := b.Get(context.WithoutCancel(t.Context()), format.ExtrasKey)
	if errors.Is(err, objstore.ErrNotFound) {
		if len(want.Types)+len(want.FieldIDs) > 0 {
			t.Errorf("there is no %s, want %+v", format.ExtrasKey, want)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := format.DecodeDeclaredTypes(format.ExtrasKey, body); err != nil || !got.Same(want) {
		t.Errorf("%s is %s (%v), want %+v", format.ExtrasKey, body, err, want)
	}
}

// TestExtras follows the declarations of SQL and the field ids: they are created with a type,
// kept by changes of other types, changed without a new schema version, and dropped with the
// type. Every step is run by another process.
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
		return func(s *migration.State) error { return s.Migrate(1, &schema, nil, migration.ReasonMigration) }
	}
	text := format.Extras{Kind: "entity", Type: "Thing", Comment: "Any thing.", Columns: []format.ColumnExtras{{Field: "n", Comment: "A number."}, {Field: "id"}}}
	describe := func(s *migration.State) error { return s.Describe(declared("Any thing.")) }
	steps := []struct {
		what   string
		change func(*migration.State) error
		want   []format.Extras
		ids    []string // of the types that have field ids, with the version that they cover
		kept   bool     // the object is not written again
	}{
		{"create", create(thing, declared("A thing.")), []format.Extras{declared("A thing.")}, []string{"Other 1", "Thing 1"}, false},
		{"create another type", create(links, format.Extras{}), []format.Extras{declared("A thing.")}, []string{"Other 1", "Thing 1", "Links 1"}, false},
		{"describe", describe, []format.Extras{declared("Any thing.")}, []string{"Other 1", "Thing 1", "Links 1"}, false},
		{"describe it alike", describe, []format.Extras{declared("Any thing.")}, []string{"Other 1", "Thing 1", "Links 1"}, true},
		{"migrate another type", toText(other), []format.Extras{declared("Any thing.")}, []string{"Other 2", "Thing 1", "Links 1"}, false},
		{"migrate it", toText(thing), []format.Extras{text}, []string{"Other 2", "Thing 2", "Links 1"}, false},
		{"drop it", func(s *migration.State) error { return errors.Join(s.Drop(links, false), s.Drop(thing, false)) }, nil, []string{"Other 2"}, false},
		{"create it again", create(thing, format.Extras{}), nil, []string{"Other 2", "Thing 1"}, false},
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
		got, err := format.DecodeDeclaredTypes(format.ExtrasKey, body)
		if err != nil || !format.SameExtras(got.Types, step.want) {
			t.Errorf("%s: %s (%v), want %+v", step.what, body, err, step.want)
		}
		var ids []string
		for _, of := range got.FieldIDs {
			ids = append(ids, fmt.Sprint(of.Type, " ", of.Through))
		}
		if !slices.Equal(ids, step.ids) {
			t.Errorf("%s: field ids of %q, want %q", step.what, ids, step.ids)
		}
		if kept := version == before; kept != step.kept {
			t.Errorf("%s: the object was kept: %t, want %t", step.what, kept, step.kept)
		}
		before = version
	}
	checkProjected(t, b, thing, other)
	verify(t, b)
}

// TestNextWriterDeclares: the writer of a change died before it wrote the extras, or left a
// damaged object; the next writer writes them, except those of a type that the original has
// dropped since.
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
