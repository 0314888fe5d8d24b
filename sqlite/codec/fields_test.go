package codec

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
	"github.com/ontosql/ontosql/writepath"
)

// rowsOf are the rows of a query on a file of the original's.
func rowsOf(t *testing.T, name, query string) (rows [][]string) {
	t.Helper()
	conn, err := lite.OpenConn(filepath.Join(fixtures.Dir(t, name), "onto.db"), lite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(row *lite.Stmt) error {
		var columns []string
		for i := range row.ColumnCount() {
			columns = append(columns, row.ColumnText(i))
		}
		rows = append(rows, columns)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestFieldsOfTheOriginal writes every stored row of the original's files again, from
// its canonical form, and gets the same bytes.
func TestFieldsOfTheOriginal(t *testing.T) {
	// The registry has the newest order only. This is that of Customer's first
	// version, by the models that the files were made with.
	first := []string{"id", "name", "age", "score", "active", "email", "tags", "attrs", "address", "visits"}
	for _, name := range []string{"sqlite-v1", "sqlite-v2"} {
		orders := map[string][]string{}
		for _, r := range rowsOf(t, name, "SELECT type_name, schema_json FROM schema_registry") {
			order, err := FieldOrder(r[1])
			if err != nil {
				t.Fatal(err)
			}
			orders[r[0]] = order
		}
		n := 0
		for _, r := range rowsOf(t, name, `SELECT entity_type, schema_version_id, fields_json FROM entity_history
			UNION ALL SELECT relation_type, schema_version_id, fields_json FROM relation_history`) {
			order := orders[r[0]]
			if r[0] == "Customer" && r[1] == "1" {
				order = first
			}
			canonical, err := format.Canonicalize([]byte(r[2]))
			if err != nil {
				t.Fatal(err)
			}
			got, err := NewFieldsEncoder(order).Append(nil, canonical)
			if err != nil {
				t.Fatal(err)
			}
			// Only inside a field of type dict is an order that no schema has.
			want := strings.Replace(r[2], `"attrs": {"z": 1, "a": 2}`, `"attrs": {"a": 2, "z": 1}`, 1)
			if string(got) != want {
				t.Errorf("%s: a row of %s is\n%s, want\n%s", name, r[0], got, want)
			}
			n++
		}
		if n < 15 {
			t.Errorf("%s has %d rows only", name, n)
		}
	}
}

// TestRegistryOfTheOriginal prints every registered schema from its canonical form and the
// order of its fields, and gets the same bytes.
func TestRegistryOfTheOriginal(t *testing.T) {
	for _, name := range []string{"sqlite-v1", "sqlite-v2"} {
		for _, r := range rowsOf(t, name, "SELECT type_name, schema_json FROM schema_registry") {
			canonical, err := format.Canonicalize([]byte(r[1]))
			if err != nil {
				t.Fatal(err)
			}
			schema, err := format.DecodeSchema("schema_registry", "schema_json", canonical)
			if err != nil {
				t.Fatal(err)
			}
			order, err := FieldOrder(r[1])
			if err != nil {
				t.Fatal(err)
			}
			declared := &format.Extras{}
			for _, field := range order {
				declared.Columns = append(declared.Columns, format.ColumnExtras{Field: field})
			}
			for how, stored := range map[string]string{"anew": "", "over the one before": r[1]} {
				got, err := RegistryJSON(schema, declared, stored)
				if err != nil || got != r[1] {
					t.Errorf("%s: the schema of %s is spelled %s as\n%s, %v, want\n%s", name, r[0], how, got, err, r[1])
				}
			}
		}
	}
}

func TestFieldOrder(t *testing.T) {
	field := func(name string) format.SchemaField { return format.NewField(name, format.FieldStr, false) }
	for _, c := range []struct {
		story            string
		fields           []string
		declared, before string
		want             string
	}{
		{"nobody says anything", []string{"b", "a"}, "", "", "a b"},
		{"SQL says all of it", []string{"a", "b", "c"}, "c a b", "", "c a b"},
		{"SQL says all of it and renames one", []string{"a", "x", "c"}, "c x a", "c b a", "c x a"},
		{"SQL has the original's fields by name, and adds one", []string{"a", "b", "c", "x"}, "a b c x", "b c a", "b c a x"},
		{"the original's own order stays", []string{"a", "b", "c"}, "", "b c a", "b c a"},
		{"new fields come last", []string{"a", "b", "c", "d"}, "", "b a", "b a c d"},
		{"new fields in the order that SQL declares", []string{"a", "b", "c", "d"}, "d c a", "b a", "b a d c"},
		{"what is gone is left out", []string{"a"}, "x a y", "y b a", "a"},
		{"endpoints are no fields", []string{"a", "b"}, "left_key right_key b a", "", "b a"},
	} {
		schema := &format.Schema{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "R"}}
		for _, name := range c.fields {
			schema.Fields = append(schema.Fields, field(name))
		}
		var extras format.Extras
		for _, name := range strings.Fields(c.declared) {
			extras.Columns = append(extras.Columns, format.ColumnExtras{Field: name})
		}
		var before []format.Member
		for _, name := range strings.Fields(c.before) {
			before = append(before, format.Member{Name: name, Value: format.Null()})
		}
		if got := strings.Join(declaredOrder(schema, &extras, format.Object(before...)), " "); got != c.want {
			t.Errorf("%s: the order is %q, want %q", c.story, got, c.want)
		}
	}
}

func TestFieldsEncoder(t *testing.T) {
	e := NewFieldsEncoder([]string{"z", "höhe", "a", `q"`})
	for _, c := range []struct{ canonical, want string }{
		{`{}`, `{}`},
		{`{"a":1,"z":2}`, `{"z": 2, "a": 1}`},
		{`{"a":null,"b":"x,y:z","h\u00f6he":1.5,"q\"":[1,{"x":[]}],"y":{"k":"\"},:"}}`, `{"h\u00f6he": 1.5, "a": null, "q\"": [1, {"x": []}], "b": "x,y:z", "y": {"k": "\"},:"}}`},
		{`{"a":"\\","z":[true,false,NaN]}`, `{"z": [true, false, NaN], "a": "\\"}`},
	} {
		got, err := e.Append(nil, []byte(c.canonical))
		if err != nil || string(got) != c.want {
			t.Errorf("%s is written as %s, %v, want %s", c.canonical, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "[]", "{", `{"a":1}x`} {
		if got, err := e.Append(nil, []byte(bad)); err == nil {
			t.Errorf("%q is written as %s", bad, got)
		}
	}
}

// FuzzFieldsEncoder: what is written is spaced like the original's, and says the
// same.
func FuzzFieldsEncoder(f *testing.F) {
	f.Add(`{"a":1,"b":{"c":[1,2],"d":"x,\":"}}`)
	f.Add(`{"\u00f6":"\\\"","z":-0.0}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := format.ParseJSON([]byte(text))
		if err != nil || v.Kind() != format.JSONObject {
			return
		}
		canonical := v.Append(nil, format.Canonical)
		sorted, err := format.ParseJSON(canonical)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewFieldsEncoder(sorted.Names()).Append(nil, canonical)
		if err != nil {
			t.Fatal(err)
		}
		if want := sorted.Append(nil, format.SpacedInOrder); string(got) != string(want) {
			t.Errorf("%s is written as\n%s, want\n%s", canonical, got, want)
		}
	})
}

func BenchmarkFieldsEncoder(b *testing.B) {
	e := NewFieldsEncoder([]string{"id", "name", "tier", "balance", "since"})
	fields := json.RawMessage(`{"balance":12.5,"id":"c100","name":"Ann Smith","since":"2026-01-01","tier":"gold"}`)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if dst, err = e.Append(dst[:0], fields); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEncodeMetadataOfADrop: the metadata of a drop has the original's order.
func TestEncodeMetadataOfADrop(t *testing.T) {
	tx := &writepath.Tx{Actor: "ann", Metadata: map[string]string{
		"affected_types": "[]", "who": "me", "target_type": "T", "before": "noon", "target_kind": "entity", "operation": "schema_drop",
	}}
	got, err := EncodeMetadata(tx, "a1", nil, nil)
	want := `{"operation": "schema_drop", "target_kind": "entity", "target_type": "T", "affected_types": "[]", "before": "noon", "who": "me", "actor": "ann", "ontosql_attempt": "a1"}`
	if got != want || err != nil {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}
