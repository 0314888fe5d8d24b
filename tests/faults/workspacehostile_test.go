package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestWorkspaceOfAnother tries to reach the tables of one ontology's workspace, and the engine's
// own names of a workspace, from another ontology: by SELECT, by writes, and by every definition
// that keeps an expression or a query for later.
func TestWorkspaceOfAnother(t *testing.T) {
	t.Parallel()
	const secret = "the canary sings"
	second := newStore(t, 3)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir(), "--db", "onto="+demoDir, "--db", "second="+second.dir)
	owner := g.connect(t, "onto")
	owner.answers(t, `CREATE SCHEMA w; CREATE TABLE w.hidden (a text); INSERT INTO w.hidden VALUES ('`+secret+`')`)
	c := g.connect(t, "second")
	c.answers(t, `CREATE SCHEMA w; CREATE TABLE w.mine (a text); CREATE SEQUENCE w.numbers`)
	names := []string{
		`w.hidden`, `onto.w.hidden`, `"onto".w.hidden`, `workspace.w.hidden`, `heaps."1"`, `workspace.heaps."1"`, `"workspace.heaps"."1"`,
		`workspace.main.object`, `main.object`, `workspace.information_schema.tables`, `memory.main.t`, `system.information_schema.tables`,
		`temp.main.t`, `"w"."hidden; --"`, `"w.hidden"`, `duckdb_tables()`, `pragma_storage_info('workspace.heaps.1')`, `query_table('workspace.main.object')`,
	}
	for _, name := range names {
		for _, form := range []string{
			`SELECT * FROM %s`, `TABLE %s`, `INSERT INTO %s VALUES ('x')`, `UPDATE %s SET a = 'x'`, `DELETE FROM %s`, `TRUNCATE %s`, `DROP TABLE %s`,
			`ALTER TABLE %s RENAME TO taken`, `LOCK TABLE %s`, `CREATE INDEX ON %s (a)`, `COPY %s TO STDOUT`, `INSERT INTO w.mine SELECT a FROM %s`,
			`CREATE VIEW w.v AS SELECT * FROM %s`, `CREATE TABLE w.c AS SELECT * FROM %s`, `CREATE MATERIALIZED VIEW w.m AS SELECT * FROM %s`,
			`CREATE TEMP TABLE c AS SELECT * FROM %s`, `CREATE TABLE w.l (LIKE %s)`, `CREATE TABLE w.f (a text REFERENCES %s)`,
			`CREATE TABLE w.k (a text CHECK (EXISTS (SELECT 1 FROM %s)))`, `CREATE TABLE w.d (a text DEFAULT (SELECT a FROM %s))`,
			`MERGE INTO w.mine m USING %s h ON false WHEN NOT MATCHED THEN INSERT VALUES (h.a)`, `GRANT SELECT ON %s TO PUBLIC`,
			`SELECT 'x' FROM w.mine WHERE a IN (SELECT a FROM %s)`, `SELECT $q$%[1]s$q$::regclass`, `SELECT pg_table_size($q$%[1]s$q$)`,
		} {
			sql := fmt.Sprintf(form, name)
			rows, err := c.ask(t, sql)
			var refused *pgconn.PgError
			switch {
			case err == nil:
				t.Errorf("%s answers %q", sql, rows)
			case !errors.As(err, &refused) || refused.Code == "XX000" || strings.Contains(refused.Message+refused.Detail, secret):
				t.Errorf("%s: %s, want a clear refusal", sql, describe(err))
			}
		}
	}
	c.answers(t, `SELECT count(*) FROM pg_class WHERE relname = 'hidden'`, "0")
	c.answers(t, `SELECT count(*) FROM information_schema.tables WHERE table_name = 'hidden'`, "0")
	c.answers(t, `SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'w'`, "mine numbers")
	owner.answers(t, `SELECT * FROM w.hidden`, secret)
}

// TestWorkspaceDeep defines what nests deeply: each definition is kept or refused, and the
// gateway lives.
func TestWorkspaceDeep(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir(), "--storage-uri", demoDir)
	c := g.connect(t, "onto")
	c.answers(t, `CREATE SCHEMA w; CREATE TABLE w.v0 (a int); INSERT INTO w.v0 VALUES (1)`)
	for _, depth := range []int{100, 2_000, 50_000} {
		for what, form := range map[string][3]string{
			"parentheses": {"(", "a", ")"}, "functions": {"abs(", "a", ")"}, "sums": {"", "a", " + a"}, "cases": {"CASE WHEN true THEN ", "a", " END"},
			"nots": {"NOT ", "true", ""},
		} {
			deep := strings.Repeat(form[0], depth) + form[1] + strings.Repeat(form[2], depth)
			condition := deep
			if what != "nots" {
				condition += " IS NULL"
			}
			for i, sql := range []string{
				`CREATE TABLE w.deep (a int CHECK (` + condition + `))`,
				`CREATE TABLE w.deep (a int DEFAULT (` + strings.ReplaceAll(deep, "a", "1") + `)::text::int)`,
				`CREATE VIEW w.deepview AS SELECT ` + deep + ` FROM w.v0`,
				`CREATE INDEX ON w.v0 ((` + deep + `))`,
			} {
				if i == 1 && what != "parentheses" && what != "sums" {
					continue
				}
				_, err := c.ask(t, sql)
				var refused *pgconn.PgError
				if err != nil && (!errors.As(err, &refused) || refused.Code == "XX000") {
					t.Fatalf("%d %s in statement %d: %s; the gateway's log:\n%s", depth, what, i, describe(err), g.log)
				}
				c.answers(t, `DROP TABLE IF EXISTS w.deep; DROP VIEW IF EXISTS w.deepview`)
			}
		}
	}
	for i := range 60 {
		c.answers(t, fmt.Sprintf(`CREATE VIEW w.v%d AS SELECT a + 1 AS a FROM w.v%d`, i+1, i))
	}
	c.answers(t, `SELECT a FROM w.v60`, "61")
	c.answers(t, `DROP TABLE w.v0 CASCADE; SELECT count(*) FROM pg_views WHERE schemaname = 'w'`, "0")
}

// TestKilledInCreateTableAs kills a gateway at moments within CREATE TABLE AS. After each start
// the table is there whole or not at all, and what was committed before is as it was.
func TestKilledInCreateTableAs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := func() (*gateway, *client) {
		g := launch(t, nil, "--cache-dir", t.TempDir(), "--workspace-dir", dir, "--storage-uri", demoDir)
		return g, g.connect(t, "onto")
	}
	const rows = 400_000
	g, c := start()
	c.answers(t, `CREATE SCHEMA w; CREATE TABLE w.kept AS SELECT g AS a FROM generate_series(1, 1000) g`)
	var whole, none int
	took := 2 * time.Second
	for i := range 8 {
		done := make(chan time.Duration)
		began := time.Now()
		go func() {
			_, err := c.ask(t, fmt.Sprintf(`CREATE TABLE w.t%d AS SELECT g AS a, md5(g::text) AS b FROM generate_series(1, %d) g`, i, rows))
			if err != nil {
				done <- 0
				return
			}
			done <- time.Since(began)
		}()
		if i > 0 { // the first is not disturbed and shows how long the others have
			time.Sleep(took*6/10 + time.Duration(rand.Int64N(int64(took)/2)))
		} else {
			took = <-done
		}
		g.signal(t, syscall.SIGKILL)
		answered := false
		if i > 0 {
			answered = <-done > 0
		}
		g.wait(t)
		g, c = start()
		c.answers(t, `SELECT count(*), sum(a) FROM w.kept`, "1000|500500")
		got, err := c.ask(t, fmt.Sprintf(`SELECT count(*), sum(a), count(DISTINCT b) FROM w.t%d`, i))
		switch {
		case err == nil && got[0] == fmt.Sprintf("%d|%d|%[1]d", rows, rows*(rows+1)/2):
			whole++
		case err == nil || answered:
			t.Errorf("the table of round %d, answered: %t, has %q (%v)", i, answered, got, err)
		default:
			none++
			wantError(t, "a table that was not finished", err, "42P01")
		}
	}
	t.Logf("%d tables whole, %d not there", whole, none)
}
