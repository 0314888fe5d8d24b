package rowjson

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// vectorOf is a vector of one value.
func vectorOf(t testing.TB, of column.Type, value any) *column.Vector {
	t.Helper()
	v := &column.Vector{Type: of}
	switch x := value.(type) {
	case bool:
		v.Bool = []bool{x}
	case int32:
		v.I32 = []int32{x}
	case int64:
		v.I64 = []int64{x}
	case float64:
		v.F64 = []float64{x}
	case string:
		v.Str = [][]byte{[]byte(x)}
	case column.Int128:
		v.I128 = []column.Int128{x}
	case nil:
		v.SetNull(0, 1)
	default:
		t.Fatalf("no vector of %T", value)
	}
	return v
}

// int128 reads decimal digits.
func int128(t testing.TB, digits string) column.Int128 {
	t.Helper()
	x, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		t.Fatalf("%q is no integer", digits)
	}
	low := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64))
	return column.Int128{Lo: low.Uint64(), Hi: new(big.Int).Rsh(x, 64).Int64()}
}

// numericType is the type that Decimal fields have (PRODUCT "Types").
var numericType = column.Type{Kind: column.Numeric, Width: 38, Scale: format.DecimalScale}

func TestStoredValues(t *testing.T) {
	const day = 86_400_000_000
	kind := func(k column.Kind) column.Type { return column.Type{Kind: k} }
	nines := strings.Repeat("9", 26) + "." + strings.Repeat("9", 12)
	for _, c := range []struct {
		of    column.Type
		value any
		want  string // canonical JSON
	}{
		{kind(column.Int64), nil, `null`},
		{kind(column.JSON), nil, `null`},
		{kind(column.Bool), true, `true`},
		{kind(column.Bool), false, `false`},
		{kind(column.Int64), int64(math.MinInt64), `-9223372036854775808`},
		{kind(column.Int64), int64(math.MaxInt64), `9223372036854775807`},
		{kind(column.Int64), int64(0), `0`},
		{kind(column.Float64), 0.0, `0.0`},
		{kind(column.Float64), math.Copysign(0, -1), `-0.0`},
		{kind(column.Float64), 3.0, `3.0`},
		{kind(column.Float64), 0.1, `0.1`},
		{kind(column.Float64), 1e16, `1e+16`},
		{kind(column.Float64), 1e-5, `1e-05`},
		{kind(column.Float64), math.MaxFloat64, `1.7976931348623157e+308`},
		{kind(column.Float64), math.SmallestNonzeroFloat64, `5e-324`},
		{kind(column.Float64), math.NaN(), `NaN`},
		{kind(column.Float64), math.Inf(1), `Infinity`},
		{kind(column.Float64), math.Inf(-1), `-Infinity`},
		{kind(column.Text), "", `""`},
		{kind(column.Text), "Größe \"\\/\x01\x7f\t", `"Gr\u00f6\u00dfe \"\\/\u0001\u007f\t"`},
		{kind(column.Text), "\U0001f600\U0010ffff", `"\ud83d\ude00\udbff\udfff"`},
		{kind(column.Text), "null", `"null"`},
		{kind(column.Bytes), "", `""`},
		{kind(column.Bytes), "\x00\xff\xfe", `"AP/+"`},
		{kind(column.JSON), ` {"b": [1, 2.0, -0.0, 1e2, {}], "a": null, "b": "x"} `, `{"a":null,"b":"x"}`},
		{kind(column.JSON), `{"é":"\ud83d\ude00","a":[[],{}]}`, `{"a":[[],{}],"\u00e9":"\ud83d\ude00"}`},
		{kind(column.JSON), `9223372036854775807`, `9223372036854775807`},
		{kind(column.JSON), `null`, `null`},
		{kind(column.JSON), `""`, `""`},
		{numericType, column.Int128{}, `"0"`},
		{numericType, int128(t, "1"), `"0.000000000001"`},
		{numericType, int128(t, "-1"), `"-0.000000000001"`},
		{numericType, int128(t, "12500000000000"), `"12.5"`},
		{numericType, int128(t, "-1000000000000"), `"-1"`},
		{numericType, int128(t, "9223372036854775807"), `"9223372.036854775807"`},
		{numericType, int128(t, "9223372036854775808"), `"9223372.036854775808"`},
		{numericType, int128(t, "-9223372036854775808"), `"-9223372.036854775808"`},
		{numericType, int128(t, "-9223372036854775809"), `"-9223372.036854775809"`},
		{numericType, int128(t, "18446744073709551616"), `"18446744.073709551616"`},
		{numericType, int128(t, strings.Repeat("9", 38)), `"` + nines + `"`},
		{numericType, int128(t, "-"+strings.Repeat("9", 38)), `"-` + nines + `"`},
		{column.Type{Kind: column.Numeric, Width: 20}, int128(t, "-42"), `"-42"`},
		{column.Type{Kind: column.Numeric, Width: 4, Scale: 2}, int128(t, "-42"), `"-0.42"`},
		{column.Type{Kind: column.Numeric, Width: 2, Scale: 2}, int128(t, "7"), `"0.07"`},
		{kind(column.UUID), column.Int128{}, `"00000000-0000-0000-0000-000000000000"`},
		{kind(column.UUID), column.Int128{Lo: math.MaxUint64, Hi: -1}, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`},
		{kind(column.UUID), column.Int128{Hi: 0x0123456789abcdef, Lo: 0xfedcba9876543210}, `"01234567-89ab-cdef-fedc-ba9876543210"`},
		{kind(column.Date), int32(0), `"1970-01-01"`},
		{kind(column.Date), int32(-719162), `"0001-01-01"`},
		{kind(column.Date), int32(2932896), `"9999-12-31"`},
		{kind(column.TimestampTZ), int64(-1), `"1969-12-31T23:59:59.999999+00:00"`},
		{kind(column.TimestampTZ), int64(-719162 * day), `"0001-01-01T00:00:00.000000+00:00"`},
		{kind(column.TimestampTZ), int64(2932897*day - 1), `"9999-12-31T23:59:59.999999+00:00"`},
	} {
		v, err := Value(vectorOf(t, c.of, c.value), 0, &catalog.Column{Name: "c", Type: c.of})
		if got := string(v.Append(nil, format.Canonical)); err != nil || got != c.want {
			t.Errorf("%s %v is stored as %s, %v; want %s", c.of, c.value, got, err, c.want)
		}
	}
}

func TestValuesThatCannotBeStored(t *testing.T) {
	const day = 86_400_000_000
	kind := func(k column.Kind) column.Type { return column.Type{Kind: k} }
	long := strings.Repeat("x", ontosql.MaxValueSize+1)
	for name, c := range map[string]struct {
		of    column.Type
		value any
		code  string
	}{
		"text too long":                  {kind(column.Text), long, "54000"},
		"bytes too long":                 {kind(column.Bytes), long, "54000"},
		"json too long":                  {kind(column.JSON), `"` + long + `"`, "54000"},
		"nul in text":                    {kind(column.Text), "a\x00b", "22021"},
		"no UTF-8":                       {kind(column.Text), "a\xff", "22021"},
		"a surrogate in text":            {kind(column.Text), "\xed\xa0\x80", "22021"},
		"nul in a json string":           {kind(column.JSON), `["\u0000"]`, "22P05"},
		"nul in a json name":             {kind(column.JSON), `{"\u0000":1}`, "22P05"},
		"a lone surrogate":               {kind(column.JSON), `"\udc00"`, "22P02"},
		"a lone surrogate in a name":     {kind(column.JSON), `{"a":{"\ud800":1}}`, "22P02"},
		"NaN in json":                    {kind(column.JSON), `[NaN]`, "22P02"},
		"infinity in json":               {kind(column.JSON), `{"a":-Infinity}`, "22P02"},
		"a number that is infinity":      {kind(column.JSON), `1e400`, "22P02"},
		"an integer beyond 64 bits":      {kind(column.JSON), `[9223372036854775808]`, "22003"},
		"no json":                        {kind(column.JSON), `{"a":}`, "22P02"},
		"empty json":                     {kind(column.JSON), ``, "22P02"},
		"json too deep":                  {kind(column.JSON), strings.Repeat("[", 6000) + strings.Repeat("]", 6000), "54001"},
		"more whole digits than decimal": {column.Type{Kind: column.Numeric, Width: 38}, int128(t, strings.Repeat("9", 38)), "22003"},
		"more fraction than decimal":     {column.Type{Kind: column.Numeric, Width: 38, Scale: 20}, int128(t, "1"), "22003"},
		"the day before year 1":          {kind(column.Date), int32(-719163), "22008"},
		"the day after year 9999":        {kind(column.Date), int32(2932897), "22008"},
		"infinity":                       {kind(column.Date), column.DateInfinity, "22008"},
		"-infinity":                      {kind(column.TimestampTZ), column.TimestampNegInfinity, "22008"},
		"a moment before year 1":         {kind(column.TimestampTZ), int64(-719162*day - 1), "22008"},
		"a moment after year 9999":       {kind(column.TimestampTZ), int64(2932897 * day), "22008"},
	} {
		_, err := Value(vectorOf(t, c.of, c.value), 0, &catalog.Column{Name: "c", Type: c.of})
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	exact := strings.Repeat("x", ontosql.MaxValueSize)
	for _, k := range []column.Kind{column.Text, column.Bytes} {
		if _, err := Value(vectorOf(t, kind(k), exact), 0, &catalog.Column{Name: "c", Type: kind(k)}); err != nil {
			t.Errorf("%s of 64 MiB: %v", k, err)
		}
	}
	if _, err := Value(vectorOf(t, kind(column.Interval), nil), 0, &catalog.Column{}); err != nil {
		t.Errorf("NULL of any type: %v", err)
	}
}

// TestObjectsOfManyMembers would take minutes if it took the square of them.
func TestObjectsOfManyMembers(t *testing.T) {
	text := []byte{'{'}
	for i := range 200_000 {
		text = fmt.Appendf(text, `"k%d":%d,`, i, i)
	}
	text = append(text, `"z":0}`...)
	if _, err := jsonValue(text); err != nil {
		t.Fatal(err)
	}
}

// places is a relation type whose columns are not in the order of their names.
func places() (*catalog.Type, *format.Schema) {
	typ := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Relation, Name: "StandsOn"}, Table: "standson", SchemaID: 7, Columns: []catalog.Column{
		{Name: "left_key", Field: "left_key", Role: catalog.FromLeftKey, Type: column.Type{Kind: column.Int64}, NotNull: true},
		{Name: "right_key", Field: "right_key", Role: catalog.FromRightKey, Type: column.Type{Kind: column.Text}, NotNull: true},
		{Name: "slot", Field: "slot", Role: catalog.FromInstanceKey, Type: column.Type{Kind: column.Text}, NotNull: true},
		{Name: "zoom", Field: "Zoom\"", Type: column.Type{Kind: column.Float64}},
		{Name: "tags", Field: "tags", Type: column.Type{Kind: column.JSON}, NotNull: true},
		{Name: "ab", Field: "ab", Type: column.Type{Kind: column.Int64}},
	}}
	schema := &format.Schema{Ref: typ.Ref, InstanceKey: "slot", Fields: []format.SchemaField{
		{Name: "slot", Type: "<class 'str'>"},
		{Name: "Zoom\"", Type: "<class 'float'>"},
		{Name: "ab", Type: "int | None"},
		{Name: "tags", Type: "list[str]", TypeSpec: []byte(`{"kind":"list","item":{"kind":"primitive","name":"str"}}`)},
	}}
	return typ, schema
}

func placesBatch(t testing.TB, rows ...[6]any) *column.Batch {
	t.Helper()
	typ, _ := places()
	cols := make([]column.Named, len(typ.Columns))
	for i, c := range typ.Columns {
		cols[i] = column.Named{Name: c.Name, Type: c.Type}
	}
	b := column.NewBuilder(cols)
	for _, r := range rows {
		b.Append(r[:]...)
	}
	return b.Batch()
}

func TestImagerMakesRows(t *testing.T) {
	m := New(places())
	b := placesBatch(t, [6]any{int64(-5), "", " s ", 1.0, `["a", "b"]`, nil}, [6]any{int64(5), "\U0001f600", "t", nil, `[]`, int64(9)})
	want := []format.Row{
		{Left: "-5", Instance: " s ", SchemaVersionID: 7, Fields: []byte(`{"Zoom\"":1.0,"ab":null,"tags":["a","b"]}`)},
		{Left: "5", Right: "\U0001f600", Instance: "t", SchemaVersionID: 7, Fields: []byte(`{"Zoom\"":null,"ab":9,"tags":[]}`)},
	}
	var got []format.Row
	for i := range b.Len {
		r, err := m.Row(b, i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestImagerSaysWhere(t *testing.T) {
	good := [6]any{int64(1), "a", "s", nil, `[]`, nil}
	for name, c := range map[string]struct {
		column int
		value  any
		want   pgerr.Error
	}{
		"no value": {4, nil, pgerr.Error{
			Code: "23502", Message: `null value in column "tags" of relation "standson" violates not-null constraint`,
			Detail: "Failing row contains (1, a, s, null, null, null).", Column: "tags",
		}},
		"json null": {4, "null", pgerr.Error{
			Code: "23502", Message: `null value in column "tags" of relation "standson" violates not-null constraint`,
			Detail: "Failing row contains (1, a, s, null, null, null).", Column: "tags",
		}},
		"a misfit inside": {4, `["a", 1.5]`, pgerr.Error{
			Code: "22P02", Message: `invalid input value for column "tags"`, Detail: "At $[1]: expected str, found 1.5.", Column: "tags",
		}},
		"a misfit": {4, `{"a": 1}`, pgerr.Error{
			Code: "22P02", Message: `invalid input value for column "tags": an object`, Detail: "Expected list[str].", Column: "tags",
		}},
		"a long misfit": {4, `"` + strings.Repeat("ä", 100) + `"`, pgerr.Error{
			Code: "22P02", Message: `invalid input value for column "tags": "` + strings.Repeat("ä", 32) + `..."`, Detail: "Expected list[str].", Column: "tags",
		}},
		"a blank instance key": {2, " \t\x1f\u00a0", pgerr.Error{
			Code: "23514", Message: `the instance key "slot" of relation "standson" is blank`, Column: "slot",
		}},
	} {
		bad := good
		bad[c.column] = c.value
		m := New(places())
		b := placesBatch(t, good, bad)
		if _, err := m.Row(b, 0); err != nil {
			t.Fatal(err)
		}
		_, err := m.Row(b, 1)
		c.want.Schema, c.want.Table = "public", "standson"
		c.want.Where = fmt.Sprintf("row 2, column %q of the rows for \"standson\"", c.want.Column)
		var got *pgerr.Error
		if !errors.As(err, &got) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPlainRowsAreRows makes rows of random values in both ways.
func TestPlainRowsAreRows(t *testing.T) {
	kinds := []column.Kind{column.Bool, column.Int64, column.Float64, column.Text, column.TimestampTZ, column.JSON, column.Bytes}
	spellings := []string{"str", "int", "float", "bool"}
	texts := []string{"", "a", "True", "1.50", "ä\"\n", "\x7f\u2028", "\U0001f600", "a\x00b", "\xff", `{"b":1.0,"a":[true]}`, "null", `"x"`}
	plain := 0
	for round := range 4000 {
		r := rand.New(rand.NewPCG(uint64(round), 1))
		typ := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"}, Table: "t", SchemaID: 3, Key: []int{0}, Columns: []catalog.Column{
			{Name: "k", Field: "k", Role: catalog.FromEntityKey, NotNull: true, Spelling: spellings[r.IntN(len(spellings))]},
		}}
		typ.Columns[0].Type.Kind = column.Text
		if typ.Columns[0].Spelling == "int" {
			typ.Columns[0].Type.Kind = column.Int64
		}
		for n := range r.IntN(4) {
			typ.Columns = append(typ.Columns, catalog.Column{
				Name: fmt.Sprint("f", n), Field: string(rune('z' - n)), NotNull: r.IntN(2) == 0, Type: column.Type{Kind: kinds[r.IntN(len(kinds))]},
			})
		}
		var cols []column.Named
		for _, c := range typ.Columns {
			cols = append(cols, column.Named{Name: c.Name, Type: c.Type})
		}
		build := column.NewBuilder(cols)
		var values []any
		for range 1 + r.IntN(4) {
			for _, c := range typ.Columns {
				value := map[column.Kind]any{
					column.Bool: r.IntN(2) == 0, column.Int64: r.Int64() - 1<<62, column.Float64: []float64{0, -0.5, 1e300, math.NaN()}[r.IntN(4)],
					column.TimestampTZ: time.UnixMicro(r.Int64()>>r.IntN(20) - 1<<55), column.Text: texts[r.IntN(len(texts))],
					column.JSON: texts[r.IntN(len(texts))], column.Bytes: texts[r.IntN(len(texts))],
				}[c.Type.Kind]
				if r.IntN(6) == 0 {
					value = nil
				}
				values = append(values, value)
			}
			build.Append(values[len(values)-len(cols):]...)
		}
		b := build.Batch()
		m := New(typ, &format.Schema{Ref: typ.Ref})
		checkBatch(t, New(typ, &format.Schema{Ref: typ.Ref}), b)
		want, err := m.checkedRow(b, 0)
		got, ok := m.plainRow(b, 0)
		if !ok {
			continue
		}
		plain++
		if err != nil || !cmp.Equal(want, got) {
			t.Fatalf("round %d, %+v: %+v, want %+v, %v", round, values, got, want, err)
		}
	}
	if plain < 800 {
		t.Errorf("only %d of 4000 rows were plain", plain)
	}
}

// checkBatch makes the rows of a batch together and one by one.
func checkBatch(t *testing.T, m *Encoder, b *column.Batch) {
	t.Helper()
	var got writepath.Batch
	err := m.Batch(&got, b, b.Len)
	var want []format.Row
	for i := range b.Len {
		row, bad := m.checkedRow(b, i)
		if bad != nil {
			var one, other *pgerr.Error
			if !errors.As(err, &one) || !errors.As(bad, &other) || one.Message != other.Message || one.Column != other.Column {
				t.Fatalf("row %d of a batch: %v, want %v", i, err, bad)
			}
			break
		}
		want = append(want, row)
	}
	if len(want) == b.Len && err != nil || !cmp.Equal(want, got.Rows) && len(want)+len(got.Rows) > 0 {
		t.Fatalf("a batch: %+v, %v, want %+v", got.Rows, err, want)
	}
}

// TestBatchesOfRelations makes rows of which one instance key is like no other.
func TestBatchesOfRelations(t *testing.T) {
	typ, schema := places()
	typ.Key = []int{0, 1, 2}
	for _, slot := range []any{"t", " x", "\u00a0", "", nil, "\xff"} {
		b := placesBatch(t, [6]any{int64(-5), "", "s", 1.0, `["a"]`, nil}, [6]any{int64(5), "é", slot, nil, `[]`, int64(9)})
		for _, n := range []int{len(typ.Columns), 4} { // and without what is never plain
			of := *typ
			of.Columns, b.Cols = typ.Columns[:n], b.Cols[:n]
			checkBatch(t, New(&of, schema), b)
		}
	}
}

func BenchmarkImager(b *testing.B) {
	typ := &catalog.Type{Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Item"}, Table: "item", SchemaID: 1, Columns: []catalog.Column{
		{Name: "sku", Field: "sku", Role: catalog.FromEntityKey, Type: column.Type{Kind: column.Text}, NotNull: true},
		{Name: "title", Field: "title", Type: column.Type{Kind: column.Text}, NotNull: true},
		{Name: "stock", Field: "stock", Type: column.Type{Kind: column.Int64}},
		{Name: "price", Field: "price", Type: numericType},
		{Name: "weight", Field: "weight", Type: column.Type{Kind: column.Float64}},
	}}
	schema := &format.Schema{Ref: typ.Ref}
	var cols []column.Named
	for _, c := range typ.Columns {
		cols = append(cols, column.Named{Name: c.Name, Type: c.Type})
	}
	cols[3].Type = column.Type{Kind: column.Int64} // a builder has no numeric
	build := column.NewBuilder(cols)
	for i := range 2048 {
		build.Append(fmt.Sprintf("sku-%06d", i), "a title of some length", int64(i*1000), nil, float64(i)/8)
	}
	batch := build.Batch()
	batch.Cols[3] = column.Vector{Type: numericType, I128: make([]column.Int128, batch.Len)}
	for i := range batch.Len {
		batch.Cols[3].I128[i].Lo = uint64(i) * 250_000_000_000
	}
	m := New(typ, schema)
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		if _, err := m.Row(batch, rows%batch.Len); err != nil {
			b.Fatal(err)
		}
		rows++
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}
