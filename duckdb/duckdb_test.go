package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/column"
)

func openEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	e, err := Open(t.Context(), o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(e.Close)
	return e
}

func connect(t testing.TB, e *Engine) *Conn {
	t.Helper()
	c, err := e.Conn(t.Context())
	if err != nil {
		t.Fatalf("Conn: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

func exec(t testing.TB, c *Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatalf("Exec(%s): %v", sql, err)
		}
	}
}

// query runs sql and returns its columns and its rows as text.
func query(ctx context.Context, c *Conn, sql string, args ...any) ([]column.Named, []string, error) {
	s, err := c.Prepare(ctx, sql)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	rows, err := s.Query(ctx, args)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var out []string
	for {
		batch, err := rows.Next(ctx)
		if err == io.EOF {
			return rows.Columns(), out, nil
		}
		if err != nil {
			return nil, nil, err
		}
		for i := range batch.Len {
			row := make([]string, len(batch.Cols))
			for j := range batch.Cols {
				row[j] = show(&batch.Cols[j], i)
			}
			out = append(out, strings.Join(row, " | "))
		}
	}
}

func mustQuery(t testing.TB, c *Conn, sql string, args ...any) []string {
	t.Helper()
	_, rows, err := query(t.Context(), c, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

func show(v *column.Vector, i int) string {
	if v.IsNull(i) {
		return "NULL"
	}
	switch v.Type.Kind {
	case column.Bool:
		return fmt.Sprint(v.Bool[i])
	case column.Int16:
		return fmt.Sprint(v.I16[i])
	case column.Int32:
		return fmt.Sprint(v.I32[i])
	case column.Uint32:
		return fmt.Sprint(v.U32[i])
	case column.Int64:
		return fmt.Sprint(v.I64[i])
	case column.Float32:
		return fmt.Sprint(v.F32[i])
	case column.Float64:
		return fmt.Sprint(v.F64[i])
	case column.Numeric:
		n := new(big.Int).Lsh(big.NewInt(v.I128[i].Hi), 64)
		n.Add(n, new(big.Int).SetUint64(v.I128[i].Lo))
		return fmt.Sprintf("%se-%d", n, v.Type.Scale)
	case column.UUID:
		return fmt.Sprintf("%016x%016x", uint64(v.I128[i].Hi), v.I128[i].Lo)
	case column.Date:
		return time.Unix(int64(v.I32[i])*86400, 0).UTC().Format(time.DateOnly)
	case column.Time:
		return time.UnixMicro(v.I64[i]).UTC().Format("15:04:05.000000")
	case column.Timestamp, column.TimestampTZ:
		if v.I64[i] == column.TimestampInfinity || v.I64[i] == column.TimestampNegInfinity {
			return fmt.Sprintf("infinity(%v)", v.I64[i] > 0)
		}
		return time.UnixMicro(v.I64[i]).UTC().Format("2006-01-02 15:04:05.000000")
	case column.Interval:
		return fmt.Sprint(v.Interval[i])
	case column.List:
		span := v.Lists[i]
		elems := []string{}
		for j := span.Offset; j < span.Offset+span.Length; j++ {
			elems = append(elems, show(v.Child, int(j)))
		}
		return "[" + strings.Join(elems, " ") + "]"
	}
	return string(v.Str[i])
}

func TestStatements(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	s, err := c.Prepare(t.Context(), "SELECT $1::bigint + 1 AS n, $2::varchar AS s, $3::double AS d, $4::boolean AS b, $5::blob AS y, $6::bigint[] AS l")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Params() != 6 {
		t.Errorf("Params() = %d, want 6", s.Params())
	}
	if got := fmt.Sprint(s.Columns()); got != "[{n int64} {s text} {d float64} {b bool} {y bytes} {l int64[]}]" {
		t.Errorf("Columns() = %s", got)
	}
	for _, args := range [][]any{
		{int64(41), "x", 0.5, true, []byte{0, 255}, []any{int64(1), nil}},
		{nil, "", nil, nil, []byte{}, []any{}},
	} {
		rows, err := s.Query(t.Context(), args)
		if err != nil {
			t.Fatalf("Query(%v): %v", args, err)
		}
		batch, err := rows.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, col := range batch.Cols {
			got := show(&col, 0)
			want := fmt.Sprint(args[i])
			switch {
			case i == 0 && args[0] != nil:
				want = "42"
			case args[i] == nil:
				want = "NULL"
			case i == 4:
				want = string(args[i].([]byte))
			case i == 5:
				want = strings.ReplaceAll(want, "<nil>", "NULL")
			}
			if got != want {
				t.Errorf("args %v: column %s = %q, want %q", args, s.Columns()[i].Name, got, want)
			}
		}
		rows.Close()
	}
	if _, err := s.Query(t.Context(), []any{int64(1)}); err == nil {
		t.Error("Query with one of six arguments succeeded")
	}
}

// TestUntypedParameter shows why rewrite casts parameters (A3).
func TestUntypedParameter(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	s, err := c.Prepare(t.Context(), "SELECT 1 AS one, $1 AS u")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if cols := s.Columns(); len(cols) != 1 || cols[0].Type.Kind != column.Invalid || cols[0].Type.Name != "" {
		t.Errorf("Columns() = %v, want one Invalid column without a name", cols)
	}
	cols, rows, err := query(t.Context(), c, "SELECT 1 AS one, $1 AS u", "late")
	if err != nil || fmt.Sprint(cols, rows) != "[{one int32} {u text}] [1 | late]" {
		t.Errorf("Query = %v %v %v", cols, rows, err)
	}
}

func TestExactlyOneStatement(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	for _, sql := range []string{"", " ", "-- nothing", "SELECT 1; SELECT 2"} {
		if _, err := c.Prepare(t.Context(), sql); !errors.Is(err, ErrNotOneStatement) {
			t.Errorf("Prepare(%q) = %v, want ErrNotOneStatement", sql, err)
		}
	}
	if _, err := c.Prepare(t.Context(), "SELECT 1\x00DROP"); err == nil {
		t.Error("a statement with a NUL byte was accepted")
	}
}

func TestExecAll(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	if err := c.ExecAll(t.Context(), []string{"CREATE TABLE a (x INT)", "CREATE MACRO one() AS 1", "INSERT INTO a VALUES (one())"}); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := c.ExecAll(t.Context(), []string{"INSERT INTO a VALUES (2)", "INSERT INTO b VALUES (3)", "INSERT INTO a VALUES (4)"}); !errors.As(err, &e) || e.Type != Catalog {
		t.Errorf("a table that does not exist: %v", err)
	}
	if _, rows, err := query(t.Context(), c, "SELECT x FROM a ORDER BY x"); err != nil || fmt.Sprint(rows) != "[1 2]" {
		t.Errorf("the rows are %v, %v", rows, err)
	}
}

// TestExecTogether: the statements take effect together or not at all, and the connection is in
// no transaction afterwards.
func TestExecTogether(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	exec(t, c, "CREATE TABLE a (x INT PRIMARY KEY)")
	if err := c.ExecTogether(t.Context(), []string{"INSERT INTO a VALUES (1)", "INSERT INTO a VALUES (2)"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name       string
		statements []string
		want       ErrorType
	}{
		{"an unknown table", []string{"INSERT INTO a VALUES (3)", "INSERT INTO b VALUES (3)"}, Catalog},
		{"an error while it runs", []string{"INSERT INTO a VALUES (3)", "INSERT INTO a VALUES (1)", "DROP TABLE a"}, Constraint},
		{"a text that is cut off", []string{"INSERT INTO a VALUES (3)", "SELECT '\x00'"}, InvalidInput},
		{"a syntax error", []string{"INSERT INTO a VALUES (3)", "SELEC 1"}, Parser},
	} {
		var e *Error
		if err := c.ExecTogether(t.Context(), test.statements); !errors.As(err, &e) || e.Type != test.want {
			t.Errorf("%s: %v, want an error of type %v", test.name, err, test.want)
		}
	}
	exec(t, c, "BEGIN TRANSACTION", "INSERT INTO a VALUES (4)", "COMMIT")
	if _, rows, err := query(t.Context(), c, "SELECT x FROM a ORDER BY x"); err != nil || fmt.Sprint(rows) != "[1 2 4]" {
		t.Errorf("the rows are %v, %v", rows, err)
	}
}

// TestBusy checks that no other call ends an open stream, and that the connection is usable
// after a stream is abandoned.
func TestBusy(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	s, err := c.Prepare(t.Context(), "SELECT range FROM range(1000000)")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Query(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Query(t.Context(), nil); !errors.Is(err, ErrBusy) {
		t.Errorf("a second Query = %v, want ErrBusy", err)
	}
	if err := c.Exec(t.Context(), "SELECT 1"); !errors.Is(err, ErrBusy) {
		t.Errorf("Exec = %v, want ErrBusy", err)
	}
	if err := c.ExecAll(t.Context(), []string{"SELECT 1"}); !errors.Is(err, ErrBusy) {
		t.Errorf("ExecAll = %v, want ErrBusy", err)
	}
	if err := c.Append(t.Context(), "main", "t"); !errors.Is(err, ErrBusy) {
		t.Errorf("Append = %v, want ErrBusy", err)
	}
	if _, err := rows.Next(t.Context()); err != nil {
		t.Errorf("the stream after statements that returned ErrBusy: %v", err)
	}
	rows.Close()
	rows.Close()
	if _, err := rows.Next(t.Context()); err != io.EOF {
		t.Errorf("Next after Close = %v, want io.EOF", err)
	}
	if got := mustQuery(t, c, "SELECT 7::int"); len(got) != 1 || got[0] != "7" {
		t.Errorf("after Close: %v, want [7]", got)
	}
}

// TestErrorInTheMiddleOfAStream runs many times: about once in thirty runs DuckDB reports the
// interrupt of a thread instead of the error (see spuriousInterrupt).
func TestErrorInTheMiddleOfAStream(t *testing.T) {
	c := connect(t, openEngine(t, Options{}))
	for range 50 {
		_, _, err := query(t.Context(), c, "SELECT CASE WHEN range = 900000 THEN error('boom') ELSE range::varchar END FROM range(1000000)")
		var duck *Error
		if !errors.As(err, &duck) || duck.Message != "boom" {
			t.Fatalf("error = %v, want boom", err)
		}
	}
	if got := mustQuery(t, c, "SELECT 1::int"); got[0] != "1" {
		t.Errorf("afterwards: %v", got)
	}
}

// TestSettings checks the settings of a new connection, and that changes on one connection do
// not affect another.
func TestSettings(t *testing.T) {
	e := openEngine(t, Options{MemoryLimit: 512 << 20, Threads: 2})
	a, b := connect(t, e), connect(t, e)
	exec(t, a, "SET TimeZone = 'Asia/Tokyo'")
	for _, test := range []struct{ sql, want string }{
		{"SELECT current_setting('TimeZone')", "UTC"},
		{"SELECT (TIMESTAMPTZ '2024-06-01 12:00:00+00')::varchar", "2024-06-01 12:00:00+00"},
		{"SELECT (7/2)::varchar", "3"},
		{"SELECT string_agg(coalesce(x::varchar, '-'), '') FROM (SELECT x FROM (VALUES (2), (NULL), (1)) v(x) ORDER BY x)", "12-"},
		{"SELECT string_agg(coalesce(x::varchar, '-'), '') FROM (SELECT x FROM (VALUES (2), (NULL), (1)) v(x) ORDER BY x DESC)", "-21"},
		{"SELECT current_setting('memory_limit')", "512.0 MiB"},
		{"SELECT current_setting('threads')::varchar", "2"},
		{"SELECT (TIMESTAMP '2024-06-01 12:00' AT TIME ZONE 'Europe/Paris')::varchar", "2024-06-01 10:00:00+00"},
		{"SELECT json_extract_string('{\"a\": 1}', '/a')", "1"},
	} {
		if got := mustQuery(t, b, test.sql); len(got) != 1 || got[0] != test.want {
			t.Errorf("%s = %v, want %q", test.sql, got, test.want)
		}
	}
}
