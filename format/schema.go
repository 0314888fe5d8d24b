package format

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
)

// Schema is the schema of one type (COMPAT 1.1). It has neither defaults nor the declared order of
// fields.
type Schema struct {
	Ref         ontosql.TypeRef
	Left, Right string        // the entity types that a relation links
	InstanceKey string        // the field of a keyed relation's instance key, "" otherwise
	Fields      []SchemaField // in the order of the JSON, which is by name except in SQLite's registry
}

// SchemaField is one field of a Schema.
type SchemaField struct {
	Name       string
	PrimaryKey bool            // always false in a relation
	Index      bool            // has no effect in the original
	Type       string          // the Python spelling, see ParseSpelling
	TypeSpec   json.RawMessage // canonical JSON; nil in schemas older than type_spec
}

// NewField returns a field of the given type, as CREATE TABLE creates it.
func NewField(name string, t FieldType, nullable bool) SchemaField {
	return SchemaField{Name: name, Type: Spelling(t, nullable), TypeSpec: canonicalJSON(typeSpec(t, nullable))}
}

// DecodeSchema reads the schema of a type. key and path are its position, for errors. The error is
// a *ontosql.CorruptError.
func DecodeSchema(key, path string, text []byte) (*Schema, error) {
	v, err := ParseJSON(text)
	if err != nil {
		return nil, &ontosql.CorruptError{Key: key, Field: path, Err: err}
	}
	f, err := newObjectReader(key, path, v)
	if err != nil {
		return nil, err
	}
	s := &Schema{}
	if _, isRelation := v.Get("relation_name"); isRelation {
		s.Ref = ontosql.TypeRef{Kind: ontosql.Relation, Name: f.text("relation_name")}
		s.Left, s.Right = f.text("left_type"), f.text("right_type")
		s.InstanceKey = f.optionalText("instance_key_field")
	} else {
		s.Ref = ontosql.TypeRef{Kind: ontosql.Entity, Name: f.text("entity_name")}
	}
	members, _ := f.get("fields", JSONObject)
	for i, name := range members.names {
		s.Fields = append(s.Fields, f.schemaField(name, members.items[i], s.Ref.Kind))
	}
	s.check(f)
	if f.err() != nil {
		return nil, f.err()
	}
	return s, nil
}

func (f objectReader) schemaField(name string, v Value, kind ontosql.Kind) SchemaField {
	field := SchemaField{Name: name}
	f.nested("fields."+name, v, func(e objectReader) {
		field.Type = e.text("type")
		if e.has("index") {
			field.Index = e.boolean("index")
		}
		if kind == ontosql.Entity && e.has("primary_key") {
			field.PrimaryKey = e.boolean("primary_key")
		}
		if spec, present := e.value.Get("type_spec"); present {
			field.TypeSpec = canonicalJSON(spec)
		}
	})
	return field
}

// check checks the rules of COMPAT 1.1: an entity has one primary key, and an instance key is a
// field of the relation.
func (s *Schema) check(f objectReader) {
	if s.Ref.Kind == ontosql.Entity {
		keys := 0
		for _, field := range s.Fields {
			if field.PrimaryKey {
				keys++
			}
		}
		if keys != 1 {
			f.fail("fields", "an entity has one primary key, found %d", keys)
		}
		return
	}
	named := slices.ContainsFunc(s.Fields, func(field SchemaField) bool { return field.Name == s.InstanceKey })
	if s.InstanceKey != "" && !named {
		f.fail("instance_key_field", "%q is no field", s.InstanceKey)
	}
}

// EncodeSchema returns the canonical JSON of a schema, which is stored in the registry and is the
// input of the hash.
func EncodeSchema(s *Schema) json.RawMessage {
	names := make([]Member, len(s.Fields))
	for i, field := range s.Fields {
		members := []Member{{"index", Bool(field.Index)}, {"type", String(field.Type)}}
		if s.Ref.Kind == ontosql.Entity {
			members = append(members, Member{"primary_key", Bool(field.PrimaryKey)})
		}
		if spec, err := ParseJSON(field.TypeSpec); err == nil {
			members = append(members, Member{"type_spec", spec})
		}
		names[i] = Member{field.Name, Object(members...)}
	}
	members := []Member{{"fields", Object(names...)}}
	if s.Ref.Kind == ontosql.Entity {
		return encodeObject(append(members, Member{"entity_name", String(s.Ref.Name)})...)
	}
	instanceKey := Null()
	if s.InstanceKey != "" {
		instanceKey = String(s.InstanceKey)
	}
	return encodeObject(append(members,
		Member{"relation_name", String(s.Ref.Name)},
		Member{"left_type", String(s.Left)},
		Member{"right_type", String(s.Right)},
		Member{"instance_key_field", instanceKey},
	)...)
}

// SchemaHash returns the schema_hash of a schema: the SHA-256 of its canonical JSON in lower-case
// hex (COMPAT 1.3). text may have any style. The error is a *SyntaxError.
func SchemaHash(text []byte) (string, error) {
	canonical, err := Canonicalize(text)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// SchemaJSON returns the schema_json of a schema: its JSON in the style Spaced (COMPAT 1.3). text
// may have any style. The error is a *SyntaxError.
func SchemaJSON(text []byte) (string, error) {
	v, err := ParseJSON(text)
	if err != nil {
		return "", err
	}
	return string(v.Append(nil, Spaced)), nil
}

// entityColumns and relationColumns are the system columns of data files in their order (COMPAT
// 2.4).
var (
	entityColumns   = []string{"commit_id", "entity_type", "entity_key", "schema_version_id", "fields_json"}
	relationColumns = []string{"commit_id", "relation_type", "left_key", "right_key", "instance_key", "schema_version_id", "fields_json"}
)

// systemIDs has the system columns in the order of their ids in the Parquet schema of a file. An
// id must not change, so new columns go to the end.
var systemIDs = []string{"commit_id", "entity_type", "relation_type", "entity_key", "left_key", "right_key", "instance_key", "schema_version_id", "fields_json"}

// systemID returns the id of a system column in the Parquet schema. Ids of fields count from 1, and
// Iceberg reserves those from 2147483447 on.
func systemID(column string) int64 {
	const first = 2_000_000_001
	return first + int64(slices.Index(systemIDs, column))
}

// systemColumns returns the system columns of a kind of type.
func systemColumns(kind ontosql.Kind) []string {
	if kind == ontosql.Relation {
		return relationColumns
	}
	return entityColumns
}

// Reserved reports whether a field must not have this name, because a system column of that kind of
// type has it (COMPAT rule 11). Case is ignored, because column names in DuckDB are
// case-insensitive.
func Reserved(kind ontosql.Kind, field string) bool {
	return slices.ContainsFunc(systemColumns(kind), func(column string) bool { return strings.EqualFold(column, field) })
}
