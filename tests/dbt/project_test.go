package dbt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql/internal/testenv"
)

// side is a server with the runner of a copy of the project.
type side struct {
	name string
	*runner
	conn func(context.Context) (*pgx.Conn, error)
}

// all runs a command on both sides at once. The nodes must come to the same.
func all(t *testing.T, sides []side, success bool, args ...string) {
	t.Helper()
	for _, s := range sides {
		s.begin(t, args...)
	}
	var outcomes []outcome
	for _, s := range sides {
		o := s.end(t)
		if o.Success != success {
			t.Fatalf("%s: dbt %s: success %t, want %t:\n%s", s.name, strings.Join(args, " "), o.Success, success, o.Error)
		}
		for name, node := range o.Nodes {
			if node[0] == "error" || node[0] == "fail" { // dbt's text names the database
				o.Nodes[name] = [2]string{node[0]}
			}
		}
		outcomes = append(outcomes, o)
	}
	if d := cmp.Diff(outcomes[0].Nodes, outcomes[1].Nodes); d != "" {
		t.Errorf("dbt %s, -%s +%s\n%s", strings.Join(args, " "), sides[0].name, sides[1].name, d)
	}
}

// tables are the rows of all relations of the project's schemas, as text.
func (s side) tables(t *testing.T) map[string][]string {
	t.Helper()
	ctx := t.Context()
	conn, err := s.conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	column := func(sql string, args ...any) []string {
		t.Helper()
		rows, err := conn.Query(ctx, sql, args...)
		if err != nil {
			t.Fatalf("%s: %s: %v", s.name, sql, err)
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatalf("%s: %s: %v", s.name, sql, err)
		}
		return all
	}
	found := map[string][]string{}
	for _, name := range column(`SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('dev', 'copied') AND c.relkind IN ('r', 'v', 'm') ORDER BY 1`) {
		columns := column(`SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
			WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`, name)
		var shown []string
		for _, c := range columns {
			c, _, _ = strings.Cut(c, " ")
			if c != "at" && !strings.HasPrefix(c, "dbt_") { // moments of the run
				shown = append(shown, c+"::text")
			}
		}
		rows := column("SELECT concat_ws('|', " + strings.Join(shown, ", ") + ") FROM " + name)
		slices.Sort(rows)
		found[name] = append(columns, rows...)
	}
	found["grants"] = column(`SELECT table_name || ' ' || grantee || ' ' || privilege_type FROM information_schema.role_table_grants
		WHERE table_schema = 'dev' AND grantee = 'reader' ORDER BY 1`)
	found["indexes"] = column(`SELECT tablename || ' ' || regexp_replace(indexdef, '"?[0-9a-f]{32}"?', 'i') FROM pg_indexes WHERE schemaname = 'dev' ORDER BY 1`)
	found["comments"] = column("SELECT concat(obj_description('dev.customers'::regclass), col_description('dev.customers'::regclass, 2))")
	return found
}

// compare wants the tables of both sides to be the same.
func compare(t *testing.T, sides []side) {
	t.Helper()
	if d := cmp.Diff(sides[0].tables(t), sides[1].tables(t)); d != "" {
		t.Errorf("-%s +%s\n%s", sides[0].name, sides[1].name, d)
	}
}

// TestProject runs dbt's commands here and on PostgreSQL.
func TestProject(t *testing.T) {
	python(t)
	ctx := t.Context()
	store, users, port := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "users"), freePort(t)
	for _, args := range [][]string{
		{"init", "--storage-uri", store}, {"user", "add", "analyst", "--users", users}, {"user", "add", "reader", "--users", users},
	} {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Stdin = strings.NewReader("secret")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	g := &gateway{args: []string{
		"serve", "--db", "warehouse=" + store, "--auth", "scram", "--users", users,
		"--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir(), "--listen", "127.0.0.1:" + port,
	}}
	g.start(t)
	defer func() { g.stop(t) }()

	pg, err := pgx.ParseConfig(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.ConnectConfig(ctx, pg)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	for _, sql := range []string{"CREATE ROLE analyst LOGIN PASSWORD 'secret'", "CREATE ROLE reader", "CREATE DATABASE warehouse OWNER analyst"} {
		if _, err := admin.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	newSide := func(name, host, port string) side {
		env := []string{"PGHOST=" + host, "PGPORT=" + port, "PGUSER=analyst", "PGPASSWORD=secret", "PGDATABASE=warehouse"}
		return side{name, newRunner(t, "testdata/project", env...), func(ctx context.Context) (*pgx.Conn, error) {
			return pgx.Connect(ctx, "host="+host+" port="+port+" user=analyst password=secret dbname=warehouse sslmode=disable")
		}}
	}
	sides := []side{newSide("PostgreSQL", pg.Host, strconv.Itoa(int(pg.Port))), newSide("ontosql", "127.0.0.1", port)}
	ours := sides[1]

	all(t, sides, true, "debug")
	days := []string{"--event-time-start", "2026-01-01", "--event-time-end", "2026-01-06"} // a batch for each
	all(t, sides, true, append([]string{"build"}, days...)...)
	compare(t, sides)
	all(t, sides, true, append([]string{"build", "--vars", "{day: 5}"}, days...)...) // again, with rows of two more days
	compare(t, sides)
	all(t, sides, true, append([]string{"run", "--vars", "{day: 5, wide: true}", "--exclude", "strict"}, days...)...)
	all(t, sides, false, "run", "--vars", "{day: 5, wide: true}", "--select", "strict")
	all(t, sides, false, "retry")
	compare(t, sides)
	all(t, sides, true, "docs", "generate")
	all(t, sides, true, "run-operation", "remember", "--args", "{what: something}")
	for _, s := range sides {
		if err := os.CopyFS(filepath.Join(s.dir, "state"), os.DirFS(filepath.Join(s.dir, "target"))); err != nil {
			t.Fatal(err)
		}
	}
	all(t, sides, true, "clone", "--target", "copy", "--state", "state")
	compare(t, sides)

	// A crash in the middle of a run leaves whole models, and the next run goes on.
	again := append([]string{"run", "--full-refresh"}, days...)
	ours.begin(t, again...)
	time.Sleep(time.Second)
	g.kill()
	if interrupted := ours.end(t); interrupted.Success {
		t.Log("the run had ended before the crash")
	}
	g.start(t)
	all(t, sides, true, again...)
	all(t, sides, true, "test")
	var whole []map[string][]string
	for _, s := range sides {
		tables := s.tables(t)
		delete(tables, "dev.runs")                // has a line of each run
		for i, index := range tables["indexes"] { // whose numbers tell of the run that crashed
			tables["indexes"][i] = regexp.MustCompile(`__dbt_tmp_pkey[0-9]+`).ReplaceAllString(index, "__dbt_tmp_pkey")
		}
		whole = append(whole, tables)
	}
	if d := cmp.Diff(whole[0], whole[1]); d != "" {
		t.Errorf("after the crash, -PostgreSQL +ontosql\n%s", d)
	}
}
