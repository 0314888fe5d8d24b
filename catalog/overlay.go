package catalog

import (
	"encoding/json"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// State is the schema that a change of this catalog starts from, as the store
// has it under the lock: at is the created_at of the versions that the change
// makes, runtime their runtime_id.
func (c *Catalog) State(at time.Time, runtime string) *migration.State {
	s := migration.NewState(format.TimeOf(at), runtime)
	for _, ref := range c.in.Refs() {
		stored, ok := c.in.stored(ref)
		if !ok {
			continue
		}
		_, text, _ := stored.schema(ref)
		canonical, err := format.Canonicalize(text)
		if err != nil {
			continue // no object has a schema of it
		}
		s.Types[ref], s.Versions[ref] = canonical, stored.versions
	}
	s.Extras = c.in.extras(s.Types)
	s.RequireGrants, s.EventGrants = c.RequireGrants, c.EventGrants
	s.FieldIDs = c.in.fieldIDs(func(ref ontosql.TypeRef) []format.SchemaVersion { return s.Versions[ref] })
	return s
}

// Overlay is the catalog as it will be once a change that started from its State
// is committed over head, of which nothing is stored yet: for the transaction
// that made it. What the change drops has nothing below the commit after head,
// also where it is there again. version becomes Catalog.Version; the warnings
// are those of Build.
func (c *Catalog) Overlay(change *format.SchemaChange, head ontosql.CommitID, at time.Time, version string) (*Catalog, []string) {
	before := c.State(at, "")
	in := Input{
		Version: version, Head: head, Change: change, ChangedBy: head + 1, ChangedAt: at, Distrusted: c.in.Distrusted,
		Registry: &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}},
		Versions: map[ontosql.TypeRef]*format.Versions{},
	}
	floors := map[ontosql.TypeRef]bool{}
	for i := range change.Dropped {
		ref := change.Dropped[i].Ref()
		floors[ref] = true
		delete(before.Types, ref)
	}
	in.Floor = func(ref ontosql.TypeRef) ontosql.CommitID {
		if floors[ref] {
			return head + 1
		}
		return c.in.Floor(ref)
	}
	for _, t := range change.Types {
		if ref, ok := refOf(t.Kind, t.Type); ok {
			before.Types[ref] = t.Schema
		}
	}
	for ref, schema := range before.Types {
		in.section(ref)[ref.Name] = schema
		in.Versions[ref] = &format.Versions{Versions: before.Versions[ref]}
	}
	for i := range change.Versions {
		v := &change.Versions[i]
		if ref, err := v.Ref(); err == nil {
			in.Versions[ref] = v
		}
	}
	return Build(in)
}
