package format_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/ontosql/ontosql/format"
)

// columnShapes are test columns for every encoding of pages. value returns value i of n as JSON.
var columnShapes = []struct {
	name  string
	kind  format.FieldType
	value func(i, n int) string
}{
	{"text that is always the same", format.FieldStr, func(int, int) string { return `"same"` }},
	{"text that is the same up to the last", format.FieldStr, func(i, n int) string { return fmt.Sprintf(`"%d"`, i/max(n-1, 1)) }},
	{"text in runs", format.FieldStr, func(i, _ int) string { return fmt.Sprintf(`"run %d"`, i/13%5) }},
	{"text that repeats, and then does not", format.FieldStr, func(i, _ int) string {
		return fmt.Sprintf(`"%0200d"`, max(i-2000, i%3))
	}},
	{"text of its own, escaped", format.FieldStr, func(i, _ int) string { return fmt.Sprintf(`"\u00e4\n%d"`, i*7919%100_003) }},
	{"empty text and none", format.FieldStr, func(i, _ int) string { return []string{`""`, `null`}[i%2] }},
	{"nothing", format.FieldStr, func(int, int) string { return `null` }},
	{"a full page that repeats, and then nothing", format.FieldStr, func(i, _ int) string {
		if i >= 110_000 {
			return `null`
		}
		return fmt.Sprintf(`"member %d"`, i/3%2)
	}},
	{"integers between nothing", format.FieldInt, func(i, n int) string {
		if i < n/3 || i > n/2 {
			return `null`
		}
		return fmt.Sprint(i - n/2)
	}},
	{"few integers", format.FieldInt, func(i, _ int) string { return fmt.Sprint(i * i % 7) }},
	{"integers at the ends", format.FieldInt, func(i, _ int) string {
		return []string{fmt.Sprint(math.MaxInt64), fmt.Sprint(math.MinInt64), `0`, `-12`, `999999999999999`, `1000000000000000`}[i%6]
	}},
	{"floats", format.FieldFloat, func(i, _ int) string { return fmt.Sprintf(`%d.%02d`, i%1000-500, i%100) }},
	{"zeros", format.FieldFloat, func(i, _ int) string { return []string{`-0.0`, `0.0`, `0`}[i%3] }},
	{"a float that is always the same", format.FieldFloat, func(int, int) string { return `1e+300` }},
	{"no number at the end", format.FieldFloat, func(i, n int) string {
		if i == n-1 {
			return `NaN`
		}
		return `0.30000000000000004`
	}},
	{"true", format.FieldBool, func(int, int) string { return `true` }},
	{"truth and nothing", format.FieldBool, func(i, _ int) string { return []string{`true`, `false`, `null`}[i*i%3] }},
}

// TestColumns writes columns of every shape in files of many lengths. It reads values, bounds and
// bloom filters with Arrow's reader.
func TestColumns(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 63, 64, 65, 1025, 20_000, 125_000} {
		names := map[string]format.FieldType{}
		for k, shape := range columnShapes {
			names[fmt.Sprintf("c%02d", k)] = shape.kind
		}
		rows := make([]format.Row, n)
		for i := range rows {
			var text strings.Builder
			for k, shape := range columnShapes {
				if value := shape.value(i, n); value != `null` || i%2 == 0 { // null, or a missing member
					fmt.Fprintf(&text, `,"c%02d":%s`, k, value)
				}
			}
			rows[i] = format.Row{Commit: 3, Key: fmt.Sprint("k", i), SchemaVersionID: int64(i / 5000), Fields: []byte(`{` + text.String()[1:] + `}`)}
		}
		var body bytes.Buffer
		if _, err := format.WriteRows(&body, customer, format.DataFields(fieldsOf(names)), sequence(rows)); err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		checkValues(t, body.Bytes(), rows)
		checkFooter(t, body.Bytes(), rows)
	}
}

func checkValues(t *testing.T, body []byte, rows []format.Row) {
	t.Helper()
	d, err := format.OpenDataFile(body)
	if err != nil {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	at := 0
	err = d.Scan(t.Context(), func(batch [][]format.Value) error {
		for i := range batch[0] {
			r := rows[at]
			version := format.Null()
			if r.SchemaVersionID != 0 {
				version = format.Int(r.SchemaVersionID)
			}
			want := []format.Value{format.Int(3), format.String(customer.Name), format.String(r.Key), version, format.String(string(r.Fields))}
			for k, shape := range columnShapes {
				v, err := format.ParseJSON([]byte(shape.value(at, len(rows))))
				if err != nil {
					t.Fatal(k, err)
				}
				if f, ok := v.Int64(); ok && shape.kind == format.FieldFloat {
					v = format.Float(float64(f))
				}
				want = append(want, v)
			}
			for k, c := range d.Columns() {
				got, want := batch[k][i].Append(nil, format.Canonical), want[k].Append(nil, format.Canonical)
				if !bytes.Equal(got, want) {
					t.Fatalf("row %d of %d, column %s: got %s, want %s", at, len(rows), c.Name, got, want)
				}
			}
			at++
		}
		return nil
	})
	if err != nil || at != len(rows) {
		t.Fatalf("%d of %d rows: %v", at, len(rows), err)
	}
}

func checkFooter(t *testing.T, body []byte, rows []format.Row) {
	t.Helper()
	reader, err := file.NewParquetReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	const before = 5 // system columns
	first := 0
	for group := range reader.NumRowGroups() {
		meta := reader.MetaData().RowGroup(group)
		n := int(meta.NumRows())
		for k, shape := range columnShapes {
			chunk, err := meta.ColumnChunk(before + k)
			if err != nil {
				t.Fatal(err)
			}
			stats, err := chunk.Statistics()
			if err != nil || stats == nil {
				t.Fatalf("%d rows, %s: statistics %v, %v", len(rows), shape.name, stats, err)
			}
			nulls := int64(0)
			nan := false
			for i := first; i < first+n; i++ {
				value := shape.value(i, len(rows))
				nan = nan || value == `NaN`
				if value == `null` {
					nulls++
					continue
				}
				checkBounds(t, shape.name, stats, value)
			}
			if stats.NullCount() != nulls || chunk.NumValues() != int64(n) || stats.HasMinMax() != (nulls < int64(n) && !nan) {
				t.Errorf("%d rows, %s: %d NULLs in %d, bounds %t; want %d in %d", len(rows), shape.name, stats.NullCount(), chunk.NumValues(), stats.HasMinMax(), nulls, n)
			}
		}
		filters, err := reader.GetBloomFilterReader().RowGroup(group)
		if err != nil {
			t.Fatal(err)
		}
		filter, err := filters.GetColumnBloomFilter(2)
		if err != nil || (filter == nil) != (n == 1) {
			t.Fatalf("bloom filter of %d rows: %v, %v", n, filter, err)
		}
		for _, r := range rows[first : first+n] {
			if filter != nil && !filter.CheckHash(metadata.GetHash(filter.Hasher(), parquet.ByteArray(r.Key))) {
				t.Fatalf("the bloom filter of %d rows does not contain %s", n, r.Key)
			}
		}
		first += n
	}
}

// checkBounds checks that a value is within the bounds of its chunk.
func checkBounds(t *testing.T, name string, stats metadata.TypedStatistics, value string) {
	t.Helper()
	if !stats.HasMinMax() {
		return
	}
	v, _ := format.ParseJSON([]byte(value))
	within := true
	switch s := stats.(type) {
	case *metadata.ByteArrayStatistics:
		within = string(s.Min()) <= v.Text() && v.Text() <= string(s.Max())
	case *metadata.Int64Statistics:
		n, _ := v.Int64()
		within = s.Min() <= n && n <= s.Max()
	case *metadata.Float64Statistics:
		var f float64
		_, _ = fmt.Sscan(value, &f)
		within = s.Min() <= f && f <= s.Max()
	}
	if !within {
		t.Fatalf("%s: %s is not within the bounds", name, value)
	}
}
