package maintain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
)

// knownType is what the store has about one type.
type knownType struct {
	schemas   map[int64]*format.Schema // by version id, from projections and own schema changes
	versions  *format.Versions         // the projection; nil if missing
	listed    bool                     // in types.json
	current   []byte                   // its schema in registry.json
	mark      *format.DroppedType      // its mark in dropped.json
	unsound   bool                     // its versions are damaged, which is reported with them
	committed *format.TypeState        // in the newest own schema change, unless dropped since
}

func (v *verifier) known(ref ontosql.TypeRef) *knownType {
	t := v.types[ref]
	if t == nil {
		t = &knownType{schemas: map[int64]*format.Schema{}}
		v.types[ref] = t
	}
	return t
}

// checkSchemas reads what the store has about its types, and checks each schema against the
// rules and the objects against each other.
func (v *verifier) checkSchemas() {
	v.collectVersions()
	v.collectChanges()
	v.collectSections()
	if v.halfBlind {
		return
	}
	for ref, t := range v.types {
		v.checkAgreement(ref, t)
		v.checkEndpoints(ref, t)
	}
}

func (v *verifier) collectVersions() {
	for key, body := range v.bodies {
		if family(key) != format.VersionsPrefix {
			continue
		}
		versions, err := format.DecodeVersions(key, body)
		if err != nil {
			v.found.corrupt(SchemaObjects, key, err)
			v.halfBlind = true
			continue
		}
		ref, _ := typeOf(key)
		if named, err := versions.Ref(); err != nil || named != ref {
			v.found.add(SchemaObjects, Error, key, "is of %s:%s", versions.TypeKind, versions.TypeName)
			v.halfBlind = true
			continue
		}
		v.known(ref).versions = versions
		v.checkVersions(key, ref, versions)
	}
}

// collectChanges reads the schema changes of the chain, oldest first. Each must list the types
// of the one before, unless they were dropped in between.
func (v *verifier) collectChanges() {
	if v.view == nil {
		return
	}
	for id := ontosql.CommitID(1); id <= v.headID(); id++ {
		e := v.view.Commit(id)
		change, err := e.Manifest.SchemaChange(e.Path)
		if err != nil || change == nil {
			continue // the chain is rejected if it cannot be decoded
		}
		for i := range change.Versions {
			list := &change.Versions[i]
			ref, err := list.Ref()
			if err != nil {
				v.found.corrupt(A13, e.Path, err)
				continue
			}
			v.checkVersions(e.Path, ref, list)
		}
		v.checkComplete(e.Path, change)
		for _, problem := range migration.CheckFieldIDs(v.change, change, func(ref ontosql.TypeRef) bool { return v.view.Floor(ref) > v.changedBy }) {
			v.found.add(A13, Error, e.Path, "%v", problem)
		}
		v.change, v.changedBy = change, id
	}
	if v.change == nil {
		return
	}
	for i := range v.change.Types {
		state := &v.change.Types[i]
		kind, _ := ontosql.ParseKind(state.Kind)
		ref := ontosql.TypeRef{Kind: kind, Name: state.Type}
		if v.view.Floor(ref) <= v.changedBy && !v.superseded(ref) {
			v.known(ref).committed = state
		}
	}
}

// superseded reports whether the original migrated a type after the newest schema change,
// without knowing of it.
func (v *verifier) superseded(ref ontosql.TypeRef) bool {
	return v.view.Superseded(ref, v.changedBy, v.known(ref).versions)
}

// checkComplete checks that a schema change has all types of the one before (decision A13).
func (v *verifier) checkComplete(key string, next *format.SchemaChange) {
	if v.change == nil {
		return
	}
	for _, before := range v.change.Types {
		same := func(s format.TypeState) bool { return s.Kind == before.Kind && s.Type == before.Type }
		kind, _ := ontosql.ParseKind(before.Kind)
		ref := ontosql.TypeRef{Kind: kind, Name: before.Type}
		if !slices.ContainsFunc(next.Types, same) && v.view.Floor(ref) <= v.changedBy {
			v.found.add(A13, Error, key, "the schema change forgets %s, which commit %d had", ref, v.changedBy)
		}
	}
}

// checkVersions checks a list of schema versions against rules 7, 8 and 11 and records its
// schemas.
func (v *verifier) checkVersions(key string, ref ontosql.TypeRef, list *format.Versions) {
	for i, s := range list.Versions {
		at := fmt.Sprintf("version %d of %s", s.SchemaVersionID, ref)
		if s.SchemaVersionID != int64(i)+1 {
			v.found.add(SchemaObjects, Error, key, "%s stands at place %d", at, i+1)
			v.known(ref).unsound = true
		}
		schema, err := format.DecodeSchema(key, fmt.Sprintf("versions[%d].schema_json", i), []byte(s.SchemaJSON))
		if err != nil {
			v.found.corrupt(SchemaObjects, key, err)
			v.halfBlind = true
			continue
		}
		if schema.Ref != ref {
			v.found.add(SchemaObjects, Error, key, "%s is the schema of %s", at, schema.Ref)
		}
		v.known(ref).schemas[s.SchemaVersionID] = schema
		if hash, err := format.SchemaHash([]byte(s.SchemaJSON)); err != nil || hash != s.SchemaHash {
			v.found.add(RuleHash, Error, key, "%s has the hash %s, it is %s", at, s.SchemaHash, hash)
		}
		if spaced, err := format.SchemaJSON([]byte(s.SchemaJSON)); err != nil || spaced != s.SchemaJSON {
			v.found.add(Numbers, Error, key, "schema_json of %s is not in its stored style", at)
		}
		v.checkFields(key, at, schema)
	}
}

// checkFields checks the fields of a schema against rules 8 and 11.
func (v *verifier) checkFields(key, at string, schema *format.Schema) {
	for _, f := range schema.Fields {
		if format.Reserved(schema.Ref.Kind, f.Name) {
			v.found.add(RuleReserved, Error, key, "%s has a field %q, the name of a system column", at, f.Name)
		}
		if why := misspelt(f); why != "" {
			v.found.add(RuleSpelling, Error, key, "%s, field %s: %s", at, f.Name, why)
		}
	}
}

// specKinds are the kinds of a type_spec (COMPAT 1.2).
var specKinds = []string{"primitive", "union", "list", "dict", "typed_dict", "ref"}

// misspelt describes what is wrong with the type of a field; "" for nothing. A field without a
// type_spec is of an older schema (COMPAT 1.5).
func misspelt(f format.SchemaField) string {
	if f.Type == "" {
		return "the type is empty"
	}
	if f.TypeSpec == nil {
		return ""
	}
	spec, err := format.ParseJSON(f.TypeSpec)
	if err != nil {
		return err.Error()
	}
	kind, _ := spec.Get("kind")
	if !slices.Contains(specKinds, kind.Text()) {
		return fmt.Sprintf("type_spec is of kind %q", kind.Text())
	}
	t, nullable := format.ParseSpelling(f.Type)
	if t == format.FieldJSON || format.Spelling(t, nullable) != f.Type {
		return "" // this form is read but not written
	}
	if want := format.NewField(f.Name, t, nullable).TypeSpec; !bytes.Equal(want, f.TypeSpec) {
		return fmt.Sprintf("%s has the type_spec %s, want %s", f.Type, f.TypeSpec, want)
	}
	return ""
}

// checkEndpoints checks that the types that the current schema of a relation links exist or
// existed. The original allows dropped ones.
func (v *verifier) checkEndpoints(ref ontosql.TypeRef, t *knownType) {
	if ref.Kind != ontosql.Relation || t.versions == nil {
		return
	}
	last, _ := t.versions.Current()
	schema := t.schemas[last.SchemaVersionID]
	if schema == nil {
		return
	}
	for _, name := range []string{schema.Left, schema.Right} {
		if v.types[ontosql.TypeRef{Kind: ontosql.Entity, Name: name}] == nil {
			v.found.add(SchemaObjects, Error, format.VersionsKey(ref), "%s links to an entity type %q, which there is not", ref, strings.TrimSpace(name))
		}
	}
}
