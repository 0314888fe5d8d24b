package gateway_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// engineTables are the tables of sessions in the engine, as any connection sees them.
func engineTables(t *testing.T, h *house) (names []string) {
	t.Helper()
	conn, err := h.engine.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Each(t.Context(), "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name = 'ontosql_session' OR temporary", nil, func(b *column.Batch, i int) {
		names = append(names, string(b.Cols[0].Str[i]))
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestWithWritesIsOneCommit counts commits, inside and outside of a block.
func TestWithWritesIsOneCommit(t *testing.T) {
	const sql = "WITH a AS (INSERT INTO shelf VALUES ('%[1]s', 1) RETURNING name), b AS (INSERT INTO item (sku, title) SELECT %[2]d, name FROM a RETURNING sku) UPDATE shelf SET height = 2 FROM b WHERE name = 'first' RETURNING sku, name"
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	before := must(t, s, "SELECT max(commit_id) FROM ontosql.commits")[0]
	commits := func() string {
		return must(t, s, "SELECT count(*) FROM ontosql.commits WHERE commit_id > "+before)[0]
	}
	tagged(t, s, "INSERT INTO shelf VALUES ('first', 1)", "INSERT 0 1")
	if got := must(t, s, fmt.Sprintf(sql, "a", 1)); !cmp.Equal(got, []string{"1|first"}) {
		t.Errorf("the first answers %q", got)
	}
	if got := commits(); got != "2" {
		t.Errorf("after two statements there are %s commits", got)
	}
	refused(t, s, pgerr.UniqueViolation, fmt.Sprintf(sql, "b", 1))
	refused(t, s, pgerr.DivisionByZero, "WITH a AS (INSERT INTO shelf VALUES ('z', 0) RETURNING height) SELECT 1 / height FROM a")
	h.ending = false
	succeeds(t, s, "BEGIN")
	for n, name := range []string{"c", "d"} {
		must(t, s, fmt.Sprintf(sql, name, n+10))
	}
	answers(t, s, "SELECT count(*) FROM shelf", "4")
	succeeds(t, s, "COMMIT")
	if got := commits(); got != "3" {
		t.Errorf("after the block there are %s commits", got)
	}
	answers(t, s, "SELECT string_agg(name || height, ' ' ORDER BY name) FROM shelf", "a1 c1 d1 first2")
	if got := engineTables(t, h); len(got) > 0 {
		t.Errorf("tables stay in the engine: %q", got)
	}
}

// TestWithWritesDescribed gives parameters and columns their types before it runs.
func TestWithWritesDescribed(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "WITH a AS (INSERT INTO shelf VALUES ($2, $1) RETURNING *), b AS (UPDATE item SET weight = $4 WHERE sku = $3) SELECT name, height + 1 AS more, $3 AS sku, $5 AS text FROM a"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint32{20, 25, 20, 701, 25}, st.Params()); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if got := described(t, st); !cmp.Equal(got, []string{"name", "more", "sku", "text"}) {
		t.Errorf("columns %q", got)
	}
	for i, c := range st.Columns() {
		if want := []uint32{25, 20, 20, 25}[i]; c.OID != want {
			t.Errorf("column %s has type %d, want %d", c.Name, c.OID, want)
		}
	}
	answers(t, s, "SELECT count(*) FROM shelf", "0")
	for _, name := range []string{"a", "b"} {
		if got, err := bindAndRun(t, s, st, "7", name, "1", "0.5", "x"); err != nil || !cmp.Equal(got, []string{name + "|8|1|x"}) {
			t.Errorf("it answers %q, %v", got, err)
		}
	}
	_, err = s.Prepare(t.Context(), wire.Query{SQL: "WITH a AS (INSERT INTO shelf VALUES ($1, 1)) SELECT $3::int"}, nil)
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.IndeterminateDatatype || e.Message != "could not determine data type of parameter $2" {
		t.Errorf("a parameter that is nowhere: %v", err)
	}
	if err := s.Sync(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	succeeds(t, s, "ALTER TABLE shelf ADD COLUMN width bigint")
	if got, err := bindAndRun(t, s, st, "7", "c", "1", "0.5", "x"); err != nil || !cmp.Equal(got, []string{"c|8|1|x"}) {
		t.Errorf("after another column it answers %q, %v", got, err)
	}
}

// TestWithWritesMeet counts in one row by several sessions: a statement that is run again after a
// conflict leaves one row in its temporary table, too.
func TestWithWritesMeet(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	tagged(t, h.session(t, "onto"), "INSERT INTO shelf VALUES ('counter', 0)", "INSERT 0 1")
	const sessions, each = 4, 6
	var wg sync.WaitGroup
	for n := range sessions {
		s := h.session(t, "onto")
		succeeds(t, s, "CREATE TEMP TABLE log (n bigint)")
		wg.Go(func() {
			for k := range each {
				sql := fmt.Sprintf("WITH l AS (INSERT INTO log SELECT height FROM shelf RETURNING n), c AS (UPDATE shelf SET height = height + 1 WHERE name = 'counter' RETURNING height) INSERT INTO item (sku, title) SELECT height, 'by %d' FROM c, l WHERE n = height - 1 RETURNING sku", n)
				if got, err := run(t, s, sql); err != nil || got != "INSERT 0" {
					t.Errorf("session %d, statement %d: %q, %v", n, k, got, err)
				}
			}
			if got := must(t, s, "SELECT count(*), count(DISTINCT n) FROM log")[0]; got != "6|6" {
				t.Errorf("session %d has logged %s", n, got)
			}
		})
	}
	wg.Wait()
	s := h.session(t, "onto")
	answers(t, s, "SELECT height, (SELECT count(*) FROM item) FROM shelf", "24|24")
}

// TestWithWritesManyRows writes more rows than a staging keeps in memory by name, in two parts.
func TestWithWritesManyRows(t *testing.T) {
	h := newHouse(t, shop(t))
	h.ending = true
	s := h.session(t, "onto")
	const sql = "WITH a AS (INSERT INTO item (sku, title) SELECT n, 'a' FROM generate_series(1, 70000) n RETURNING sku) INSERT INTO item (sku, title) SELECT sku + %d, 'b' FROM a RETURNING sku"
	refused(t, s, pgerr.UniqueViolation, fmt.Sprintf(sql, 69999))
	if got := must(t, s, fmt.Sprintf(sql, 70000)); len(got) != 70000 {
		t.Errorf("it returns %d rows", len(got))
	}
	answers(t, s, "SELECT count(*), min(sku), max(sku) FROM item", "140000|1|140000")
	if got := engineTables(t, h); len(got) > 0 {
		t.Errorf("tables stay in the engine: %q", got)
	}
}

// TestWithWritesInAFile writes an ontology in a SQLite file.
func TestWithWritesInAFile(t *testing.T) {
	asksNoMirror(t)
	i := newInserts(t)
	if got := i.run("WITH a AS (INSERT INTO thing (id, n) VALUES ($1, $2) RETURNING id) INSERT INTO thing (id, n) SELECT id || '2', $3 FROM a", "x", "1", "2"); got != "INSERT 0 1" {
		t.Errorf("it ends with %s", got)
	}
	if got := i.run("WITH a AS (UPDATE thing SET n = n + 1 RETURNING id, n) INSERT INTO thing (id, n) SELECT id, n FROM a"); !strings.HasPrefix(got, pgerr.UniqueViolation) {
		t.Errorf("the second ends with %s", got)
	}
	answers(t, i.s, "SELECT string_agg(id || n, ' ' ORDER BY id) FROM thing", "x1 x22")
}

// TestWithWritesInAWorkspace waits for the other writer of a row and then runs all parts again;
// it writes the ontology or the workspace, not both.
func TestWithWritesInAWorkspace(t *testing.T) {
	h, one, two := workspaceTable(t)
	succeeds(t, one, "CREATE TABLE w.log (b int)", "BEGIN")
	tagged(t, one, "UPDATE w.t SET b = 100 WHERE a = 1", "UPDATE 1")
	const sql = "WITH x AS (UPDATE w.t SET b = b + 1 WHERE a = 1 RETURNING b), l AS (INSERT INTO w.log SELECT b FROM x RETURNING b) SELECT x.b, l.b FROM x, l"
	done := make(chan error)
	go func() {
		_, err := run(t, two, sql)
		done <- err
	}()
	succeeds(t, one, "COMMIT")
	if err := <-done; err != nil {
		t.Errorf("the second writer: %v", err)
	}
	answers(t, one, "SELECT b, (SELECT string_agg(b::text, ' ') FROM w.log) FROM w.t WHERE a = 1", "101|101")
	for _, sql := range []string{
		"WITH x AS (INSERT INTO shelf (name) VALUES ('both') RETURNING name) INSERT INTO w.t SELECT length(name), 1 FROM x",
		"WITH x AS (INSERT INTO w.t VALUES (9, 9) RETURNING a) INSERT INTO shelf (name) SELECT 'both' FROM x",
		"CREATE TABLE w.made AS WITH x AS (INSERT INTO shelf (name) VALUES ('both') RETURNING name) SELECT name FROM x",
		"CREATE TEMP TABLE made AS WITH x AS (INSERT INTO shelf (name) VALUES ('both') RETURNING name), y AS (INSERT INTO w.log VALUES (1)) SELECT name FROM x",
	} {
		refused(t, h.session(t, "onto"), pgerr.FeatureNotSupported, sql)
	}
	tagged(t, one, "CREATE TABLE w.moved AS WITH x AS (DELETE FROM w.log RETURNING b) SELECT b FROM x", "SELECT 1")
	answers(t, one, "SELECT (SELECT count(*) FROM w.log), (SELECT count(*) FROM w.t), (SELECT count(*) FROM shelf), (SELECT b FROM w.moved)", "0|2|0|101")
}
