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
