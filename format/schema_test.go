package format_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

func TestVectorsOfSchemas(t *testing.T) {
	for _, vector := range readVectors(t).Schemas {
		hash, err := format.SchemaHash([]byte(vector.SchemaJSON))
		if err != nil || hash != vector.SchemaHash {
			t.Errorf("%s: hash %s, %v; Python has %s", vector.Class, hash, err, vector.SchemaHash)
		}
		schema, err := format.DecodeSchema("vectors.json", vector.Class, []byte(vector.SchemaJSON))
		if err != nil {
			t.Error(err)
			continue
		}
		encoded := format.EncodeSchema(schema)
		if hash, _ := format.SchemaHash(encoded); hash != vector.SchemaHash {
			t.Errorf("%s decoded and encoded: %s", vector.Class, encoded)
		}
		if text, err := format.SchemaJSON(encoded); err != nil || text != vector.SchemaJSON {
			t.Errorf("%s: schema_json %s, %v; Python has %s", vector.Class, text, err, vector.SchemaJSON)
		}
	}
}

// TestHashesOfCompat checks the two vectors of COMPAT 1.3, built from fields.
func TestHashesOfCompat(t *testing.T) {
	id := format.NewField("id", format.FieldStr, false)
	id.PrimaryKey = true
	tests := []struct {
		schema format.Schema
		want   string
	}{
		{
			format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "A"}, Fields: []format.SchemaField{id}},
			"7a53eb3a65393dd4034ade748f94f1ff946e9fc6271b468efee75fd9766da6a5",
		},
		{
			format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "Bare"}, Left: "Customer", Right: "product"},
			"b20b2711f6ba6a029852e32daf6132c3820f5ac9d114ef801efd5670793f06ca",
		},
	}
	for _, test := range tests {
		text := format.EncodeSchema(&test.schema)
		if got, err := format.SchemaHash(text); err != nil || got != test.want {
			t.Errorf("%s: hash %s, %v; want %s", text, got, err, test.want)
		}
	}
}

// TestStoredSchemas checks that the registry, the versions and the recomputed hashes of the stores
// agree.
func TestStoredSchemas(t *testing.T) {
	for _, store := range fixtures.Stores {
		objects := fixtures.Objects(t, store)
		registry, err := format.DecodeRegistry(format.RegistryKey, objects[format.RegistryKey])
		if err != nil {
			t.Fatal(err)
		}
		for kind, section := range map[ontosql.Kind]map[string][]byte{
			ontosql.Entity: texts(registry.Entity), ontosql.Relation: texts(registry.Relation),
		} {
			for name, text := range section {
				key := format.VersionsKey(ontosql.TypeRef{Kind: kind, Name: name})
				versions, err := format.DecodeVersions(key, objects[key])
				if err != nil {
					t.Fatalf("%s: %v", store, err)
				}
				current, ok := versions.Current()
				hash, err := format.SchemaHash(text)
				if !ok || err != nil || hash != current.SchemaHash {
					t.Errorf("%s: registry's %s hashes to %s, %v; its version says %s", store, name, hash, err, current.SchemaHash)
				}
				if spaced, _ := format.SchemaJSON(text); spaced != current.SchemaJSON {
					t.Errorf("%s: schema_json of %s: got %s, stored %s", store, name, spaced, current.SchemaJSON)
				}
				schema, err := format.DecodeSchema(format.RegistryKey, name, text)
				if err != nil || schema.Ref != (ontosql.TypeRef{Kind: kind, Name: name}) {
					t.Errorf("%s: schema of %s: %+v, %v", store, name, schema, err)
				}
			}
		}
	}
}

func texts[T ~[]byte](section map[string]T) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range section {
		out[name] = text
	}
	return out
}

func TestDamagedSchemas(t *testing.T) {
	const field = `{"index":false,"primary_key":true,"type":"<class 'str'>"}`
	tests := []struct{ text, field string }{
		{`{`, "entity.T"},
		{`[]`, "entity.T"},
		{`{"fields":{"id":` + field + `}}`, "entity.T.entity_name"},
		{`{"entity_name":"T"}`, "entity.T.fields"},
		{`{"entity_name":"T","fields":{}}`, "entity.T.fields"},
		{`{"entity_name":"T","fields":{"a":` + field + `,"b":` + field + `}}`, "entity.T.fields"},
		{`{"entity_name":"T","fields":{"id":{"primary_key":true}}}`, "entity.T.fields.id.type"},
		{`{"entity_name":"T","fields":{"id":7}}`, "entity.T.fields.id"},
		{`{"relation_name":"T","fields":{},"left_type":"A"}`, "entity.T.right_type"},
		{`{"relation_name":"T","fields":{},"left_type":"A","right_type":"B","instance_key_field":"n"}`, "entity.T.instance_key_field"},
	}
	for _, test := range tests {
		got, err := format.DecodeSchema(format.RegistryKey, "entity.T", []byte(test.text))
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Key != format.RegistryKey || corrupt.Field != test.field {
			t.Errorf("decode %s: got %+v, %v; want %s blamed", test.text, got, err, test.field)
		}
	}
}

func TestSpellings(t *testing.T) {
	tests := []struct {
		spelling string
		want     format.FieldType
		nullable bool
	}{
		{"<class 'str'>", format.FieldStr, false},
		{"str | None", format.FieldStr, true},
		{"None | str", format.FieldStr, true},
		{"typing.Optional[str]", format.FieldStr, true},
		{"<class 'int'>", format.FieldInt, false},
		{"<class 'float'>", format.FieldFloat, false},
		{"typing.Optional[bool]", format.FieldBool, true},
		{"<class 'datetime.datetime'>", format.FieldDatetime, false},
		{"datetime.date | None", format.FieldDate, true},
		{"typing.Optional[decimal.Decimal]", format.FieldDecimal, true},
		{"<class 'uuid.UUID'>", format.FieldUUID, false},
		{"bytes | None", format.FieldBytes, true},
		{"typing.Any", format.FieldJSON, true},
		{"list[str]", format.FieldJSON, false},
		{"list[str] | None", format.FieldJSON, true},
		{"typing.Optional[make_fixtures.Address]", format.FieldJSON, true},
		{"int | str", format.FieldJSON, false},
		{"int | str | None", format.FieldJSON, true},
		{"typing.Union[int, str, NoneType]", format.FieldJSON, false},
		{"<enum 'E'>", format.FieldJSON, false},
	}
	for _, test := range tests {
		got, nullable := format.ParseSpelling(test.spelling)
		if got != test.want || nullable != test.nullable {
			t.Errorf("%s: got type %d, nullable %t; want %d, %t", test.spelling, got, nullable, test.want, test.nullable)
		}
	}
	for field := format.FieldJSON; field <= format.FieldBytes; field++ {
		for _, nullable := range []bool{false, true} {
			spelling := format.Spelling(field, nullable)
			got, gotNullable := format.ParseSpelling(spelling)
			if got != field || gotNullable != (nullable || field == format.FieldJSON) {
				t.Errorf("%q, the spelling of type %d nullable %t, is read as %d, %t", spelling, field, nullable, got, gotNullable)
			}
		}
	}
}

// TestNewField compares fields that CREATE TABLE creates with fields that the original wrote.
func TestNewField(t *testing.T) {
	var customer string
	for _, vector := range readVectors(t).Schemas {
		if vector.Class == "Customer" {
			customer = vector.SchemaJSON
		}
	}
	schema, err := format.DecodeSchema("vectors.json", "", []byte(customer))
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]format.SchemaField{}
	for _, f := range schema.Fields {
		f.PrimaryKey, f.Index = false, false
		byName[f.Name] = f
	}
	for _, want := range []format.SchemaField{
		format.NewField("id", format.FieldStr, false),
		format.NewField("age", format.FieldInt, false),
		format.NewField("score", format.FieldFloat, false),
		format.NewField("active", format.FieldBool, false),
		format.NewField("email", format.FieldStr, true),
	} {
		if diff := cmp.Diff(byName[want.Name], want); diff != "" {
			t.Errorf("field %s (-Python +ours):\n%s", want.Name, diff)
		}
	}
}

func TestReserved(t *testing.T) {
	for _, test := range []struct {
		kind  ontosql.Kind
		field string
		want  bool
	}{
		{ontosql.Entity, "commit_id", true},
		{ontosql.Entity, "Entity_Key", true},
		{ontosql.Entity, "left_key", false},
		{ontosql.Relation, "left_key", true},
		{ontosql.Relation, "entity_key", false},
		{ontosql.Relation, "fields_json", true},
		{ontosql.Relation, "since", false},
	} {
		if got := format.Reserved(test.kind, test.field); got != test.want {
			t.Errorf("field %s of a %s reserved: got %t", test.field, test.kind, got)
		}
	}
}
