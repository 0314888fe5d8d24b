package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
)

// TestConvertedAsByTheEngine converts rows of every kind, and compares each row that is converted with
// what the engine makes of it for the native copies.
func TestConvertedAsByTheEngine(t *testing.T) {
	conn := openEngine(t)
	const seed = 2911
	r := rand.New(rand.NewPCG(seed, 1))
	for _, all := range rowTypes() {
		keys := len(all.Key)
		for f := keys; f < len(all.Columns); f++ { // with more fields nearly every row would have an odd one
			typ := *all
			typ.Columns = append(slices.Clone(all.Columns[:keys]), all.Columns[f])
			converter := NewConverter(&typ)
			var converted []format.Row
			for n := range 300 {
				row := randomRow(r, &typ, ontosql.CommitID(n+1))
				if row.SchemaVersionID = typ.SchemaID; n%50 == 0 {
					row.SchemaVersionID++
				}
				if _, ok := converter.Convert([]format.Row{row}); !ok {
					continue
				}
				if row.SchemaVersionID != typ.SchemaID {
					t.Fatalf("a row of another schema was converted: %s", row.Fields)
				}
				converted = append(converted, row)
			}
			if len(converted) < 3 {
				t.Fatalf("%d rows with a field %s were converted", len(converted), all.Columns[f].Type)
			}
			compareWithEngine(t, conn, &typ, converted)
		}
	}
}

// TestConvertsWhatGatewaysWrite: rows in the forms in which they are written need no engine, and those
// in other forms are left to it.
func TestConvertsWhatGatewaysWrite(t *testing.T) {
	conn := openEngine(t)
	for kind, texts := range map[column.Kind][2][]string{
		column.Text:        {{`"x"`, `""`, `"\u00e9\n\""`}, {"1", `"\u0000"`, `"\ud800"`}},
		column.Int64:       {{"0", "-17", "123456789012345"}, {"1.0", "true", `"1"`, "-0"}},
		column.Float64:     {{"0.1", "-1e-07", "12", "1.7976931348623157e+308"}, {"NaN", `"1"`, "true"}},
		column.Bool:        {{"true", "false"}, {"1", `"true"`}},
		column.TimestampTZ: {{`"2026-02-28T12:34:56.000001+00:00"`, `"0001-01-01T00:00:00.000000+00:00"`}, {`"2026-02-28T12:34:56Z"`, `"2026-02-28 12:34:56"`, `"2026-02-30T12:34:56.000001+00:00"`, "1"}},
		column.Date:        {{`"2026-02-28"`, `"9999-12-31"`}, {`"2026-02-29"`, `"2026-2-8"`, `"infinity"`}},
		column.Numeric:     {{`"0"`, `"12.5"`, `"-0.000000000001"`, `"12345678901234567890123456"`}, {`"12.50"`, `"1e3"`, "7", `"0.0000000000001"`, `"-0"`, `"123456789012345678901234567"`}},
		column.JSON:        {{`{"a":[1,null,true,{"b":"c"}]}`, "[]", `"text"`, "17"}, {`{"a": 1}`, "1.5", "-0", `"\u00e9"`, "1e5", "1234567890123456"}},
		column.UUID:        {{`"00112233-4455-6677-8899-aabbccddeeff"`, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`}, {`"00112233-4455-6677-8899-AABBCCDDEEFF"`, `"0011223g-4455-6677-8899-aabbccddeeff"`}},
		column.Bytes:       {{`"AAEC"`, `"AAE="`, `""`}, {`"AAE"`, `"AB=="`, `"?"`}},
	} {
		of := column.Type{Kind: kind}
		if kind == column.Numeric {
			of.Width, of.Scale = 38, 12
		}
		typ := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"}, SchemaID: 1, Key: []int{0}, Columns: []catalog.Column{
			{Name: "id", Role: catalog.FromEntityKey, Type: column.Type{Kind: column.Text}},
			{Name: "v", Field: "v", Role: catalog.FromField, Type: of},
		}}
		rowOf := func(text string) format.Row {
			return format.Row{Key: "k", Commit: 1, SchemaVersionID: 1, Fields: fmt.Appendf(nil, `{"id":"k","v":%s}`, text)}
		}
		var rows []format.Row
		for _, text := range append(texts[0], "null") {
			if rows = append(rows, rowOf(text)); len(rows) > 0 {
				if _, ok := NewConverter(typ).Convert(rows); !ok {
					t.Errorf("%s as %s is left to the engine", text, kind)
				}
			}
		}
		for i := range rows {
			rows[i].Commit = ontosql.CommitID(i + 1)
		}
		compareWithEngine(t, conn, typ, rows)
		for _, text := range append(texts[1], `1,"v":1`) {
			if b, ok := NewConverter(typ).Convert([]format.Row{rowOf(text)}); ok {
				t.Errorf("%s as %s is %s without the engine", text, kind, shownRow(b, 0))
			}
		}
	}
}

// compareWithEngine compares converted rows with the same rows by the engine, which have different commits.
func compareWithEngine(t *testing.T, conn *duckdb.Conn, typ *catalog.Type, rows []format.Row) {
	t.Helper()
	b, ok := NewConverter(typ).Convert(rows)
	if !ok {
		t.Fatalf("the rows of %s are not converted together", typ.Ref)
	}
	want := map[string]bool{}
	for i := range rows {
		want[shownRow(b, i)] = true
	}
	files := []scan.File{{Rows: Values(typ, rows), Facts: RowFacts(typ), Min: 1, Max: 1 << 30}}
	sql, _, err := scan.Stored(scan.Request{Type: typ, Window: ontosql.Window{Upper: 1 << 30}, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Exec(t.Context(), "CREATE OR REPLACE TEMP TABLE "+mirror.Versions+" AS "+sql); err != nil {
		t.Fatal(err)
	}
	err = conn.Each(t.Context(), "SELECT * FROM "+mirror.Versions, nil, func(b *column.Batch, i int) {
		if got := shownRow(b, i); !want[got] {
			t.Errorf("the engine has %s, which was converted in another way", got)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	unreadable, err := scan.UnreadableByCommit(typ, files, 0, mirror.Versions)
	if err != nil || unreadable == "" {
		return
	}
	err = conn.Each(t.Context(), unreadable, nil, func(b *column.Batch, i int) {
		if b.Cols[2].I64[i] > 0 {
			t.Errorf("column %d of commit %d is unreadable, and was converted", b.Cols[0].I64[i], b.Cols[1].I64[i])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// shownRow is a row of StoredColumns without the order.
func shownRow(b *column.Batch, i int) string {
	var parts []string
	for c := range b.Cols[:len(b.Cols)-1] {
		v := &b.Cols[c]
		text := "NULL"
		if !v.IsNull(i) {
			switch v.Type.Kind {
			case column.Bool:
				text = fmt.Sprint(v.Bool[i])
			case column.Date:
				text = fmt.Sprint(v.I32[i])
			case column.Int64, column.TimestampTZ:
				text = fmt.Sprint(v.I64[i])
			case column.Float64:
				text = fmt.Sprintf("%x", v.F64[i])
			case column.Numeric, column.UUID:
				text = fmt.Sprint(v.I128[i])
			default:
				text = fmt.Sprintf("%q", v.Str[i])
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "|")
}
