package scan_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// bench is an engine that can read dir, with a table of commits.
type bench struct {
	t    *testing.T
	dir  string
	conn *duckdb.Conn
}

func newBench(t *testing.T, dir string) *bench {
	t.Helper()
	e, err := duckdb.Open(t.Context(), duckdb.Options{ReadDirs: []string{dir}, TempDir: t.TempDir()})
	if err != nil {
		t.Fatalf("open engine: %v", err)
	}
	t.Cleanup(e.Close)
	c, err := e.Conn(t.Context())
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(c.Close)
	b := &bench{t: t, dir: dir, conn: c}
	b.exec("CREATE TABLE commits AS SELECT range AS commit_id, TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL 1 HOUR * range AS created_at, 'actor ' || range AS actor, 'message ' || range AS message FROM range(1, 20)")
	return b
}

func (b *bench) exec(sql string) {
	b.t.Helper()
	if err := b.conn.Exec(b.t.Context(), sql); err != nil {
		b.t.Fatalf("%s\n%v", sql, err)
	}
}

// row is a result row as JSON values by column name.
type row map[string]json.RawMessage

func (r row) text(name string) string {
	var s string
	if json.Unmarshal(r[name], &s) != nil {
		return string(r[name])
	}
	return s
}

// rows runs a fragment inside a query, as rewrite does.
func (b *bench) rows(fragment string) []row {
	b.t.Helper()
	s, err := b.conn.Prepare(b.t.Context(), "SELECT CAST(to_json(t) AS VARCHAR) FROM ("+fragment+") AS t")
	if err != nil {
		b.t.Fatalf("%s\n%v", fragment, err)
	}
	defer s.Close()
	result, err := s.Query(b.t.Context(), nil)
	if err != nil {
		b.t.Fatalf("%s\n%v", fragment, err)
	}
	defer result.Close()
	var out []row
	for {
		batch, err := result.Next(b.t.Context())
		if err == io.EOF {
			return out
		}
		if err != nil {
			b.t.Fatalf("%s\n%v", fragment, err)
		}
		for _, text := range batch.Cols[0].Str {
			r := row{}
			if err := json.Unmarshal(text, &r); err != nil {
				b.t.Fatalf("row %s: %v", text, err)
			}
			out = append(out, r)
		}
	}
}

// columns returns the columns of a fragment without running it.
func (b *bench) columns(fragment string) []string {
	b.t.Helper()
	s, err := b.conn.Prepare(b.t.Context(), fragment)
	if err != nil {
		b.t.Fatalf("%s\n%v", fragment, err)
	}
	defer s.Close()
	return show(s.Columns())
}

func show(cols []column.Named) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name + " " + c.Type.String()
	}
	return out
}

func (b *bench) sql(r scan.Request) string {
	b.t.Helper()
	r.Commits = "commits"
	sql, err := scan.SQL(r)
	if err != nil {
		b.t.Fatalf("SQL: %v", err)
	}
	return sql
}

// write creates a data file with the package format.
func (b *bench) write(name string, ref ontosql.TypeRef, fields []format.SchemaField, rows ...format.Row) scan.File {
	b.t.Helper()
	return b.writeFile(name, ref, format.DataFields(fields), rows)
}

// writeData is write for an entity's fields with more than their schema says.
func (b *bench) writeData(name string, fields []format.DataField, rows ...format.Row) scan.File {
	b.t.Helper()
	return b.writeFile(name, entity, fields, rows)
}

func (b *bench) writeFile(name string, ref ontosql.TypeRef, fields []format.DataField, rows []format.Row) scan.File {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	seq := func(yield func(format.Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
	if _, err := format.WriteRows(f, ref, fields, seq); err != nil {
		b.t.Fatalf("write %s: %v", name, err)
	}
	return inspect(b.t, path)
}

// copyTo creates a data file with another engine; the engine of a bench cannot write files.
func (b *bench) copyTo(name, sql string) scan.File {
	b.t.Helper()
	e, err := duckdb.Open(b.t.Context(), duckdb.Options{ReadDirs: []string{b.dir}})
	if err != nil {
		b.t.Fatal(err)
	}
	defer e.Close()
	c, err := e.Conn(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	path := filepath.Join(b.dir, name)
	if err := c.Exec(b.t.Context(), "COPY ("+sql+") TO "+duckdb.Literal(path)+" (FORMAT parquet)"); err != nil {
		b.t.Fatalf("copy to %s: %v", name, err)
	}
	return inspect(b.t, path)
}

func inspect(t *testing.T, path string) scan.File {
	t.Helper()
	facts, err := format.Inspect(context.Background(), path)
	if err != nil {
		t.Fatalf("inspect %s: %v", path, err)
	}
	return scan.File{Path: path, Facts: facts, Min: facts.MinCommit, Max: facts.MaxCommit}
}

var entity = ontosql.TypeRef{Kind: ontosql.Entity, Name: "T"}

// typ returns an entity type with a text key "id" and the given fields.
func typ(cols ...catalog.Column) *catalog.Type {
	id := catalog.Column{Name: "id", Field: "id", Role: catalog.FromEntityKey, Type: column.Type{Kind: column.Text}}
	return &catalog.Type{Ref: entity, Columns: append([]catalog.Column{id}, cols...), Key: []int{0}}
}

func field(name string, kind column.Kind) catalog.Column {
	t := column.Type{Kind: kind}
	if kind == column.Numeric {
		t.Width, t.Scale = 38, 12
	}
	return catalog.Column{Name: strings.ToLower(name), Field: name, Type: t}
}

// table formats the chosen columns of rows, sorted, one row per line.
func table(rows []row, cols ...string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		line := make([]string, len(cols))
		for j, c := range cols {
			line[j] = string(r[c])
		}
		out[i] = strings.Join(line, " ")
	}
	slices.Sort(out)
	return out
}

func version(key string, commit ontosql.CommitID, fields string) format.Row {
	return format.Row{Key: key, Commit: commit, SchemaVersionID: 1, Fields: []byte(fields)}
}
