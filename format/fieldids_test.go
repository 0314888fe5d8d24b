package format

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
)

// renamed returns the ids of a type: version 2 renames field a to b and drops c, version 3 adds
// another field a.
func renamed() FieldIDs {
	ids := FieldIDs{Kind: "entity", Type: "T"}
	ids = ids.With(1, map[int64]string{1: "a", 2: "c", 3: "id"})
	ids = ids.With(2, map[int64]string{1: "b", 3: "id"})
	return ids.With(3, map[int64]string{1: "b", 3: "id", 4: "a"})
}

func TestFieldIDs(t *testing.T) {
	ids := renamed()
	want := FieldIDs{Kind: "entity", Type: "T", Through: 3, Fields: []FieldID{
		{1, []FieldName{{"a", 1, 1}, {"b", 2, 0}}},
		{2, []FieldName{{"c", 1, 1}}},
		{3, []FieldName{{"id", 1, 0}}},
		{4, []FieldName{{"a", 3, 0}}},
	}}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for version, want := range map[int64]map[string]int64{
		0: {}, 1: {"a": 1, "c": 2, "id": 3}, 2: {"b": 1, "id": 3}, 3: {"a": 4, "b": 1, "id": 3}, 4: {},
	} {
		if diff := cmp.Diff(want, ids.At(version)); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", version, diff)
		}
	}
	if next := ids.Next(); next != 5 {
		t.Errorf("the next id is %d, want 5", next)
	}
	if diff := cmp.Diff(ids, ids.Until(3)); diff != "" {
		t.Errorf("until the end (-want +got):\n%s", diff)
	}
	first := FieldIDs{Kind: "entity", Type: "T"}
	first = first.With(1, map[int64]string{1: "a", 2: "c", 3: "id"})
	if diff := cmp.Diff(first, ids.Until(1)); diff != "" {
		t.Errorf("until version 1 (-want +got):\n%s", diff)
	}
	// If a field gets an earlier name again, a new range begins.
	back := ids.With(4, map[int64]string{1: "b", 2: "c", 3: "id"})
	if diff := cmp.Diff([]FieldName{{"c", 1, 1}, {"c", 4, 0}}, back.Fields[1].Names); diff != "" {
		t.Errorf("a name that comes back (-want +got):\n%s", diff)
	}
}

const storedIDs = `{"field_ids":[{"fields":[{"id":1,"names":[{"from":1,"name":"a","to":1},{"from":2,"name":"b"}]},{"id":2,"names":[{"from":1,"name":"c","to":1}]},` +
	`{"id":3,"names":[{"from":1,"name":"id"}]},{"id":4,"names":[{"from":3,"name":"a"}]}],"kind":"entity","through":3,"type_name":"T"}],"types":[]`

func TestFieldIDsAreStored(t *testing.T) {
	change, err := EncodeSchemaChange(&SchemaChange{FieldIDs: []FieldIDs{renamed()}})
	if err != nil || string(change) != storedIDs+"}" {
		t.Errorf("a schema change is %s (%v), want %s}", change, err, storedIDs)
	}
	read, err := DecodeSchemaChange("m", change)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]FieldIDs{renamed()}, read.FieldIDs); diff != "" {
		t.Errorf("a schema change that was read (-want +got):\n%s", diff)
	}
	at, _ := ParseTime("2026-01-02T03:04:05.000006+00:00")
	declared := &DeclaredTypes{FieldIDs: read.FieldIDs, UpdatedAt: at}
	body := EncodeDeclaredTypes(declared)
	if want := storedIDs + `,"updated_at":"2026-01-02T03:04:05.000006+00:00"}`; string(body) != want {
		t.Errorf("the projection is %s, want %s", body, want)
	}
	again, err := DecodeDeclaredTypes(ExtrasKey, body)
	if err != nil || !again.Same(declared) {
		t.Errorf("the projection is read as %+v, %v", again, err)
	}
}

func TestDamagedFieldIDs(t *testing.T) {
	for name, change := range map[string][2]string{
		"an id twice":             {`"id":2`, `"id":1`},
		"no id":                   {`"id":2,`, ``},
		"a field without a name":  {`[{"from":1,"name":"c","to":1}]`, `[]`},
		"a range that ends early": {`"from":1,"name":"c","to":1`, `"from":2,"name":"c","to":1`},
		"version 0":               {`"through":3`, `"through":0`},
		"another kind":            {`"kind":"entity"`, `"kind":"thing"`},
	} {
		text := strings.Replace(storedIDs, change[0], change[1], 1) + "}"
		var corrupt *ontosql.CorruptError
		if _, err := DecodeSchemaChange("m", []byte(text)); !errors.As(err, &corrupt) || !strings.HasPrefix(corrupt.Field, "metadata.ontosql_schema.field_ids[0]") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRenameMembers(t *testing.T) {
	names := [][2]string{{"a", "b"}, {"b", "a"}, {"gone", ""}}
	for text, want := range map[string]string{
		`{"a":1,"b":[2.5],"c":null,"gone":"x","id":"k"}`: `{"a":[2.5],"b":1,"c":null,"id":"k"}`,
		`{"":1}`:               `{"":1}`,
		`{"a":NaN}`:            `{"b":NaN}`,
		`{"a":"\ud800\u0000"}`: `{"b":"\ud800\u0000"}`,
		`{}`:                   `{}`,
		`[1]`:                  `[1]`,
		`{"a":`:                `{"a":`,
	} {
		if got := string(RenameMembers([]byte(text), names, Canonical)); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
