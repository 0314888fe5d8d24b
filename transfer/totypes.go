package transfer

import (
	"encoding/json"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/bulk"
)

// TypesAt returns the types of a pin as a SQLite file has them.
func TypesAt(pin *resolver.Pin) ([]bulk.Type, error) {
	state := pin.Catalog.State(pin.Head.UpdatedAt, "")
	var layouts map[ontosql.TypeRef]map[int64]ontosql.CommitID
	if pin.Engine == format.EngineV2 {
		layouts = activations(pin)
	}
	var types []bulk.Type
	for _, t := range pin.Catalog.Types {
		schema, err := format.DecodeSchema(format.RegistryKey, t.Ref.String(), state.Types[t.Ref])
		if err != nil {
			return nil, err
		}
		place := map[string]int{}
		for i, c := range t.Columns {
			place[c.Field] = i + 1
		}
		slices.SortStableFunc(schema.Fields, func(a, b format.SchemaField) int { return place[a.Name] - place[b.Name] })
		types = append(types, bulk.Type{Schema: *schema, Versions: state.Versions[t.Ref], Layouts: layouts[t.Ref]})
	}
	return types, nil
}

// declared are the names of the fields of a schema.
func declared(s *format.Schema) []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// activations are, for each type and schema version, the commit from which on it
// was the current one: the first that wrote rows of it, or the migration that led
// to it (COMPAT 3.6, 4.4).
func activations(pin *resolver.Pin) map[ontosql.TypeRef]map[int64]ontosql.CommitID {
	all := map[ontosql.TypeRef]map[int64]ontosql.CommitID{}
	note := func(ref ontosql.TypeRef, version int64, id ontosql.CommitID) {
		if id < pin.View.Floor(ref) {
			return
		}
		if all[ref] == nil {
			all[ref] = map[int64]ontosql.CommitID{}
		}
		if _, known := all[ref][version]; !known {
			all[ref][version] = id
		}
	}
	for id := ontosql.CommitID(1); id <= pin.Head.Commit; id++ {
		e := pin.View.Commit(id)
		for _, f := range e.Manifest.Files {
			if f.SchemaVersionID != nil {
				note(f.Ref(), *f.SchemaVersionID, id)
			}
		}
		for ref, version := range migratedBy(e.Manifest.Metadata["migrated_types"]) {
			note(ref, version, id)
		}
		if change, err := e.Manifest.SchemaChange(e.Path); err == nil && change != nil {
			for i := range change.Versions {
				v := &change.Versions[i]
				ref, bad := v.Ref()
				last, some := v.Current()
				if bad == nil && some && len(v.Versions) > 1 {
					note(ref, last.SchemaVersionID, id)
				}
			}
		}
	}
	return all
}

// migratedBy are the versions that a migration led to.
func migratedBy(text json.RawMessage) map[ontosql.TypeRef]int64 {
	var list []struct {
		Kind string `json:"type_kind"`
		Name string `json:"type_name"`
		To   int64  `json:"to_schema_version_id"`
	}
	found := map[ontosql.TypeRef]int64{}
	if json.Unmarshal(text, &list) != nil {
		return found
	}
	for _, m := range list {
		if kind, err := ontosql.ParseKind(m.Kind); err == nil {
			found[ontosql.TypeRef{Kind: kind, Name: m.Name}] = m.To
		}
	}
	return found
}
