package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/storage"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
)

// rowCursor gives rows as the table of a database would: fields_json with spaces and
// in another order, a few rows at a time.
type rowCursor struct {
	kind  ontosql.Kind
	rows  []format.Row
	batch int
}

func (c *rowCursor) Next(ctx context.Context) (*column.Batch, error) {
	if len(c.rows) == 0 {
		return nil, io.EOF
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var cols []column.Named
	for _, key := range scan.KeyColumns(c.kind) {
		cols = append(cols, column.Named{Name: key, Type: column.Type{Kind: column.Text}})
	}
	for _, name := range []string{"commit_id", "schema_version_id"} {
		cols = append(cols, column.Named{Name: name, Type: column.Type{Kind: column.Int64}})
	}
	b := column.NewBuilder(append(cols, column.Named{Name: "fields_json", Type: column.Type{Kind: column.Text}}))
	for _, r := range c.rows[:min(c.batch, len(c.rows))] {
		values := []any{r.Key}
		if c.kind == ontosql.Relation {
			values = []any{r.Left, r.Right, r.Instance}
		}
		var version any
		if r.SchemaVersionID != 0 {
			version = r.SchemaVersionID
		}
		b.Append(append(values, int64(r.Commit), version, respelled(r.Fields))...)
	}
	c.rows = c.rows[min(c.batch, len(c.rows)):]
	return b.Batch(), nil
}

func (c *rowCursor) Close() {}

func respelled(fields []byte) string {
	v, err := format.ParseJSON(fields)
	if err != nil {
		return string(fields)
	}
	return string(v.Append(nil, format.SpacedInOrder))
}

// versionsOf reads the versions of a bucket's types as if they lay in a table.
func versionsOf(b objstore.Bucket, batch int, opened *atomic.Int64) storage.Versions {
	return func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error) {
		opened.Add(1)
		c := &rowCursor{kind: t.Ref.Kind, batch: batch}
		wanted := map[string]bool{}
		for _, key := range keys {
			wanted[key] = true
		}
		for _, f := range pin.View.Files(t.Ref, w.Lower, w.Upper) {
			body, _, err := b.Get(ctx, f.Path)
			if err != nil {
				return nil, err
			}
			err = format.Batches(ctx, bytes.NewReader(body), int64(len(body)), func(rows []format.Row) error {
				for _, r := range rows {
					if keys == nil || wanted[r.Key+r.Left] {
						c.rows = append(c.rows, r)
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
		return c, nil
	}
}

// tableHouse is a gateway that reads a bucket's rows as those of a table.
func tableHouse(t testing.TB, bucket objstore.Bucket, batch int, mirrored bool) (*house, *atomic.Int64) {
	t.Helper()
	opened := new(atomic.Int64)
	return openTables(t, bucket, mirrored, versionsOf(bucket, batch, opened)), opened
}

// openTables is a gateway over the pins of a bucket and the rows of cursors.
func openTables(t testing.TB, bucket objstore.Bucket, mirrored bool, versions storage.Versions) *house {
	t.Helper()
	log, err := chain.Open("", chain.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{}
	h.openEngine(t, mirrorBudget(mirrored), nil)
	store := resolver.Open(resolver.Options{Bucket: bucket, Log: log})
	t.Cleanup(store.Close)
	h.openGateway(t, database.Options{
		URI: "table://demo", Backend: "sqlite",
		Storage: storage.NewTables(storage.TablesOptions{Store: store, Versions: versions}),
	})
	return h
}

// tablesLeft are the tables of the engine that were loaded and not dropped.
func tablesLeft(t *testing.T, h *house) (names []string) {
	t.Helper()
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Each(t.Context(), "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'ontosql_session'", nil, func(b *column.Batch, i int) {
		names = append(names, string(b.Cols[0].Str[i]))
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// questions ask for every kind of window of the demo, for few rows and for many.
var questions = []string{
	"SELECT * FROM customer ORDER BY id",
	"SELECT id, commit_id, schema_version_id, fields_json FROM customer ORDER BY id",
	"SELECT * FROM history.customer ORDER BY id, commit_id",
	"SELECT * FROM changes.customer ORDER BY id, commit_id",
	"SELECT * FROM as_of.customer(20) ORDER BY id",
	"SELECT * FROM customer WHERE id = 'c7'",
	"SELECT * FROM history.customer WHERE id IN ('c1', 'c2') ORDER BY id, commit_id",
	"SELECT * FROM history.customer WHERE commit_id > 30 AND commit_id <= 60 ORDER BY id, commit_id",
	"SELECT * FROM subscription ORDER BY left_key, right_key",
	"SELECT * FROM history.subscription WHERE left_key = 'c3' ORDER BY left_key, right_key, commit_id",
	"SELECT c.id, count(*) FROM customer c JOIN subscription s ON s.left_key = c.id GROUP BY 1 ORDER BY 1",
	"SELECT count(*), round(sum(balance)::numeric, 2) FROM customer",
	"SELECT count(*) FROM customer WHERE id = 'nobody'",
	"SELECT * FROM ontosql.types ORDER BY type_name",
}

// TestTablesAnswerAsFiles asks the same of a bucket's files and of the same rows in a
// table, with and without a mirror: the answers are the same.
func TestTablesAnswerAsFiles(t *testing.T) {
	files := openHouse(t, nil, false)
	want := map[string][]string{}
	s := files.session(t, "onto")
	for _, sql := range questions {
		want[sql] = must(t, s, sql)
	}
	for name, c := range map[string]struct {
		batch  int
		mirror bool
	}{"a row at a time": {1, false}, "many at a time": {1000, false}, "mirrored": {100, true}} {
		t.Run(name, func(t *testing.T) {
			h, opened := tableHouse(t, files.bucket, c.batch, c.mirror)
			s := h.session(t, "onto")
			for range 2 {
				for _, sql := range questions {
					got := must(t, s, sql)
					if diff := cmp.Diff(want[sql], got); diff != "" {
						t.Errorf("%s (-files +tables):\n%s", sql, diff)
					}
				}
				if c.mirror {
					h.settle(t, s, "customer")
					h.settle(t, s, "subscription")
					opened.Store(0)
				}
			}
			if n := opened.Load(); c.mirror && n > 0 {
				t.Errorf("with a mirror the table was read %d times", n)
			}
			if left := tablesLeft(t, h); len(left) > 0 {
				t.Errorf("tables that nobody needs any more: %q", left)
			}
		})
	}
}

// slowCursor gives its rows and then waits for the end of the statement.
type slowCursor struct {
	rowCursor
	closed chan struct{}
}

func (c *slowCursor) Next(ctx context.Context) (*column.Batch, error) {
	if len(c.rows) > 0 {
		return c.rowCursor.Next(ctx)
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func (c *slowCursor) Close() { close(c.closed) }

// TestTablesCancelled: a statement that ends while rows are loaded leaves nothing
// behind, neither a cursor nor a table.
func TestTablesCancelled(t *testing.T) {
	asksNoMirror(t)
	files := openHouse(t, nil, false)
	var opened atomic.Bool
	closed := make(chan struct{})
	versions := versionsOf(files.bucket, 10, new(atomic.Int64))
	h := openTables(t, files.bucket, false, func(ctx context.Context, pin *resolver.Pin, typ *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error) {
		c, err := versions(ctx, pin, typ, w, keys)
		if err != nil {
			return nil, err
		}
		opened.Store(true)
		return &slowCursor{*c.(*rowCursor), closed}, nil
	})
	s := h.session(t, "onto")
	for timeout := 100; !opened.Load(); timeout *= 2 { // it may end before it comes so far
		must(t, s, fmt.Sprintf("SET statement_timeout = %d", timeout))
		refused(t, s, pgerr.QueryCanceled, "SELECT * FROM history.customer")
	}
	<-closed
	if left := tablesLeft(t, h); len(left) > 0 {
		t.Errorf("tables that nobody needs any more: %q", left)
	}
}

// TestTablesOfManySessions loads the same rows for several sessions at a time.
func TestTablesOfManySessions(t *testing.T) {
	asksNoMirror(t)
	files := openHouse(t, nil, false)
	h, _ := tableHouse(t, files.bucket, 1000, false)
	const sql = "SELECT count(*), count(DISTINCT id) FROM history.customer"
	want := must(t, files.session(t, "onto"), sql)
	var all sync.WaitGroup
	for range 8 {
		s := h.session(t, "onto")
		all.Go(func() {
			for range 10 {
				if got, err := ask(t, s, sql); err != nil || !cmp.Equal(got, want) {
					t.Errorf("got %q, %v, want %q", got, err, want)
				}
			}
		})
	}
	all.Wait()
	if left := tablesLeft(t, h); len(left) > 0 {
		t.Errorf("tables that nobody needs any more: %q", left)
	}
}

// TestTablesExplained: EXPLAIN reports rows and reads none.
func TestTablesExplained(t *testing.T) {
	asksNoMirror(t)
	files := openHouse(t, nil, false)
	h, opened := tableHouse(t, files.bucket, 100, false)
	s := h.session(t, "onto")
	plan := strings.Join(must(t, s, "EXPLAIN SELECT * FROM customer WHERE id = 'c7'"), "\n")
	if !strings.Contains(plan, "Rows: ") || !strings.Contains(plan, "read by key") || opened.Load() > 0 {
		t.Errorf("read %d times for the plan\n%s", opened.Load(), plan)
	}
	for sql, want := range map[string][]string{
		"SELECT backend, storage_uri FROM ontosql.storage_info":                      {"sqlite|table://demo"},
		"SELECT count(*) FROM ontosql.index_health":                                  {"0"},
		"SELECT count(*) FROM ontosql.recoveries":                                    {"0"},
		"SELECT count(*), count(manifest) FROM ontosql.commits WHERE commit_id <= 2": {"2|0"},
		"SELECT max(id) FROM customer WHERE id IN ('c1', 'c2')":                      {"c2"},
	} {
		if got := must(t, s, sql); !cmp.Equal(got, want) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	answers(t, s, "SELECT source FROM ontosql.statements WHERE query LIKE 'SELECT max%'", "table")
}
