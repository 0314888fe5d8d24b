package catalog

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// world is a store's schema objects, and the model of what they come to.
type world struct {
	rand   *rand.Rand
	in     Input
	floors map[ontosql.TypeRef]ontosql.CommitID
	at     time.Time
	model  map[ontosql.TypeRef]*modelType
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

func (w *world) tick() { w.at = w.at.Add(time.Duration(1+w.rand.IntN(1000)) * time.Microsecond) }

// project does the first steps of what writepath does, all of them at 4.
func (w *world) project(steps int) {
	c := w.in.Change
	back := func(d format.DroppedRef) bool {
		return slices.ContainsFunc(c.Types, func(s format.TypeState) bool { return s.Kind == d.Kind && s.Type == d.Type })
	}
	if steps > 0 {
		for _, d := range c.Dropped {
			if ref := d.Ref(); !back(d) {
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
			ref := d.Ref()
			w.in.Versions[ref] = &format.Versions{}
		}
		for i := range c.Versions {
			ref, _ := c.Versions[i].Ref()
			w.in.Versions[ref] = &c.Versions[i]
		}
	}
	if steps > 2 {
		for _, d := range c.Dropped {
			if ref := d.Ref(); !back(d) {
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
			ref := d.Ref()
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
