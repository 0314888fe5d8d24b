package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/internal/testenv"
)

// engineNames are what the engine itself says it has, so that a new version of it
// opens no door unseen.
func engineNames(t *testing.T, sql string) (names []string) {
	t.Helper()
	engine, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	conn, err := engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	st, err := conn.Prepare(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	rows, err := st.Query(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for {
		b, err := rows.Next(t.Context())
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Len {
			names = append(names, string(b.Cols[0].Str[i]))
		}
	}
}

// known are the names of a relation of the gateway's catalog.
func (c *client) known(t *testing.T, sql string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	rows, err := c.ask(t, sql)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range rows {
		names[name] = true
	}
	return names
}

// TestSandboxOfTheEngine calls every function of the engine, as a value and in FROM, with paths
// and names of secrets, and changes every setting. Everything outside PostgreSQL's functions is
// refused with any arguments. No answer contains the canary's text, and no file is created.
func TestSandboxOfTheEngine(t *testing.T) {
	t.Parallel()
	const secret = "the canary sings"
	dir := t.TempDir()
	canary := filepath.Join(dir, "canary.csv")
	if err := os.WriteFile(canary, []byte("words\n"+secret+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--db", "onto="+demoDir)
	c := g.connect(t, "onto")
	functions := c.known(t, "SELECT DISTINCT proname FROM pg_catalog.pg_proc")
	settings := c.known(t, "SELECT lower(name) FROM pg_catalog.pg_settings")

	ask := func(sql string) (answered bool) {
		ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
		defer cancel()
		results, err := c.Exec(ctx, sql).ReadAll()
		var e *pgconn.PgError
		switch {
		case errors.As(err, &e) && (e.Code == "XX000" || strings.Contains(e.Message+e.Detail, secret)):
			t.Errorf("%s: %s, want a clear refusal", sql, describe(e))
		case err != nil && e == nil:
			t.Fatalf("%s: %v; the gateway's log:\n%s", sql, err, g.log)
		}
		for _, r := range results {
			for _, row := range r.Rows {
				if strings.Contains(string(bytes.Join(row, nil)), secret) {
					t.Errorf("%s: the canary was read", sql)
				}
			}
		}
		return err == nil
	}
	tried := 0
	for _, name := range engineNames(t, "SELECT DISTINCT function_name FROM duckdb_functions() ORDER BY 1") {
		quoted := `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		path := "'" + canary + "'"
		for _, args := range []string{"", path, path + ", " + path, "1", "1, 1", path + ", 1, true"} {
			for _, form := range []string{"SELECT %s(%s)", "SELECT * FROM %s(%s)"} {
				tried++
				if sql := fmt.Sprintf(form, quoted, args); ask(sql) && !functions[name] {
					t.Errorf("%s answers, and PostgreSQL has no function %s", sql, name)
				}
			}
		}
	}
	for _, name := range engineNames(t, "SELECT name FROM duckdb_settings() ORDER BY 1") {
		if settings[strings.ToLower(name)] {
			continue
		}
		for _, form := range []string{"SET %s = '1'", "SET LOCAL %s TO '1'", "RESET %s", "SHOW %s", "SELECT current_setting('%s')", "SELECT set_config('%s', '1', false)"} {
			tried++
			if sql := fmt.Sprintf(form, name); ask(sql) {
				t.Errorf("%s is taken, and PostgreSQL has no setting %s", sql, name)
			}
		}
	}
	if tried < 5_000 {
		t.Errorf("only %d statements were tried", tried)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("beside the canary stand %v, %v", left, err)
	}
	c.answers(t, `SELECT count(*) FROM customer`, "40")
}
