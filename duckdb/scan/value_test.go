package scan_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// TestValues reads values of every form from fields_json.
func TestValues(t *testing.T) {
	b := newBench(t, t.TempDir())
	for _, test := range []struct {
		kind       column.Kind
		json, want string
	}{
		{column.Text, `"x"`, `"x"`},
		{column.Text, `""`, `""`},
		{column.Text, `null`, `null`},
		{column.Text, `7`, `"7"`},
		{column.Text, `"\u00e9\ud83d\ude00"`, `"é😀"`},
		{column.Int64, `7`, `7`},
		{column.Int64, `-9223372036854775808`, `-9223372036854775808`},
		{column.Int64, `9223372036854775807`, `9223372036854775807`},
		{column.Int64, `9007199254740993`, `9007199254740993`},
		{column.Int64, `9223372036854775808`, `null`},
		{column.Int64, `3.0`, `3`},
		{column.Int64, `3.7`, `null`},
		{column.Int64, `"12"`, `12`},
		{column.Int64, `"x"`, `null`},
		{column.Int64, `true`, `null`},
		{column.Int64, `[1]`, `null`},
		{column.Float64, `3`, `3.0`},
		{column.Float64, `1e-05`, `0.00001`},
		{column.Float64, `1.2345678901234568e+17`, `123456789012345680.0`},
		{column.Float64, `"x"`, `null`},
		{column.Bool, `true`, `true`},
		{column.Bool, `false`, `false`},
		{column.Bool, `"yes please"`, `null`},
		{column.TimestampTZ, `"2024-05-06T07:08:09.123456+00:00"`, `"2024-05-06 07:08:09.123456+00"`},
		{column.TimestampTZ, `"2024-05-06T07:08:09+02:00"`, `"2024-05-06 05:08:09+00"`},
		{column.TimestampTZ, `"2024-05-06T07:08:09"`, `"2024-05-06 07:08:09+00"`},
		{column.TimestampTZ, `"soon"`, `null`},
		{column.Date, `"2024-02-29"`, `"2024-02-29"`},
		{column.Date, `"2023-02-29"`, `null`},
		{column.Numeric, `"12.5"`, `12.500000000000`},
		{column.Numeric, `12.5`, `12.500000000000`},
		{column.Numeric, `"many"`, `null`},
		{column.UUID, `"00112233-4455-6677-8899-aabbccddeeff"`, `"00112233-4455-6677-8899-aabbccddeeff"`},
		{column.UUID, `"no"`, `null`},
		{column.Bytes, `"aGVsbG8="`, `"hello"`},
		{column.Bytes, `"!"`, `null`},
		{column.JSON, `[1,{"a":null}]`, `[1,{"a":null}]`},
		{column.JSON, `null`, `null`},
		{column.JSON, `"null"`, `"null"`},
		{column.JSON, `false`, `false`},
	} {
		t.Run(fmt.Sprintf("%s %s", test.kind, test.json), func(t *testing.T) {
			b.t = t
			of := typ(field(`a/b~c"d'e.f`, test.kind))
			file := b.write("v.parquet", entity, nil, version("k", 1, `{"a/b~c\"d'e.f":`+test.json+`,"id":"k"}`), version("m", 1, `{"id":"m"}`))
			got := table(b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Upper: 1}, Files: []scan.File{file}})), of.Columns[1].Name)
			want := []string{test.want, "null"}
			slices.Sort(want)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s as %s and missing (-want +got):\n%s", test.json, test.kind, diff)
			}
		})
	}
}

// TestTypedColumns checks which columns of a file are used: each has another value than
// fields_json.
func TestTypedColumns(t *testing.T) {
	b := newBench(t, t.TempDir())
	const system = `1::bigint AS commit_id, 'T' AS entity_type, 'k' AS entity_key, 1::bigint AS schema_version_id, '{"F":"4"}' AS fields_json, `
	for _, test := range []struct {
		column string
		kind   column.Kind
		want   string
	}{
		{`'typed' AS "F"`, column.Text, `"typed"`},
		{`9::bigint AS "F"`, column.Text, `"4"`},
		{`9::bigint AS "F"`, column.Int64, `9`},
		{`9::integer AS "F"`, column.Int64, `4`},
		{`9::double AS "F"`, column.Int64, `4`},
		{`9.5::double AS "F"`, column.Float64, `9.5`},
		{`9::bigint AS "F"`, column.Float64, `4.0`},
		{`true AS "F"`, column.Bool, `true`},
		{`9::bigint AS "G"`, column.Int64, `4`},
		{`9::bigint AS f`, column.Int64, `4`},
		{`[9] AS "F"`, column.JSON, `"4"`},
	} {
		t.Run(test.column+" for "+test.kind.String(), func(t *testing.T) {
			b.t = t
			file := b.copyTo("typed.parquet", "SELECT "+system+test.column)
			got := table(b.rows(b.sql(scan.Request{Type: typ(field("F", test.kind)), Window: ontosql.Window{Upper: 1}, Files: []scan.File{file}})), "f")
			if len(got) != 1 || got[0] != test.want {
				t.Errorf("f = %v, want %s", got, test.want)
			}
		})
	}
}

// TestSessionZone reads a stored time in a session with another time zone.
func TestSessionZone(t *testing.T) {
	b := newBench(t, t.TempDir())
	file := b.write("1.parquet", entity, nil, version("k", 1, `{"at":"2024-05-06T07:08:09"}`))
	sql := b.sql(scan.Request{Type: typ(field("at", column.TimestampTZ)), Window: ontosql.Window{Upper: 1}, Files: []scan.File{file}})
	b.exec("SET TimeZone = 'Asia/Tokyo'")
	if got := table(b.rows(sql), "at"); !slices.Equal(got, []string{`"2024-05-06 16:08:09+09"`}) {
		t.Errorf("at = %v, want the same time in Tokyo", got)
	}
}

// TestShortNames has fields with the fragment's internal names.
func TestShortNames(t *testing.T) {
	b := newBench(t, t.TempDir())
	var cols []catalog.Column
	var fields []format.SchemaField
	for _, name := range []string{"c", "j", "k0", "f1", "r", "file_row_number"} {
		cols = append(cols, field(name, column.Text))
		fields = append(fields, format.NewField(name, format.FieldStr, true))
	}
	const json = `{"c":"1","f1":"4","file_row_number":"6","id":"k","j":"2","k0":"3","r":"5"}`
	files := []scan.File{
		b.write("1.parquet", entity, fields, version("k", 1, json)),
		b.write("2.parquet", entity, nil, version("k", 2, json)),
	}
	for _, mode := range []ontosql.Mode{ontosql.Latest, ontosql.History, ontosql.Changes} {
		got := table(b.rows(b.sql(scan.Request{Type: typ(cols...), Window: ontosql.Window{Mode: mode, Upper: 2}, Files: files})), "c", "j", "k0", "f1", "r", "file_row_number")
		for _, line := range got {
			if line != `"1" "2" "3" "4" "5" "6"` {
				t.Errorf("mode %d: %s", mode, line)
			}
		}
		if len(got) == 0 {
			t.Errorf("mode %d: no rows", mode)
		}
	}
}
