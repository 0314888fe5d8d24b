package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// storedSchema is what is known of one type's schema before it is read.
type storedSchema struct {
	id       int64 // 0 where a registry has the type and nothing numbers its schema
	text     []byte
	key      string // of the object that text comes from
	path     string // of text in it
	fallback []byte // the registry's, for a version that cannot be read
	versions []format.SchemaVersion
}

var errNoSchema = errors.New("no stored object has its schema")

// stored finds the schema of a type and decides whether the type exists. The
// newest schema change under the head wins over projections that lag behind
// it; projections that the original has advanced since then win over it
// (decision A13).
func (in *Input) stored(ref ontosql.TypeRef) (storedSchema, bool) {
	projected, exists := in.projected(ref)
	if in.Change == nil || in.superseded(ref) {
		return projected, exists
	}
	state := in.changedState(ref)
	switch {
	case state == nil && in.Floor(ref) > 0 && in.Floor(ref) <= in.ChangedBy:
		return projected, exists && in.registeredSince(ref, projected.versions)
	case state == nil:
		return projected, exists // the change knew every type, so this one came later
	case in.Floor(ref) > in.ChangedBy:
		return projected, exists // dropped since, by a writer that only projects
	}
	list := in.changedVersions(ref)
	if exists && !lags(projected.versions, list, state.SchemaVersionID) {
		return projected, true
	}
	return fromChange(state, list, projected.versions), true
}

func (in *Input) superseded(ref ontosql.TypeRef) bool {
	return in.Superseded != nil && in.Superseded(ref)
}

// Behind reports whether the schema objects that the catalog was built of lack some
// of the newest change. Every writer makes up for that before a change of its own.
func (c *Catalog) Behind() bool {
	in := &c.in
	if in.Change == nil {
		return false
	}
	for i := range in.Change.Versions {
		v := &in.Change.Versions[i]
		if ref, err := v.Ref(); err == nil && !in.superseded(ref) {
			if projected, exists := in.projected(ref); !exists || lags(projected.versions, v.Versions, 0) {
				return true
			}
		}
	}
	for i := range in.Change.Dropped {
		d := &in.Change.Dropped[i]
		if in.changedState(d.Ref()) != nil || in.superseded(d.Ref()) {
			continue
		}
		if projected, exists := in.projected(d.Ref()); exists && !d.Before(projected.versions, in.ChangedAt) {
			return true
		}
	}
	return false
}

// projected is the schema in the schema objects. Versions are written before the registry, so
// the last version is the current schema; without versions the registry's schema counts.
func (in *Input) projected(ref ontosql.TypeRef) (s storedSchema, exists bool) {
	registered := in.registered(ref)
	exists = registered != nil || in.listed(ref) && !in.marked(ref)
	if v := in.Versions[ref]; v != nil {
		s.versions = v.Versions
		if last, ok := v.Current(); ok {
			s.id, s.text, s.fallback = last.SchemaVersionID, []byte(last.SchemaJSON), registered
			s.key, s.path = format.VersionsKey(ref), fmt.Sprintf("versions[%d].schema_json", len(v.Versions)-1)
			if last.Place != "" {
				s.key, s.path = last.Place, "schema_json"
			}
			return s, exists
		}
	}
	s.text, s.key, s.path = registered, format.RegistryKey, registryPath(ref)
	return s, exists
}

func (in *Input) registered(ref ontosql.TypeRef) json.RawMessage {
	if in.Registry == nil {
		return nil
	}
	return in.section(ref)[ref.Name]
}

// section is the part of the registry in which a type stands.
func (in *Input) section(ref ontosql.TypeRef) map[string]json.RawMessage {
	if ref.Kind == ontosql.Relation {
		return in.Registry.Relation
	}
	return in.Registry.Entity
}

func (in *Input) listed(ref ontosql.TypeRef) bool {
	if in.Types == nil {
		return false
	}
	names := in.Types.Entities
	if ref.Kind == ontosql.Relation {
		names = in.Types.Relations
	}
	for _, name := range names {
		if name == ref.Name {
			return true
		}
	}
	return false
}

// marked reports whether the type is marked as dropped by a commit that there
// is. A mark above the head was left behind by an earlier life of the store.
func (in *Input) marked(ref ontosql.TypeRef) bool {
	if in.Dropped == nil {
		return false
	}
	marks := in.Dropped.Entity
	if ref.Kind == ontosql.Relation {
		marks = in.Dropped.Relation
	}
	mark, ok := marks[ref.Name]
	return ok && mark.CommitID <= in.Head
}

func (in *Input) changedState(ref ontosql.TypeRef) *format.TypeState {
	for i := range in.Change.Types {
		if s := &in.Change.Types[i]; s.Kind == ref.Kind.String() && s.Type == ref.Name {
			return s
		}
	}
	return nil
}

func (in *Input) changedVersions(ref ontosql.TypeRef) []format.SchemaVersion {
	for i := range in.Change.Versions {
		if v := &in.Change.Versions[i]; v.TypeKind == ref.Kind.String() && v.TypeName == ref.Name {
			return v.Versions
		}
	}
	return nil
}

// registeredSince tells a type that the original registered again after the newest
// change, and so after its drop, from one whose projections still show it as it was before.
func (in *Input) registeredSince(ref ontosql.TypeRef, versions []format.SchemaVersion) bool {
	dropped := in.Change.DropOf(ref)
	if dropped == nil { // by an earlier change
		dropped = &format.DroppedRef{}
	}
	return dropped.Before(versions, in.ChangedAt)
}

// lags reports whether the projected versions of a type are behind a change
// that left it at version id with the versions in list; list is empty when the
// change did not touch the type. Comparing ids alone would take the versions
// of a dropped namesake for progress.
func lags(projected, list []format.SchemaVersion, id int64) bool {
	if len(list) > 0 {
		if len(projected) < len(list) {
			return true
		}
		for i := range list {
			if !sameVersion(&projected[i], &list[i]) {
				return true
			}
		}
		return false
	}
	for i := range projected {
		if projected[i].SchemaVersionID == id {
			return false
		}
	}
	return true
}

// sameVersion tells versions apart also where a type was dropped and created
// again with the same schema, even by one change.
func sameVersion(a, b *format.SchemaVersion) bool {
	return a.SchemaVersionID == b.SchemaVersionID && a.SchemaHash == b.SchemaHash && a.CreatedAt.Equal(b.CreatedAt.Time)
}

// fromChange is a type as a schema change left it.
func fromChange(state *format.TypeState, list, projected []format.SchemaVersion) storedSchema {
	s := storedSchema{id: state.SchemaVersionID, text: state.Schema, key: format.MetadataSchema, path: "types." + state.Type, versions: list}
	if len(list) > 0 {
		return s
	}
	s.versions = slices.Clone(projected)
	if lags(projected, nil, state.SchemaVersionID) {
		hash, _ := format.SchemaHash(state.Schema)
		text, _ := format.SchemaJSON(state.Schema)
		s.versions = append(s.versions, format.SchemaVersion{SchemaVersionID: state.SchemaVersionID, SchemaHash: hash, SchemaJSON: text})
	}
	return s
}

// schema reads the current schema, the registry's where the versions' is
// damaged, and the text that it is of, which may be there without a schema.
func (s *storedSchema) schema(ref ontosql.TypeRef) (schema *format.Schema, text []byte, err error) {
	if len(s.text) == 0 {
		return nil, nil, errNoSchema
	}
	if schema, err = decode(s.key, s.path, s.text, ref); err == nil {
		return schema, s.text, nil
	}
	if len(s.fallback) == 0 {
		return nil, s.text, err
	}
	if older, registryErr := decode(format.RegistryKey, registryPath(ref), s.fallback, ref); registryErr == nil {
		return older, s.fallback, nil
	}
	return nil, s.fallback, err
}

// registryPath is the place of a type's schema in the registry.
func registryPath(ref ontosql.TypeRef) string { return ref.Kind.String() + "." + ref.Name }

func decode(key, path string, text []byte, ref ontosql.TypeRef) (*format.Schema, error) {
	schema, err := format.DecodeSchema(key, path, text)
	if err == nil && schema.Ref.Kind != ref.Kind {
		return nil, ontosql.Corrupt(key, path, "is the schema of a %s", schema.Ref.Kind)
	}
	return schema, err
}

// shown are the versions as the catalog keeps them.
func (s *storedSchema) shown() []Version {
	shown := make([]Version, len(s.versions))
	for i, v := range s.versions {
		shown[i] = Version{ID: v.SchemaVersionID, Hash: v.SchemaHash, JSON: v.SchemaJSON, CreatedAt: v.CreatedAt.Time, Place: v.Place}
		if v.Reason != nil {
			shown[i].Reason = *v.Reason
		}
		if v.RuntimeID != nil {
			shown[i].RuntimeID = *v.RuntimeID
		}
	}
	return shown
}
