package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCancel cancels the context of a statement in each of its phases and measures how long
// the call still takes; the connection must be usable afterwards.
func TestCancel(t *testing.T) {
	dir := t.TempDir()
	e := openEngine(t, Options{Threads: 2, MemoryLimit: 1 << 30, ReadDirs: []string{dir}})
	c := connect(t, e)
	exec(t, c, "CREATE TABLE big AS SELECT hash(range) AS h, 'text number ' || hash(range) AS s FROM range(1000000)")
	exec(t, c, "COPY (SELECT range AS a FROM range(10)) TO "+Literal(filepath.Join(dir, "x.parquet"))+" (FORMAT parquet)")
	files := "[" + strings.TrimSuffix(strings.Repeat(Literal(filepath.Join(dir, "x.parquet"))+", ", 5000), ", ") + "]"
	errEnough := errors.New("enough")
	for _, test := range []struct{ name, sql string }{
		{"aggregation", "SELECT count(*) FROM range(100000) a, range(100000) b WHERE a.range + b.range = 7"},
		{"sort", "SELECT * FROM (SELECT s, h FROM big, range(20)) ORDER BY s DESC, h LIMIT 1 OFFSET 10000000"},
		{"window", "SELECT sum(n) FROM (SELECT row_number() OVER (PARTITION BY h % 7 ORDER BY s) AS n FROM big, range(10))"},
		{"bind", "SELECT count(*) FROM read_parquet(" + files + ", union_by_name = true)"},
		{"stream", "SELECT a.range FROM range(1000000) a, range(1000000) b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var ended time.Time
			timer := time.AfterFunc(30*time.Millisecond, func() { ended = time.Now(); cancel(errEnough) })
			defer timer.Stop()
			_, _, err := query(ctx, c, test.sql)
			if !errors.Is(err, errEnough) {
				t.Fatalf("error = %v, want the cause of the context", err)
			}
			// This takes milliseconds on an idle machine. Without interrupts each phase but
			// the bind would take many seconds there.
			if late := time.Since(ended); late > 10*time.Second {
				t.Errorf("returned %v after the context ended", late)
			}
			if got := mustQuery(t, c, "SELECT 42::int"); got[0] != "42" {
				t.Errorf("afterwards: %v", got)
			}
		})
	}
}

// TestCancelNeverHitsTheNext races the end of a statement against its cancellation and checks
// that no interrupt reaches the next statement.
func TestCancelNeverHitsTheNext(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	for i := range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i%30)*20*time.Microsecond, cancel)
		if _, _, err := query(ctx, c, "SELECT count(*) FROM range(50000)"); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("round %d: %v", i, err)
		}
		cancel()
		if _, _, err := query(t.Context(), c, "SELECT count(*) FROM range(50000)"); err != nil {
			t.Fatalf("round %d: the next statement: %v", i, err)
		}
	}
}

// TestCancelledWrite races cancellations against inserts: an insert that succeeded must be
// visible, one that was interrupted must not.
func TestCancelledWrite(t *testing.T) {
	c := connect(t, openEngine(t, Options{Threads: 2}))
	exec(t, c, "CREATE TABLE t (round int, i int)")
	for round := range 60 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(round)*50*time.Microsecond, cancel)
		err := c.Exec(ctx, fmt.Sprintf("INSERT INTO t SELECT %d, range FROM range(20000)", round))
		cancel()
		want := "20000"
		if err != nil {
			want = "0"
		}
		if got := mustQuery(t, c, fmt.Sprintf("SELECT count(*) FROM t WHERE round = %d", round)); got[0] != want {
			t.Errorf("round %d: Exec = %v and %s rows are there", round, err, got[0])
		}
	}
}

func TestEndedContext(t *testing.T) {
	e := openEngine(t, Options{})
	c := connect(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Conn(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Conn = %v", err)
	}
	if _, err := c.Prepare(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("Prepare = %v", err)
	}
}

// TestParallelConnections reads and writes on many connections in parallel.
func TestParallelConnections(t *testing.T) {
	e := openEngine(t, Options{Threads: 2})
	var wg sync.WaitGroup
	for n := range 8 {
		c := connect(t, e)
		wg.Go(func() {
			table := fmt.Sprintf("t%d", n)
			for _, sql := range []string{"CREATE TABLE " + table + " AS SELECT range AS i FROM range(20000)", "INSERT INTO " + table + " SELECT * FROM range(5000)"} {
				if err := c.Exec(t.Context(), sql); err != nil {
					t.Errorf("%s: %v", sql, err)
					return
				}
			}
			_, rows, err := query(t.Context(), c, "SELECT i FROM "+table)
			if err != nil || len(rows) != 25000 {
				t.Errorf("%s: %d rows, %v", table, len(rows), err)
			}
		})
	}
	wg.Wait()
}

// TestSandbox checks that SQL that passes the allow-lists still cannot read files outside the
// data directories.
func TestSandbox(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	c := connect(t, openEngine(t, Options{ReadDirs: []string{dir}}))
	exec(t, c, "COPY (SELECT 1 AS a) TO "+Literal(filepath.Join(dir, "in.parquet"))+" (FORMAT parquet)")
	if got := mustQuery(t, c, "SELECT a::int FROM read_parquet("+Literal(filepath.Join(dir, "in.parquet"))+")"); got[0] != "1" {
		t.Errorf("a file in ReadDirs: %v", got)
	}
	for _, sql := range []string{
		"SELECT * FROM read_csv('/etc/passwd')",
		"SELECT * FROM read_text('/etc/passwd')",
		"SELECT * FROM read_blob('/etc/hostname')",
		"SELECT * FROM '/etc/passwd'",
		"SELECT * FROM glob('/etc/*')",
		"SELECT * FROM read_text(" + Literal(dir+"/../../../../../../../../etc/passwd") + ")",
		"SELECT * FROM read_text(" + Literal(dir+"-sibling/x") + ")",
		"SELECT * FROM parquet_metadata('/etc/passwd')",
		"COPY (SELECT 1) TO " + Literal(filepath.Join(elsewhere, "out.csv")),
		"ATTACH " + Literal(filepath.Join(elsewhere, "x.db")),
		"INSTALL httpfs", "LOAD httpfs", "LOAD '/tmp/x.duckdb_extension'",
		"SET enable_external_access = true",
		"SET allowed_directories = ['/']",
		"SET temp_directory = '/etc'",
		"SELECT * FROM read_csv('https://example.com/x.csv')",
	} {
		_, rows, err := query(t.Context(), c, sql)
		if err == nil {
			t.Errorf("%s succeeded: %v", sql, rows)
		}
	}
	var refused *Error
	if err := c.Exec(t.Context(), "SELECT * FROM read_csv('/etc/passwd')"); !errors.As(err, &refused) || refused.Condition != Denied {
		t.Errorf("read_csv('/etc/passwd') = %v, want Denied", err)
	}
}

// TestSpill sorts more data than the memory limit; without a temporary directory the statement
// fails and the engine stays usable.
func TestSpill(t *testing.T) {
	const sql = "SELECT s FROM (SELECT 'a rather long text to sort, ' || hash(range) AS s FROM range(900000)) ORDER BY s"
	count := func(e *Engine) (int, error) {
		c := connect(t, e)
		s, err := c.Prepare(t.Context(), sql)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		rows, err := s.Query(t.Context(), nil)
		if err != nil {
			return 0, err
		}
		defer rows.Close()
		n := 0
		for {
			batch, err := rows.Next(t.Context())
			if err == io.EOF {
				return n, nil
			}
			if err != nil {
				return n, err
			}
			n += batch.Len
		}
	}
	if n, err := count(openEngine(t, Options{MemoryLimit: 48 << 20, Threads: 2})); n != 900_000 || err != nil {
		t.Errorf("with a temporary directory: %d rows, %v", n, err)
	}
	e, err := Open(t.Context(), Options{MemoryLimit: 48 << 20, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	_, err = count(e)
	var out *Error
	if !errors.As(err, &out) || !slices.Contains([]Condition{MemoryExhausted, DiskFull}, out.Condition) {
		t.Errorf("without one: %v, want MemoryExhausted", err)
	}
	if e.Err() != nil {
		t.Errorf("Err() = %v after a statement ran out of memory", e.Err())
	}
	if got := mustQuery(t, connect(t, e), "SELECT 1::int"); got[0] != "1" {
		t.Errorf("afterwards: %v", got)
	}
}
