package catalog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// TestOverlayIsWhatIsCommitted runs random histories of schema changes, of ours
// and of the original's, on a store of which only the schema objects and the
// newest change are there. Before each commit of ours the catalog under the
// change must be what it is after it, wherever the writer died in projecting it,
// and both must be the model, which is a map.
func TestOverlayIsWhatIsCommitted(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(rand.New(rand.NewPCG(seed, 7)))
			for range 40 {
				if w.rand.IntN(2) == 0 {
					w.original(t)
				} else {
					w.transaction(t)
				}
			}
		})
	}
}

// transaction is one of ours: some operations, the catalog under them, the
// commit, and a projection that may stop anywhere.
func (w *world) transaction(t *testing.T) {
	t.Helper()
	w.tick()
	pinned, _ := Build(w.in)
	state := pinned.State(w.at, "test")
	for _, m := range w.model {
		m.declare()
	}
	overlaid, steps := pinned, 1+w.rand.IntN(4)
	for range steps {
		w.operation(t, state)
		overlaid, _ = pinned.Overlay(state.Change(), w.in.Head, w.at, "after")
		w.check(t, "under the change", overlaid)
	}
	// A transaction may also go on from the catalog that it made itself.
	again := overlaid.State(w.at, "test")
	if diff := different(contents(state), contents(again)); diff != "" {
		t.Errorf("the State of an overlay (-of the change +of its catalog):\n%s", diff)
	}

	text, err := format.EncodeSchemaChange(state.Change())
	if err != nil {
		t.Fatal(err)
	}
	change, err := format.DecodeSchemaChange("m", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range migration.CheckFieldIDs(w.in.Change, change, func(ref ontosql.TypeRef) bool { return w.floors[ref] > w.in.ChangedBy }) {
		t.Error(problem)
	}
	w.in.Head++
	w.in.Change, w.in.ChangedBy, w.in.ChangedAt = change, w.in.Head, w.at
	for _, d := range change.Dropped {
		w.floors[d.Ref()] = w.in.Head
	}
	for _, m := range w.model {
		if m.floor < 0 {
			m.floor = w.in.Head
		}
	}
	for done := range 5 {
		w.pin()
		w.project(done)
		committed, _ := Build(w.in)
		w.check(t, fmt.Sprintf("after %d steps of the projection", done), committed)
		if diff := different(overlaid.Types, committed.Types); diff != "" {
			t.Fatalf("after %d steps of the projection (-overlay +committed):\n%s", done, diff)
		}
		if diff := different(contents(again), contents(committed.State(w.at, "test"))); diff != "" {
			t.Fatalf("the State after %d steps of the projection (-overlay +committed):\n%s", done, diff)
		}
	}
}

// different is cmp.Diff for what is nearly always equal.
func different(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return cmp.Diff(a, b, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Type{}))
}

// contents are what a State starts from.
func contents(s *migration.State) []any { return []any{s.Types, s.Versions, s.Extras, s.FieldIDs} }

// operation does something to the State and to the model, or is refused by both.
func (w *world) operation(t *testing.T, s *migration.State) {
	t.Helper()
	ref := w.someRef()
	m, exists := w.model[ref]
	var err, want error
	switch w.rand.IntN(6) {
	case 0, 1:
		schema, extras := w.someSchema(ref), w.someExtras(ref)
		err = s.Create(&schema, extras)
		switch {
		case exists:
			want = new(migration.ExistsError)
		case ref.Kind == ontosql.Relation && !w.linked(&schema):
			want = new(migration.NoEndpointError)
		default:
			w.created(s, schema, extras)
		}
	case 2:
		schema, from := w.someSchema(ref), int64(1+w.rand.IntN(2))
		if exists && w.rand.IntN(4) > 0 {
			from = int64(m.versions)
		}
		continues := migration.Continues{}
		for _, f := range schema.Fields {
			if before := schema.Fields[w.rand.IntN(len(schema.Fields))].Name; w.rand.IntN(3) == 0 {
				continues[f.Name] = before
			} else if w.rand.IntN(5) == 0 {
				continues[f.Name] = ""
			}
		}
		err = s.Migrate(from, &schema, continues, migration.ReasonMigration)
		switch {
		case !exists:
			want = new(migration.MissingError)
		case from != int64(m.versions):
			want = new(migration.VersionError)
		case ref.Kind == ontosql.Relation && !w.linked(&schema):
			want = new(migration.NoEndpointError)
		default:
			m.schema = schema
			m.versions++
			m.declare()
		}
	case 3:
		err = s.Drop(ref, true)
		switch {
		case !exists:
			want = new(migration.MissingError)
		case len(w.linking(ref)) > 0:
			want = new(migration.LinkedError)
		default:
			delete(w.model, ref)
		}
	case 4: // dropped, and created as it once was
		if !exists || len(w.linking(ref)) > 0 {
			return
		}
		first, decodeErr := format.DecodeSchema("", "", []byte(s.Versions[ref][0].SchemaJSON))
		if decodeErr != nil {
			t.Fatal(decodeErr)
		}
		if ref.Kind == ontosql.Relation && !w.linked(first) {
			return
		}
		if err = errors.Join(s.Drop(ref, false), s.Create(first, format.Extras{})); err == nil {
			w.created(s, *first, format.Extras{})
		}
	case 5:
		extras := w.someExtras(ref)
		err = s.Describe(extras)
		if want = error(new(migration.MissingError)); exists {
			m.extras, m.then, want = extras, m.schema, nil
			m.declare()
		}
	}
	if got, expected := fmt.Sprintf("%T", err), fmt.Sprintf("%T", want); got != expected {
		t.Fatalf("%s: the State says %v, the model expects %s", ref, err, expected)
	}
	if err != nil && errors.Unwrap(err) != nil {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}
