package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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

// world is a store's schema objects, and the model of what they come to.
type world struct {
	rand   *rand.Rand
	in     Input
	floors map[ontosql.TypeRef]ontosql.CommitID
	at     time.Time
	model  map[ontosql.TypeRef]*modelType
}

// modelType is what a type must look like.
type modelType struct {
	schema   format.Schema
	versions int
	floor    ontosql.CommitID // -1 for the commit that is being made

	extras format.Extras
	then   format.Schema // what they were last declared, or carried on, for
}

func newWorld(r *rand.Rand) *world {
	w := &world{rand: r, at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), floors: map[ontosql.TypeRef]ontosql.CommitID{}, model: map[ontosql.TypeRef]*modelType{}}
	w.in = Input{
		Registry: &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}},
		Types:    &format.Types{}, Dropped: &format.Dropped{Entity: map[string]format.DroppedType{}, Relation: map[string]format.DroppedType{}},
		Versions: map[ontosql.TypeRef]*format.Versions{},
	}
	w.pin()
	return w
}

// pin makes a new Input of what the store holds, as a reader does, so that the
// ones before stay as they were.
func (w *world) pin() {
	floors := maps.Clone(w.floors)
	w.in.Floor = func(ref ontosql.TypeRef) ontosql.CommitID { return floors[ref] }
	w.in.Registry = &format.Registry{Entity: maps.Clone(w.in.Registry.Entity), Relation: maps.Clone(w.in.Registry.Relation)}
	w.in.Types = &format.Types{Entities: slices.Clone(w.in.Types.Entities), Relations: slices.Clone(w.in.Types.Relations)}
	w.in.Dropped = &format.Dropped{Entity: maps.Clone(w.in.Dropped.Entity), Relation: maps.Clone(w.in.Dropped.Relation)}
	w.in.Versions = maps.Clone(w.in.Versions)
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
	w.in.Head++
	w.in.Change, w.in.ChangedBy, w.in.ChangedAt = change, w.in.Head, w.at
	for _, d := range change.Dropped {
		ref, _ := refOf(d.Kind, d.Type)
		w.floors[ref] = w.in.Head
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
	return cmp.Diff(a, b, cmpopts.EquateEmpty())
}

// contents are what a State starts from.
func contents(s *migration.State) []any { return []any{s.Types, s.Versions, s.Extras} }

func (w *world) tick() { w.at = w.at.Add(time.Duration(1+w.rand.IntN(1000)) * time.Microsecond) }

// project does the first steps of what writepath does, all of them at 4.
func (w *world) project(steps int) {
	c := w.in.Change
	back := func(d format.DroppedRef) bool {
		return slices.ContainsFunc(c.Types, func(s format.TypeState) bool { return s.Kind == d.Kind && s.Type == d.Type })
	}
	if steps > 0 {
		for _, d := range c.Dropped {
			if ref, _ := refOf(d.Kind, d.Type); !back(d) {
				w.marks(ref)[d.Type] = format.DroppedType{CommitID: w.in.Head}
			}
		}
		for _, v := range c.Versions {
			ref, _ := v.Ref()
			delete(w.marks(ref), ref.Name)
		}
	}
	if steps > 1 {
		for _, d := range c.Dropped {
			ref, _ := refOf(d.Kind, d.Type)
			w.in.Versions[ref] = &format.Versions{}
		}
		for i := range c.Versions {
			ref, _ := c.Versions[i].Ref()
			w.in.Versions[ref] = &c.Versions[i]
		}
	}
	if steps > 2 {
		for _, d := range c.Dropped {
			if ref, _ := refOf(d.Kind, d.Type); !back(d) {
				w.unlist(ref)
			}
		}
		for _, v := range c.Versions {
			ref, _ := v.Ref()
			w.list(ref)
		}
	}
	if steps > 3 {
		for _, d := range c.Dropped {
			ref, _ := refOf(d.Kind, d.Type)
			delete(w.in.section(ref), d.Type)
		}
		for _, s := range c.Types {
			ref, _ := refOf(s.Kind, s.Type)
			w.in.section(ref)[s.Type] = s.Schema
		}
	}
}

func (w *world) marks(ref ontosql.TypeRef) map[string]format.DroppedType {
	if ref.Kind == ontosql.Relation {
		return w.in.Dropped.Relation
	}
	return w.in.Dropped.Entity
}

func (w *world) names(ref ontosql.TypeRef) *[]string {
	if ref.Kind == ontosql.Relation {
		return &w.in.Types.Relations
	}
	return &w.in.Types.Entities
}

func (w *world) list(ref ontosql.TypeRef) {
	if names := w.names(ref); !slices.Contains(*names, ref.Name) {
		*names = append(*names, ref.Name)
	}
}

func (w *world) unlist(ref ontosql.TypeRef) {
	names := w.names(ref)
	*names = slices.DeleteFunc(*names, func(name string) bool { return name == ref.Name })
}

// original registers, migrates or drops a type as the original does: without a
// word about extras, and registers even without a commit.
func (w *world) original(t *testing.T) {
	t.Helper()
	w.tick()
	w.pin()
	ref := w.someRef()
	m, exists := w.model[ref]
	switch {
	case exists && w.rand.IntN(3) == 0:
		if len(w.linking(ref)) > 0 {
			return
		}
		w.in.Head++
		w.floors[ref] = w.in.Head
		w.marks(ref)[ref.Name] = format.DroppedType{CommitID: w.in.Head}
		w.in.Versions[ref] = &format.Versions{}
		delete(w.in.section(ref), ref.Name)
		w.unlist(ref)
		delete(w.model, ref)
	case exists:
		w.in.Head++
		m.schema = w.someSchema(ref)
		m.versions++
		w.addVersion(t, ref, m)
	default:
		schema := w.someSchema(ref)
		if ref.Kind == ontosql.Relation && !w.linked(&schema) {
			return
		}
		m = &modelType{schema: schema, versions: 1, floor: w.floors[ref]}
		w.model[ref] = m
		delete(w.marks(ref), ref.Name)
		w.in.Versions[ref] = nil
		w.addVersion(t, ref, m)
	}
	w.pin()
	built, _ := Build(w.in)
	w.check(t, "after the original", built)
}

func (w *world) addVersion(t *testing.T, ref ontosql.TypeRef, m *modelType) {
	t.Helper()
	text := format.EncodeSchema(&m.schema)
	hash, err := format.SchemaHash(text)
	if err != nil {
		t.Fatal(err)
	}
	list := &format.Versions{}
	if known := w.in.Versions[ref]; known != nil {
		list.Versions = slices.Clone(known.Versions)
	}
	skewed := w.at.Add(time.Duration(w.rand.IntN(2000)) * time.Microsecond) // the original's clock is ahead of ours
	list.Versions = append(list.Versions, format.SchemaVersion{CreatedAt: format.TimeOf(skewed), SchemaHash: hash, SchemaJSON: string(text), SchemaVersionID: int64(m.versions)})
	w.in.Versions[ref] = list
	w.in.section(ref)[ref.Name] = text
	w.list(ref)
}

var (
	modelRefs = []ontosql.TypeRef{
		{Kind: ontosql.Entity, Name: "A"},
		{Kind: ontosql.Entity, Name: "B"},
		{Kind: ontosql.Entity, Name: "C"},
		{Kind: ontosql.Relation, Name: "R"},
		{Kind: ontosql.Relation, Name: "A"},
	}
	modelKinds = []format.FieldType{format.FieldStr, format.FieldDecimal}
)

func (w *world) someRef() ontosql.TypeRef { return modelRefs[w.rand.IntN(len(modelRefs))] }

// someSchema is one of few, so that a type is created again as it was.
func (w *world) someSchema(ref ontosql.TypeRef) format.Schema {
	s := format.Schema{Ref: ref}
	for _, name := range []string{"f", "g", "h"} {
		if w.rand.IntN(2) == 0 {
			s.Fields = append(s.Fields, format.NewField(name, modelKinds[w.rand.IntN(len(modelKinds))], w.rand.IntN(4) == 0))
		}
	}
	if ref.Kind == ontosql.Entity {
		id := format.NewField("id", format.FieldStr, false)
		id.PrimaryKey = true
		s.Fields = append(s.Fields, id)
		return s
	}
	s.Left, s.Right = modelRefs[w.rand.IntN(3)].Name, modelRefs[w.rand.IntN(3)].Name
	return s
}

func (w *world) someExtras(ref ontosql.TypeRef) format.Extras {
	x := format.Extras{Kind: ref.Kind.String(), Type: ref.Name}
	if w.rand.IntN(2) == 0 {
		x.Comment = fmt.Sprint("comment ", w.rand.IntN(100))
	}
	for _, i := range w.rand.Perm(4)[:w.rand.IntN(5)] {
		c := format.ColumnExtras{Field: "fghx"[i : i+1], Type: "numeric(9,3)"}
		if w.rand.IntN(2) == 0 {
			c.Default, c.Comment = "NULL::text", "about "+c.Field
		}
		x.Columns = append(x.Columns, c)
	}
	return x
}

func (w *world) linked(s *format.Schema) bool {
	for _, name := range []string{s.Left, s.Right} {
		if w.model[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] == nil {
			return false
		}
	}
	return true
}

func (w *world) linking(ref ontosql.TypeRef) (by []ontosql.TypeRef) {
	for other, m := range w.model {
		if ref.Kind == ontosql.Entity && other.Kind == ontosql.Relation && (m.schema.Left == ref.Name || m.schema.Right == ref.Name) {
			by = append(by, other)
		}
	}
	return by
}

// declare makes of the extras what fits the schema as it is now.
func (m *modelType) declare() {
	kinds := func(s format.Schema) map[string]format.FieldType {
		all := map[string]format.FieldType{}
		for _, f := range s.Fields {
			all[f.Name], _ = format.ParseSpelling(f.Type)
		}
		return all
	}
	was, is := kinds(m.then), kinds(m.schema)
	var kept []format.ColumnExtras
	for _, c := range m.extras.Columns {
		now, there := is[c.Field]
		if !there {
			continue
		}
		if before, known := was[c.Field]; !known || before != now {
			c.Default, c.Type = "", ""
		}
		kept = append(kept, c)
	}
	m.extras.Columns, m.then = kept, m.schema
}

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
		err = s.Migrate(from, &schema, migration.ReasonMigration)
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

// created puts a type into the model that the State has just got.
func (w *world) created(s *migration.State, schema format.Schema, extras format.Extras) {
	m := &modelType{schema: schema, versions: 1, extras: extras, then: schema, floor: w.floors[schema.Ref]}
	if w.droppedNow(s, schema.Ref) {
		m.floor = -1
	}
	m.declare()
	w.model[schema.Ref] = m
}

// droppedNow reports whether the change so far drops a type that was stored.
func (w *world) droppedNow(s *migration.State, ref ontosql.TypeRef) bool {
	return slices.ContainsFunc(s.Change().Dropped, func(d format.DroppedRef) bool { return d.Kind == ref.Kind.String() && d.Type == ref.Name })
}

// check holds a catalog against the model.
func (w *world) check(t *testing.T, when string, c *Catalog) {
	t.Helper()
	var got, want strings.Builder
	for _, typ := range c.Types {
		fmt.Fprintf(&got, "%s version %d of %d, floor %d, %q\n", typ.Ref, typ.SchemaID, len(typ.Versions), typ.Floor, typ.Comment)
		for _, col := range typ.Columns[len(typ.Key):] {
			fmt.Fprintf(&got, "  %s %s %t %d %s %s\n", col.Field, col.Spelling, col.NotNull, col.Typmod, col.Default, col.Comment)
		}
	}
	for _, ref := range slices.SortedFunc(maps.Keys(w.model), ontosql.TypeRef.Compare) {
		m := *w.model[ref]
		if m.declare(); m.floor < 0 {
			m.floor = w.in.Head + 1
		}
		fmt.Fprintf(&want, "%s version %d of %d, floor %d, %q\n", ref, m.versions, m.versions, m.floor, m.extras.Comment)
		for _, f := range m.shown() {
			_, nullable := format.ParseSpelling(f.Type)
			i := slices.IndexFunc(m.extras.Columns, func(c format.ColumnExtras) bool { return c.Field == f.Name })
			x, size := format.ColumnExtras{}, 0
			if i >= 0 {
				x = m.extras.Columns[i]
			}
			if kind, _ := format.ParseSpelling(f.Type); kind == format.FieldDecimal && x.Type != "" {
				size = 9<<16 + 3 + 4
			}
			fmt.Fprintf(&want, "  %s %s %t %d %s %s\n", f.Name, f.Type, !nullable, size, x.Default, x.Comment)
		}
	}
	if diff := different(want.String(), got.String()); diff != "" {
		t.Fatalf("%s the catalog is not the model (-want +got):\n%s", when, diff)
	}
}

// shown are the fields behind the identity, in the order of the columns.
func (m *modelType) shown() (fields []format.SchemaField) {
	rest := slices.DeleteFunc(slices.Clone(m.schema.Fields), func(f format.SchemaField) bool { return f.PrimaryKey })
	for _, c := range m.extras.Columns {
		for _, f := range rest {
			if f.Name == c.Field {
				fields = append(fields, f)
			}
		}
	}
	for _, f := range rest {
		if !slices.ContainsFunc(fields, func(g format.SchemaField) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fields
}
