package duckdb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/column"
)

// matrix has for each type an SQL expression over i (from 0), its column.Type and the value
// for i = 5 as text.
var matrix = []struct{ name, sql, typ, want string }{
	{"boolean", "i % 2 = 1", "bool", "true"},
	{"tinyint", "(i % 100 - 50)::tinyint", "int16", "-45"},
	{"utinyint", "(i % 100 + 150)::utinyint", "int16", "155"},
	{"smallint", "(i % 100 - 50)::smallint", "int16", "-45"},
	{"usmallint", "(i % 100 + 60000)::usmallint", "int32", "60005"},
	{"integer", "(i - 7)::integer", "int32", "-2"},
	{"uinteger", "(i + 4000000000)::uinteger", "uint32", "4000000005"},
	{"bigint", "i * 1000000000000", "int64", "5000000000000"},
	{"ubigint", "(i + 18000000000000000000)::ubigint", "numeric(38,0)", "18000000000000000005e-0"},
	{"hugeint", "-(i::hugeint) * 10000000000000000000000", "numeric(38,0)", "-50000000000000000000000e-0"},
	{"sum", "sum(i) OVER (PARTITION BY i)", "numeric(38,0)", "5e-0"},
	{"float", "(i / 2.0)::float", "float32", "2.5"},
	{"double", "i / 4.0::double", "float64", "1.25"},
	{"decimal 4", "(i % 90 - 1.5)::decimal(4,1)", "numeric(4,1)", "35e-1"},
	{"decimal 9", "(i - 1.5)::decimal(9,2)", "numeric(9,2)", "350e-2"},
	{"decimal 18", "(-1.5 - i)::decimal(18,3)", "numeric(18,3)", "-6500e-3"},
	{"decimal 38", "(-1.5 - i)::decimal(38,12)", "numeric(38,12)", "-6500000000000e-12"},
	{"varchar short", "'v' || i", "text", "v5"},
	{"varchar long", "'a rather long text, ' || i", "text", "a rather long text, 5"},
	{"varchar of 12", "lpad(i::varchar, 12, 'x')", "text", "xxxxxxxxxxx5"},
	{"varchar of 13", "lpad(i::varchar, 13, 'x')", "text", "xxxxxxxxxxxx5"},
	{"varchar utf-8", "'é€😀' || i", "text", "é€😀5"},
	{"blob", "encode('b' || i)", "bytes", "b5"},
	{"json", "json_object('i', i)", "json", `{"i":5}`},
	{"uuid", "('00000000-0000-0000-8000-' || lpad(i::varchar, 12, '0'))::uuid", "uuid", "00000000000000008000000000000005"},
	{"uuid high", "('f0000000-0000-0000-0000-' || lpad(i::varchar, 12, '0'))::uuid", "uuid", "f0000000000000000000000000000005"},
	{"date", "DATE '2024-02-25' + i::integer", "date", "2024-03-01"},
	{"date early", "DATE '1969-12-31' - i::integer", "date", "1969-12-26"},
	{"time", "TIME '01:02:03.000004' + INTERVAL 1 SECOND * (i % 10)", "time", "01:02:08.000004"},
	{"timestamp", "TIMESTAMP '2024-02-25 01:02:03.000004' + INTERVAL 1 SECOND * i", "timestamp", "2024-02-25 01:02:08.000004"},
	{"timestamp_s", "(TIMESTAMP '1960-02-25 01:02:03' + INTERVAL 1 SECOND * i)::timestamp_s", "timestamp", "1960-02-25 01:02:08.000000"},
	{"timestamp_ms", "(TIMESTAMP '1960-02-25 01:02:03.004' + INTERVAL 1 SECOND * i)::timestamp_ms", "timestamp", "1960-02-25 01:02:08.004000"},
	{"timestamp_ns", "(TIMESTAMP '1960-02-25 01:02:03.000004' + INTERVAL 1 SECOND * i)::timestamp_ns", "timestamp", "1960-02-25 01:02:08.000004"},
	{"timestamptz", "TIMESTAMPTZ '2024-02-25 01:02:03+02' + INTERVAL 1 SECOND * i", "timestamptz", "2024-02-24 23:02:08.000000"},
	{"infinity", "CASE WHEN i % 2 = 1 THEN 'infinity' ELSE '-infinity' END::timestamptz", "timestamptz", "infinity(true)"},
	{"timetz", "CASE WHEN i % 2 = 0 THEN '00:00:00-05:30' ELSE '12:34:56.78+02' END::timetz", "timetz", "12:34:56.78+02"},
	{"timetz west", "'00:00:00-05:30'::timetz", "timetz", "00:00:00-05:30"},
	{"interval", "INTERVAL (i) MONTH + INTERVAL 3 DAY + INTERVAL 4 MILLISECOND", "interval", "{5 3 4000}"},
	{"bit", "bin(i % 8 + 8)::bit", "bit", "1101"},
	{"bit long", "'10000000011'::bit", "bit", "10000000011"},
	{"enum", "CASE WHEN i % 2 = 1 THEN 'odd' ELSE 'even' END::enum('even', 'odd')", "text", "odd"},
	{"list", "[i, NULL, i + 1]", "int64[]", "[5 NULL 6]"},
	{"list empty", "[]::integer[]", "int32[]", "[]"},
	{"list of texts", "['t' || i, 'a long enough text ' || i]", "text[]", "[t5 a long enough text 5]"},
	{"list of lists", "[[i], [], NULL, [i, i]]", "int64[][]", "[[5] [] NULL [5 5]]"},
	{"list constant elements", "list_transform([i, i + 1], lambda e: 7)", "int32[]", "[7 7]"},
	{"list sliced", "([i, i + 1, i + 2])[2:3]", "int64[]", "[6 7]"},
	{"list filtered", "list_filter([i, i + 1, i + 2], lambda e: e % 2 = 1)", "int64[]", "[5 7]"},
	{"list chosen", "list_select(['a', 'b', 'c'], [3, 1])", "text[]", "[c a]"},
	{"list of decimals", "[i::decimal(9,2)]", "numeric(9,2)[]", "[500e-2]"},
	{"constant", "'always'", "text", "always"},
	{"null", "NULL::varchar", "text", "NULL"},
}

// TestTypes reads every type over several chunks, with NULLs at the ends of chunks, both
// computed and from a table.
func TestTypes(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	const rows = 5000
	null := []int{0, 1, 2047, 2048, 4095, rows - 1}
	for _, test := range matrix {
		t.Run(test.name, func(t *testing.T) {
			in := strings.ReplaceAll(strings.Trim(fmt.Sprint(null), "[]"), " ", ", ")
			full := fmt.Sprintf("SELECT %s AS v, i FROM (SELECT range AS i FROM range(%d))", test.sql, rows)
			sparse := fmt.Sprintf("SELECT CASE WHEN i IN (%s) THEN NULL ELSE v END AS v, i FROM (%s)", in, full)
			exec(t, c, "CREATE OR REPLACE TABLE t AS "+sparse)
			for _, sql := range []string{full + " ORDER BY i", sparse + " ORDER BY i", "SELECT v, i FROM t ORDER BY i"} {
				withNulls := !strings.HasPrefix(sql, full)
				cols, got, err := query(t.Context(), c, sql)
				if err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
				if cols[0].Type.String() != test.typ {
					t.Errorf("type = %s, want %s", cols[0].Type, test.typ)
				}
				if len(got) != rows {
					t.Fatalf("%d rows, want %d", len(got), rows)
				}
				for i, row := range got {
					value, n, _ := strings.Cut(row, " | ")
					if n != strconv.Itoa(i) {
						t.Fatalf("row %d says it is %s", i, n)
					}
					wantNull := withNulls && strings.Contains(", "+in+",", ", "+n+",") || test.want == "NULL"
					if (value == "NULL") != wantNull {
						t.Errorf("row %d = %s, want NULL: %v", i, value, wantNull)
					}
					if i == 5 && value != test.want {
						t.Errorf("row 5 = %s, want %s", value, test.want)
					}
				}
			}
		})
	}
}

// TestArrays is separate from the matrix because DuckDB has no CASE over arrays.
func TestArrays(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	exec(t, c, "CREATE TABLE t AS SELECT array_value(range, range + 1) AS v FROM range(2050)", "INSERT INTO t VALUES (NULL)")
	cols, rows, err := query(t.Context(), c, "SELECT v FROM t")
	if err != nil || cols[0].Type.String() != "int64[]" {
		t.Fatalf("%v %v", cols, err)
	}
	for i, row := range rows {
		want := fmt.Sprintf("[%d %d]", i, i+1)
		if i == 2050 {
			want = "NULL"
		}
		if row != want {
			t.Errorf("row %d = %s, want %s", i, row, want)
		}
	}
}

// TestTypesAgree compares the values read from vectors with DuckDB's casts to text.
func TestTypesAgree(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	for _, sql := range []string{
		"'00:00:00-05:30'::timetz", "'23:59:59.000001+15:59:59'::timetz", "'1'::bit", "'01010101'::bit", "'0101010111'::bit",
		"uuid()", "'ffffffff-ffff-4fff-bfff-ffffffffffff'::uuid",
	} {
		rows := mustQuery(t, c, "SELECT v, v::varchar FROM (SELECT "+sql+" AS v)")
		got, want, _ := strings.Cut(rows[0], " | ")
		if strings.Contains(sql, "uuid") {
			want = strings.ReplaceAll(want, "-", "")
		}
		if got != want {
			t.Errorf("%s = %s, DuckDB prints %s", sql, got, want)
		}
	}
}

func TestUnsupportedTypes(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	for sql, want := range map[string]string{
		"{'a': 1::uhugeint}": "uhugeint", "map {'a': 1}": "map", "[map {'a': 1}]": "map", "1::uhugeint": "uhugeint",
		"union_value(k := 1)": "union",
	} {
		s, err := c.Prepare(t.Context(), "SELECT 1, "+sql+" AS v")
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		_, err = s.Query(t.Context(), nil)
		var bad *UnsupportedTypeError
		if !errors.As(err, &bad) || bad.Column != "v" || bad.Type != want {
			t.Errorf("%s: %v, want an UnsupportedTypeError for %s", sql, err, want)
		}
		s.Close()
		if got := mustQuery(t, c, "SELECT to_json(v) FROM (SELECT "+sql+" AS v)"); len(got) != 1 {
			t.Errorf("%s in to_json: %v", sql, got)
		}
	}
}

// TestStreaming reads a result that is too large to be kept and measures the memory of the
// process.
func TestStreaming(t *testing.T) {
	c := connect(t, openEngine(t, Options{MemoryLimit: 256 << 20}))
	s, err := c.Prepare(t.Context(), "SELECT range AS i, 'a text of some length, number ' || range AS s FROM range(3000000)")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := residentMB(t)
	rows, err := s.Query(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	count, most := 0, 0
	for {
		batch, err := rows.Next(t.Context())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if count%(1<<19) < 2048 {
			most = max(most, residentMB(t))
		}
		count += batch.Len
	}
	if count != 3_000_000 {
		t.Errorf("%d rows, want 3000000", count)
	}
	// Materialised, the texts alone would be more than 100 MB.
	if grown := most - before; grown > 64 {
		t.Errorf("the process grew by %d MB while streaming", grown)
	}
}

func residentMB(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("/proc/self/statm is needed to measure memory")
	}
	pages, err := strconv.Atoi(strings.Fields(string(status))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize() >> 20
}

// TestLoad loads every type and reads it back, from a table and as registered rows.
func TestLoad(t *testing.T) {
	e := openEngine(t, Options{})
	c := connect(t, e)
	for _, test := range matrix {
		t.Run(test.name, func(t *testing.T) {
			s, err := c.Prepare(t.Context(), "SELECT i, CASE WHEN i % 7 = 0 THEN NULL ELSE v END AS v FROM (SELECT i, "+test.sql+" AS v FROM (SELECT range AS i FROM range(2048)))")
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			rows, err := s.Query(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			batch, err := rows.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i := range batch.Len {
				want = append(want, show(&batch.Cols[1], i))
			}
			// The streaming connection is busy, so another one writes.
			other := connect(t, e)
			if err := other.Load(t.Context(), "somewhere", "t", rows.Columns(), batch, batch); err != nil {
				t.Fatalf("Load: %v", err)
			}
			cols := rows.Columns()
			offer := e.NewVirtualTable(cols, 2048)
			defer offer.Unregister()
			offer.SetRows(batch)
			if diff := cmp.Diff(want, mustQuery(t, other, "SELECT v FROM "+offer.SQL())); diff != "" {
				t.Errorf("%s registered (-written +read):\n%s", cols[1].Type, diff)
			}
			if diff := cmp.Diff(mustQuery(t, other, "SELECT typeof(v) FROM somewhere.t LIMIT 1"), mustQuery(t, other, "SELECT typeof(v) FROM "+offer.SQL()+" LIMIT 1")); diff != "" {
				t.Errorf("types (-loaded +registered):\n%s", diff)
			}
			rows.Close()
			got := mustQuery(t, c, "SELECT v FROM somewhere.t")
			if diff := cmp.Diff(append(want, want...), got); diff != "" {
				t.Errorf("%s read back (-written +read):\n%s", cols[1].Type, diff)
			}
		})
	}
}

func TestLoadReplaces(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	text := []column.Named{{Name: "odd \"name", Type: column.Type{Kind: column.Text, Name: "name"}}}
	batch := &column.Batch{Len: 2, Cols: []column.Vector{{Type: text[0].Type, Str: [][]byte{[]byte("x"), nil}}}}
	for range 2 {
		if err := c.Load(t.Context(), "ontosql_catalog", "pg_class", text, batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Append(t.Context(), "ontosql_catalog", "pg_class", batch); err != nil {
		t.Fatal(err)
	}
	got := mustQuery(t, c, `SELECT lower("odd ""name") FROM ontosql_catalog.pg_class WHERE "odd ""name" LIKE '%'`)
	if diff := cmp.Diff([]string{"x", "", "x", ""}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	// A failing load keeps the old table and leaves no open transaction.
	wide := &column.Batch{Len: 1, Cols: make([]column.Vector, 2)}
	if err := c.Load(t.Context(), "ontosql_catalog", "pg_class", text, wide); err == nil {
		t.Error("Load of two columns into one succeeded")
	}
	if got := mustQuery(t, c, "SELECT count(*) FROM ontosql_catalog.pg_class"); got[0] != "4" {
		t.Errorf("%s rows after a failed load, want 4", got[0])
	}
	exec(t, c, "BEGIN", "COMMIT")
}

func BenchmarkFetchMillion(b *testing.B) {
	c := connect(b, openEngine(b, Options{}))
	exec(b, c, `CREATE TABLE t AS SELECT range AS id, range / 4.0::double AS d, 'name of ' || range AS s,
		TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL 1 SECOND * range AS at, range % 2 = 0 AS b FROM range(1000000)`)
	s, err := c.Prepare(b.Context(), "SELECT * FROM t")
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		rows, err := s.Query(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		total := 0
		for {
			batch, err := rows.Next(b.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			for _, s := range batch.Cols[2].Str {
				total += len(s)
			}
		}
		rows.Close()
		if total == 0 {
			b.Fatal("no text")
		}
	}
	b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds(), "rows/s")
}
