package compat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/tests/compat/corpus"
)

// TestCorpus asks both sides every statement of corpus/*.sql. A statement of
// differences.txt must differ, once at least if it is asked several times: one that no
// longer does is taken off the list, and one that differs more than its paragraph allows
// (breach) is a fault.
func TestCorpus(t *testing.T) {
	ctx := t.Context()
	real := postgresTables(t, "compat", tables)
	ours := connect(t, start(t, tables))
	known := statements(t, "differences.txt")
	seen := 0
	files, err := filepath.Glob("corpus/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	// Files that only read come first: they see the tables as they were made.
	slices.SortStableFunc(files, func(a, b string) int { return writes(t, a) - writes(t, b) })
	var listed []string
	differs := map[string]bool{} // of those that are known, whether they ever do
	for _, f := range shopCorpus(t) {
		for _, st := range statements(t, f) { // TestShopCorpus compares them
			listed = append(listed, st.SQL)
		}
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".sql"), func(t *testing.T) {
			for _, st := range statements(t, f) {
				seen++
				want, got := ask(ctx, real, st.SQL), ask(ctx, ours, st.SQL)
				diff := compare(want, got, ordered(st.SQL))
				k := slices.IndexFunc(known, func(k corpus.Statement) bool { return k.SQL == st.SQL })
				switch {
				case k >= 0:
					listed = append(listed, st.SQL)
					differs[st.SQL] = differs[st.SQL] || diff != ""
					if diff != "" {
						diff = breach(known[k].Held, want, got, ordered(st.SQL))
					}
					if diff != "" {
						t.Errorf("%s:%d: %s differs beyond the reason that differences.txt:%d gives:\n%s", f, st.Line, st.SQL, known[k].Line, diff)
					}
				case diff != "":
					t.Errorf("%s:%d: %s\n%s", f, st.Line, st.SQL, diff)
				}
			}
		})
	}
	for _, k := range known {
		if !slices.Contains(listed, k.SQL) {
			t.Errorf("differences.txt:%d: not in the corpus: %s", k.Line, k.SQL)
		}
		if is, asked := differs[k.SQL]; asked && !is {
			t.Errorf("differences.txt:%d: listed as different and is not: %s", k.Line, k.SQL)
		}
	}
	if seen < 2000 {
		t.Errorf("the corpus has %d statements, fewer than 2,000", seen)
	}
}

// writes is 1 for a file with statements that change rows, else 0.
func writes(t *testing.T, file string) int {
	t.Helper()
	for _, st := range statements(t, file) {
		switch word, _, _ := strings.Cut(st.SQL, " "); word {
		case "INSERT", "UPDATE", "MERGE":
			return 1
		}
	}
	return 0
}

// statements are those of a file.
func statements(t *testing.T, file string) []corpus.Statement {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return corpus.Statements(string(data))
}

// answer is what a server says to one statement.
type answer struct {
	tag   string
	names []string
	oids  []uint32
	rows  [][]string
	code  string
	at    int32
	err   string
}

func ask(ctx context.Context, c *pgconn.PgConn, sql string) (a answer) {
	res, err := c.Exec(ctx, sql).ReadAll()
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		a.at = pe.Position
		a.code, a.err = pe.Code, fmt.Sprintf("%s %s (at %d) %s", pe.Code, pe.Message, pe.Position, pe.Detail)
		return a
	case err != nil:
		a.code, a.err = "connection", err.Error()
		return a
	}
	for _, r := range res {
		a.tag = r.CommandTag.String()
		for _, f := range r.FieldDescriptions {
			a.names, a.oids = append(a.names, f.Name), append(a.oids, f.DataTypeOID)
		}
		for _, row := range r.Rows {
			var vs []string
			for _, v := range row {
				if v == nil {
					vs = append(vs, "NULL")
				} else {
					vs = append(vs, string(v))
				}
			}
			a.rows = append(a.rows, vs)
		}
	}
	return a
}

func ordered(sql string) bool { return strings.Contains(strings.ToLower(sql), "order by") }

// compare is "" when the answers agree, to the last digit.
func compare(want, got answer, ordered bool) string {
	if want.code != got.code {
		return fmt.Sprintf("  postgres: %s\n  ontosql:  %s", want.brief(), got.brief())
	}
	if want.code != "" {
		if got.at != 0 && want.at != 0 && got.at != want.at {
			return fmt.Sprintf("  postgres: %s\n  ontosql:  %s", want.brief(), got.brief())
		}
		return ""
	}
	if want.tag != got.tag {
		return fmt.Sprintf("  postgres tag: %s\n  ontosql tag:  %s", want.tag, got.tag)
	}
	if !slices.Equal(want.names, got.names) {
		return fmt.Sprintf("  postgres columns: %q\n  ontosql columns:  %q", want.names, got.names)
	}
	if !slices.Equal(want.oids, got.oids) {
		return fmt.Sprintf("  postgres types: %v\n  ontosql types:  %v", want.oids, got.oids)
	}
	if !ordered {
		slices.SortFunc(want.rows, slices.Compare[[]string])
		slices.SortFunc(got.rows, slices.Compare[[]string])
	}
	if slices.EqualFunc(want.rows, got.rows, slices.Equal[[]string]) {
		return ""
	}
	return fmt.Sprintf("  postgres rows: %q\n  ontosql rows:  %q", want.rows, got.rows)
}

func (a answer) brief() string {
	if a.code != "" {
		return a.err
	}
	return fmt.Sprintf("rows %q", a.rows)
}

func connect(t *testing.T, dsn string) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// postgresDatabase makes a database of the PostgreSQL server.
func postgresDatabase(t *testing.T, name string) (dsn string) {
	t.Helper()
	server := testenv.Postgres(t)
	must(t, t.Context(), connect(t, server), "CREATE DATABASE "+name)
	return strings.Replace(server, "/postgres?", "/"+name+"?", 1)
}

// postgresTables is a session of PostgreSQL with tables in a database of their own.
func postgresTables(t *testing.T, database string, all []table) *pgconn.PgConn {
	t.Helper()
	c := connect(t, postgresDatabase(t, database))
	must(t, t.Context(), c, "SET TimeZone = 'UTC'")
	for _, tab := range all {
		for _, sql := range tab.postgres() {
			must(t, t.Context(), c, sql)
		}
	}
	return c
}

func must(t *testing.T, ctx context.Context, c *pgconn.PgConn, sql string) {
	t.Helper()
	if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
