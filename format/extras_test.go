package format_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/format"
)

// TestExtrasAreWrittenOnce checks that empty extras are omitted, so that a store without SQL
// declarations keeps its bytes.
func TestExtrasAreWrittenOnce(t *testing.T) {
	change := &format.SchemaChange{Types: []format.TypeState{}}
	if got, err := format.EncodeSchemaChange(change); err != nil || string(got) != `{"types":[]}` {
		t.Errorf("a change without extras is %s, %v", got, err)
	}
	change.Extras = []format.Extras{{Kind: "entity", Type: "T", Columns: []format.ColumnExtras{{Field: "id"}, {Field: "n", Default: "'é'"}}}}
	const want = `{"extras":[{"columns":[{"field":"id"},{"default":"'\u00e9'","field":"n"}],"kind":"entity","type_name":"T"}],"types":[]}`
	if got, err := format.EncodeSchemaChange(change); err != nil || string(got) != want {
		t.Errorf("a change with extras:\n got %s, %v\nwant %s", got, err, want)
	}
	declared := &format.DeclaredTypes{Types: change.Extras, UpdatedAt: mustTime(t, "2026-01-01T00:00:00Z")}
	const stored = `{"types":[{"columns":[{"field":"id"},{"default":"'\u00e9'","field":"n"}],"kind":"entity","type_name":"T"}],"updated_at":"2026-01-01T00:00:00.000000+00:00"}`
	if got := format.EncodeDeclaredTypes(declared); string(got) != stored {
		t.Errorf("%s:\n got %s\nwant %s", format.ExtrasKey, got, stored)
	}
}

func mustTime(t *testing.T, text string) format.Time {
	t.Helper()
	at, err := format.ParseTime(text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestExtrasOfOthers checks that the error of an invalid entry has the object's key and the path,
// and that a value that is not a list is an empty list, as in all objects below meta/.
func TestExtrasOfOthers(t *testing.T) {
	for _, c := range []struct{ body, field string }{
		{`{"types":[{"kind":"table","type_name":"T"}]}`, "types[0].kind"},
		{`{"types":[{"kind":"entity"}]}`, "types[0].type_name"},
		{`{"types":[{"kind":"entity","type_name":"T","comment":7}]}`, "types[0].comment"},
		{`{"types":[{"kind":"entity","type_name":"T","columns":[{"default":"1"}]}]}`, "types[0].columns[0].field"},
		{`{"types":[{"kind":"entity","type_name":"T","columns":[{"field":"n","type":[]}]}]}`, "types[0].columns[0].type"},
		{`{"types":[{"kind":"entity","type_name":"T","columns":[{"field":"n","not_null":1}]}]}`, "types[0].columns[0].not_null"},
		{`{"types":[{"kind":"entity","type_name":"T","grants":[{"grants":[]}]}]}`, "types[0].grants[0].schema"},
		{`{"types":[{"kind":"entity","type_name":"T","grants":[{"schema":"public"}]}]}`, "types[0].grants[0].grants"},
		{`{"types":[{"kind":"entity","type_name":"T","grants":[{"schema":"public","grants":[{"grantor":"a"}]}]}]}`, "types[0].grants[0].grants[0].privileges"},
		{`{"types":["T"]}`, "types[0]"},
	} {
		_, err := format.DecodeDeclaredTypes(format.ExtrasKey, []byte(c.body))
		var corrupt *ontosql.CorruptError
		if !errors.As(err, &corrupt) || corrupt.Key != format.ExtrasKey || corrupt.Field != c.field {
			t.Errorf("%s: got error %v, want one of field %s", c.body, err, c.field)
		}
		_, err = format.DecodeSchemaChange("m", json.RawMessage(`{"types":[],"extras":`+c.body[len(`{"types":`):]))
		if !errors.As(err, &corrupt) || corrupt.Field != "metadata.ontosql_schema.extras"+c.field[len("types"):] {
			t.Errorf("the same in a schema change: %v", err)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"types":{}}`, `{"types":null,"updated_at":"soon"}`, `{"types":[{"kind":"entity","type_name":"T","columns":"id"}]}`} {
		if _, err := format.DecodeDeclaredTypes(format.ExtrasKey, []byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestGrantsAreStored checks that the owner of a type and the privileges on it are read as they were
// written, and that a column that is dropped takes those on it along.
func TestGrantsAreStored(t *testing.T) {
	extras := format.Extras{Kind: "entity", Type: "T", Owner: "ada", Grants: []format.TypeGrants{
		{Schema: "public", Grants: acl.Grants{{Grantor: "ada", Privileges: "r"}, {Grantee: "bob", Grantor: "ada", Privileges: "arw", Grantable: "r"}}},
		{Schema: "history", Grants: acl.Grants{}},
		{Schema: "public", Field: "n", Grants: acl.Grants{{Grantee: "eve", Grantor: "ada", Privileges: "w"}}},
	}}
	events := acl.Grants{{Grantor: "ontosql", Grantee: "ontosql", Privileges: "arwdDxt"}, {Grantor: "ontosql", Grantee: "ada", Privileges: "ar", Grantable: "a"}}
	text, err := format.EncodeSchemaChange(&format.SchemaChange{Types: []format.TypeState{}, RequireGrants: true, EventGrants: events, Extras: []format.Extras{extras}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"event_grants":[{"grantee":"ontosql","grantor":"ontosql","privileges":"arwdDxt"},{"grantable":"a","grantee":"ada","grantor":"ontosql","privileges":"ar"}],"extras":[{"grants":[{"grants":[{"grantor":"ada","privileges":"r"},{"grantable":"r","grantee":"bob","grantor":"ada","privileges":"arw"}],"schema":"public"},` +
		`{"grants":[],"schema":"history"},{"field":"n","grants":[{"grantee":"eve","grantor":"ada","privileges":"w"}],"schema":"public"}],` +
		`"kind":"entity","owner":"ada","type_name":"T"}],"require_grants":true,"types":[]}`
	if string(text) != want {
		t.Errorf("stored:\n got %s\nwant %s", text, want)
	}
	change, err := format.DecodeSchemaChange("m", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(events, change.EventGrants); diff != "" {
		t.Errorf("the privileges on events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]format.Extras{extras}, change.Extras); diff != "" || !change.RequireGrants {
		t.Errorf("require_grants is %v, and the extras (-want +got):\n%s", change.RequireGrants, diff)
	}
	without := &format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"}}
	if after := extras.After(without, without); len(after.Grants) != 2 || after.Owner != "ada" {
		t.Errorf("without the column: %+v", after)
	}
}

// TestExtrasAfter checks the extras after a schema change.
func TestExtrasAfter(t *testing.T) {
	ref := ontosql.TypeRef{Kind: ontosql.Relation, Name: "R"}
	list := func(item string) format.SchemaField {
		return format.SchemaField{Name: "list", Type: "list[" + item + "]"}
	}
	from := &format.Schema{Ref: ref, Fields: []format.SchemaField{
		format.NewField("gone", format.FieldStr, false), format.NewField("loose", format.FieldDecimal, false),
		format.NewField("other", format.FieldInt, true), list("int"),
	}}
	to := &format.Schema{Ref: ref, Fields: []format.SchemaField{
		format.NewField("loose", format.FieldDecimal, true), format.NewField("other", format.FieldStr, true), list("str"),
		format.NewField("new", format.FieldInt, true),
	}}
	declared := func(field string) format.ColumnExtras {
		return format.ColumnExtras{Field: field, Default: "1", Comment: field, Type: "numeric(3,1)", NotNull: true}
	}
	bare := func(field string) format.ColumnExtras { return format.ColumnExtras{Field: field, Comment: field} }
	extras := format.Extras{Kind: "relation", Type: "R", Comment: "r", Columns: []format.ColumnExtras{
		declared("left_key"), declared("gone"), declared("never"), declared("other"), declared("loose"), declared("list"), declared("new"),
	}}
	want := format.Extras{Kind: "relation", Type: "R", Comment: "r", Columns: []format.ColumnExtras{
		declared("left_key"), bare("other"), declared("loose"), bare("list"), bare("new"),
	}}
	if diff := cmp.Diff(want, extras.After(from, to)); diff != "" {
		t.Errorf("extras after a migration (-want +got):\n%s", diff)
	}
	entity := &format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "E"}}
	if got := extras.After(entity, entity); len(got.Columns) != 0 {
		t.Errorf("an entity without fields keeps %+v", got.Columns)
	}
}

// TestDroppedBefore checks that the versions of a dropped type and of a later type of the same name
// are distinguished, also if clocks differ.
func TestDroppedBefore(t *testing.T) {
	at := func(second string) format.Time { return mustTime(t, "2026-01-01T00:00:"+second+"Z") }
	list := func(seconds ...string) (versions []format.SchemaVersion) {
		for _, second := range seconds {
			versions = append(versions, format.SchemaVersion{CreatedAt: at(second)})
		}
		return versions
	}
	for _, c := range []struct {
		was    format.Time
		stored []format.SchemaVersion
		want   bool
	}{
		{at("50"), nil, false},              // the drop is projected
		{at("50"), list("50", "55"), false}, // the drop is not projected yet; the writer's clock was ahead
		{at("50"), list("10"), true},        // registered with a clock that is behind
		{at("50"), list("59"), true},
		{format.Time{}, list("10"), false}, // the creation time of the dropped type is unknown
		{format.Time{}, list("59"), true},
	} {
		d := format.DroppedRef{CreatedAt: c.was}
		if got := d.Before(c.stored, at("30").Time); got != c.want {
			t.Errorf("dropped at :30, created at %s, versions %v: Before is %t, want %t", c.was, c.stored, got, c.want)
		}
	}
}
