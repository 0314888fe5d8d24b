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

// nativeCase is a field, a value of it, and whether the value fits the field's native column.
type nativeCase struct {
	field format.DataField
	json  string
	fits  bool
}

func number(precision, scale int) format.DataField {
	return format.DataField{Name: "f", Type: format.FieldDecimal}.Sized(precision, scale)
}

func of(t format.FieldType) format.DataField { return format.DataField{Name: "f", Type: t} }

var nativeCases = []nativeCase{
	{number(15, 2), `"12.5"`, true},
	{number(15, 2), `"-12.50"`, true},
	{number(15, 2), `"0"`, true},
	{number(15, 2), `"-0"`, true},
	{number(15, 2), `"0.01"`, true},
	{number(15, 2), `"-9999999999999.99"`, true},
	{number(15, 2), `"10000000000000"`, false}, // beyond the declared precision
	{number(15, 2), `"0.125"`, false},
	{number(15, 2), `12.5`, false}, // a number of JSON: the engine decides what it is
	{number(15, 2), `"1e3"`, false},
	{number(15, 2), `" 1"`, false},
	{number(15, 2), `"NaN"`, false},
	{number(15, 2), `NaN`, false},
	{number(15, 2), `null`, true},
	{number(9, 0), `"999999999"`, true}, // 32 bits
	{number(9, 0), `"-999999999"`, true},
	{number(9, 9), `"0.999999999"`, true},
	{number(18, 0), `"-999999999999999999"`, true}, // 64 bits
	{number(19, 1), `"-999999999999999999.9"`, true},
	{number(38, 12), `"99999999999999999999999999.999999999999"`, true},
	{number(38, 12), `"-99999999999999999999999999.999999999999"`, true},
	{number(38, 38), `"0.00000000000000000000000000000000000001"`, true},
	{number(38, 38), `"-0.99999999999999999999999999999999999999"`, true},
	{number(38, 38), `"1"`, false},
	{number(38, 0), `"99999999999999999999999999999999999999"`, true},
	{number(38, 0), `"100000000000000000000000000000000000000"`, false},
	{number(5, -2), `"1234500"`, true},
	{number(2, 4), `"0.0099"`, true},
	{of(format.FieldDate), `"2024-02-29"`, true},
	{of(format.FieldDate), `"1900-03-01"`, true},
	{of(format.FieldDate), `"0001-01-01"`, true},
	{of(format.FieldDate), `"9999-12-31"`, true},
	{of(format.FieldDate), `"2023-02-29"`, false},
	{of(format.FieldDate), `"1900-02-29"`, false},
	{of(format.FieldDate), `"2024-13-01"`, false},
	{of(format.FieldDate), `"0000-01-01"`, false},
	{of(format.FieldDate), `"infinity"`, false},
	{of(format.FieldDate), `"-infinity"`, false},
	{of(format.FieldDate), `20240229`, false},
	{of(format.FieldDatetime), `"2024-05-06T07:08:09.123456+00:00"`, true},
	{of(format.FieldDatetime), `"1969-12-31T23:59:59.999999+00:00"`, true},
	{of(format.FieldDatetime), `"0001-01-01T00:00:00.000000+00:00"`, true},
	{of(format.FieldDatetime), `"9999-12-31T23:59:59.999999+00:00"`, true},
	{of(format.FieldDatetime), `"2024-05-06T07:08:09+00:00"`, false},
	{of(format.FieldDatetime), `"2024-05-06T07:08:09.123456+02:00"`, false},
	{of(format.FieldDatetime), `"2024-05-06T24:00:00.000000+00:00"`, false},
	{of(format.FieldDatetime), `"infinity"`, false},
	{of(format.FieldUUID), `"00112233-4455-6677-8899-aabbccddeeff"`, true},
	{of(format.FieldUUID), `"ffffffff-ffff-ffff-ffff-ffffffffffff"`, true},
	{of(format.FieldUUID), `"00112233-4455-6677-8899-AABBCCDDEEFF"`, false},
	{of(format.FieldUUID), `"00112233445566778899aabbccddeeff"`, false},
	{of(format.FieldBytes), `"aGVsbG8="`, true},
	{of(format.FieldBytes), `""`, true},
	{of(format.FieldBytes), `"/+8="`, true},
	{of(format.FieldBytes), `"aGVsbG9="`, false}, // bits that do not count
	{of(format.FieldBytes), `"!"`, false},
	{of(format.FieldBytes), `[1]`, false},
	{of(format.FieldJSON), `{"a":[1,2.50,-0.0,1e-05,1e+16],"b":{"":null}}`, true},
	{of(format.FieldJSON), `"\u00e9\ud83d\ude00 \" \\ \/"`, true},
	{of(format.FieldJSON), `123456789012345678901234567890`, true},
	{of(format.FieldJSON), `1.2345678901234568e+17`, true},
	{of(format.FieldJSON), `true`, true},
	{of(format.FieldJSON), `"null"`, true},
	{of(format.FieldJSON), `[]`, true},
	{of(format.FieldJSON), `null`, true},
	{of(format.FieldJSON), `"\\u0000"`, true},
	{of(format.FieldJSON), `"\u0000"`, false},
	{of(format.FieldJSON), `["\ud800"]`, false},
	{of(format.FieldJSON), `{"a":NaN}`, false},
}

// columnTypes are the kinds of SQL columns of the fields.
var columnTypes = map[format.FieldType]column.Kind{
	format.FieldDecimal: column.Numeric, format.FieldDate: column.Date, format.FieldDatetime: column.TimestampTZ,
	format.FieldUUID: column.UUID, format.FieldBytes: column.Bytes, format.FieldJSON: column.JSON,
}

// TestNativeColumns reads each value from a file with a native column and from one without, and
// expects the same. A value that does not fit is read from fields_json in both.
func TestNativeColumns(t *testing.T) {
	b := newBench(t, t.TempDir())
	for i, test := range nativeCases {
		t.Run(fmt.Sprintf("%d %s", i, test.json), func(t *testing.T) {
			b.t = t
			rows := []format.Row{
				version("k", 1, `{"f":`+test.json+`,"id":"k"}`), version("l", 1, `{"f":null,"id":"l"}`), version("m", 1, `{"id":"m"}`),
			}
			without := b.write(fmt.Sprint("without", i, ".parquet"), entity, nil, rows...)
			with := b.writeData(fmt.Sprint("with", i, ".parquet"), []format.DataField{test.field}, rows...)
			native := slices.ContainsFunc(with.Facts.Columns, func(c format.ColumnFact) bool {
				_, ok := format.NativeField(c.Name, c.Kind)
				return ok
			})
			if native != test.fits {
				t.Errorf("the file has the columns %v, want a native one that can be trusted: %v", with.Facts.Columns, test.fits)
			}
			for _, size := range []column.Type{{Width: 38, Scale: 12}, {Width: 15, Scale: 2}, {Width: 38, Scale: 36}, {}} {
				c := field("f", columnTypes[test.field.Type])
				if c.Type.Kind == column.Numeric {
					c.Type.Width, c.Type.Scale = size.Width, size.Scale
				}
				read := func(f scan.File) []string {
					sql := b.sql(scan.Request{Type: typ(c), Window: ontosql.Window{Upper: 1}, Files: []scan.File{f}})
					return table(b.rows("SELECT id, CAST(f AS VARCHAR) AS f FROM ("+sql+")"), "id", "f")
				}
				if diff := gocmp.Diff(read(without), read(with)); diff != "" {
					t.Errorf("%s as %s from fields_json and from the native column (-json +native):\n%s", test.json, c.Type, diff)
				}
			}
		})
	}
}

// TestNativeColumnsOfOthers reads files in which a column has the name or the type of a native one
// and is none: in a file of another writer, and where another field has the name.
func TestNativeColumnsOfOthers(t *testing.T) {
	b := newBench(t, t.TempDir())
	date := of(format.FieldDate)
	rows := []format.Row{version("k", 1, `{"f":"2024-02-29","f:date":"x","id":"k"}`)}
	files := map[string]scan.File{
		"of another writer": b.copyTo("copy.parquet", `SELECT 1::BIGINT AS commit_id, 'T' AS entity_type, 'k' AS entity_key, 1::BIGINT AS schema_version_id,
			'{"f":"2024-02-29","id":"k"}' AS fields_json, DATE '1999-01-01' AS "f:date"`),
		"a field with the name":                 b.writeData("name.parquet", []format.DataField{date, {Name: "f:date", Type: format.FieldStr}}, rows...),
		"a field with the name in another case": b.writeData("case.parquet", []format.DataField{date, {Name: "F:Date", Type: format.FieldBytes}}, rows...),
	}
	for name, file := range files {
		got := table(b.rows(b.sql(scan.Request{Type: typ(field("f", column.Date)), Window: ontosql.Window{Upper: 1}, Files: []scan.File{file}})), "id", "f")
		if want := []string{`"k" "2024-02-29"`}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v; its columns are %v", name, got, want, file.Facts.Columns)
		}
	}
	both := typ(field("f", column.Date), field("f:date", column.Text))
	got := table(b.rows(b.sql(scan.Request{Type: both, Window: ontosql.Window{Upper: 1}, Files: []scan.File{files["a field with the name"]}})), "f", "f:date")
	if want := []string{`"2024-02-29" "x"`}; !slices.Equal(got, want) {
		t.Errorf("a field with the name of another's native column: %v, want %v", got, want)
	}
}

// TestFilesOfSeveralVersions reads one window over a file with native columns, one without, as the
// version before wrote it, and one whose numbers have another size.
func TestFilesOfSeveralVersions(t *testing.T) {
	b := newBench(t, t.TempDir())
	row := func(commit int, n string) format.Row {
		return version(fmt.Sprint("k", commit), ontosql.CommitID(commit), `{"d":"2024-01-0`+fmt.Sprint(commit)+`","f":"`+n+`","id":"k`+fmt.Sprint(commit)+`"}`)
	}
	date := format.DataField{Name: "d", Type: format.FieldDate}
	files := []scan.File{
		b.write("1.parquet", entity, nil, row(1, "1.5")),
		b.writeData("2.parquet", []format.DataField{date, number(15, 2)}, row(2, "2.25")),
		b.writeData("3.parquet", []format.DataField{date, number(20, 4)}, row(3, "3.0625")),
	}
	of := typ(field("d", column.Date), field("f", column.Numeric))
	got := table(b.rows(b.sql(scan.Request{Type: of, Window: ontosql.Window{Upper: 3}, Files: files})), "id", "d", "f")
	want := []string{`"k1" "2024-01-01" 1.500000000000`, `"k2" "2024-01-02" 2.250000000000`, `"k3" "2024-01-03" 3.062500000000`}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("one window over three files (-want +got):\n%s", diff)
	}
	small := field("f", column.Numeric)
	small.Type.Width, small.Type.Scale = 3, 2
	if odd := scan.MayHaveUnreadable(small, files[1].Facts); !odd {
		t.Error("no unreadable values are looked for in a column whose numbers the field's type may not hold")
	}
	if unreadable, err := scan.Unreadable(of, of.Columns, files[1:], nil); err != nil || unreadable != "" {
		t.Errorf("unreadable values are looked for in native columns: %s (%v)", unreadable, err)
	}
}

// TestRenamedNativeColumn reads a field under the name that it had in an older schema version.
func TestRenamedNativeColumn(t *testing.T) {
	b := newBench(t, t.TempDir())
	before := b.writeData("1.parquet", []format.DataField{{Name: "old", Type: format.FieldDate}}, version("a", 1, `{"id":"a","old":"2024-01-01"}`))
	now := version("b", 2, `{"f":"2024-01-02","id":"b"}`)
	now.SchemaVersionID = 2
	after := b.writeData("2.parquet", []format.DataField{of(format.FieldDate)}, now)
	c := field("f", column.Date)
	c.Past = []catalog.Past{{Versions: []int64{1}, Field: "old"}}
	got := table(b.rows(b.sql(scan.Request{Type: typ(c), Window: ontosql.Window{Upper: 2}, Files: []scan.File{before, after}})), "id", "f")
	if want := []string{`"a" "2024-01-01"`, `"b" "2024-01-02"`}; !slices.Equal(got, want) {
		t.Errorf("a renamed field: %v, want %v", got, want)
	}
}

// TestDistrustedSignature: a mirror that was fed from a column that is distrusted since is not kept.
func TestDistrustedSignature(t *testing.T) {
	before, after := typ(field("f", column.Date)), typ(field("f", column.Date))
	after.Distrusted = map[string][]string{"commits/1-x/entities/T.parquet": {"f:date"}}
	if scan.Signature(before) == scan.Signature(after) {
		t.Error("the signature is the same")
	}
}
