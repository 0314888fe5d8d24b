package rewrite

import (
	"fmt"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// writeAll goes through the steps of a write over the shapes of the tests. The
// target as it is read is <target>.
func writeAll(sql string, conflict dml.Conflict, oids []uint32) (sc *dml.Scoped, out string, err error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return nil, "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	target, ok := shapeOf(*st.Target)
	if !ok {
		return nil, "", pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", st.Target.Name).At(st.Target.Position)
	}
	shapes, sources, err := shapesOf(st)
	if err != nil {
		return nil, "", err
	}
	if sc, err = dml.Scope(st, target, shapes, conflict, oids, testEnv{}); err != nil {
		return nil, "", err
	}
	if sc.Matches {
		sources = append(sources, "<target>")
	}
	out, err = sc.Rows.Bind(sources)
	return sc, out, err
}

// bindAny is bindAll for statements of every kind that can be scoped.
func bindAny(sql string) (string, error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	switch st.Kind {
	case syntax.Insert, syntax.Update, syntax.Merge:
		_, out, err := writeAll(sql, dml.ConflictError, nil)
		return out, err
	}
	_, out, err := bindAll(sql, nil)
	return out, err
}

func showWrite(sql string, update, nothing bool, oids []uint32) string {
	conflict := dml.ConflictError
	switch {
	case update:
		conflict = dml.ConflictUpdate
	case nothing:
		conflict = dml.ConflictNothing
	}
	sc, out, err := writeAll(sql, conflict, oids)
	if err != nil {
		return showError(err)
	}
	var s strings.Builder
	s.WriteString(showScoped(sc.Rows, out))
	for _, a := range sc.Actions {
		fmt.Fprintf(&s, "%s %v\n", map[dml.ActionKind]string{dml.Inserts: "inserts", dml.Updates: "updates"}[a.Kind], a.Assigned)
	}
	for _, c := range sc.Returned {
		fmt.Fprintf(&s, "returns %s of %d.%s\n", c.Name, c.Ref, c.Column)
	}
	return s.String()
}

// TestWritesLeaveNoName: what a write prints reads its sources and nothing else.
func TestWritesLeaveNoName(t *testing.T) {
	bound := 0
	for _, sql := range corpus(t) {
		st, err := syntax.Analyze(sql)
		if err != nil || st.Kind != syntax.Insert && st.Kind != syntax.Update && st.Kind != syntax.Merge {
			continue
		}
		out, err := bindAny(sql)
		if err != nil {
			continue
		}
		text := strings.NewReplacer("<public.customer>", "(SELECT 1)", "<public.product>", "(SELECT 1)", "<target>", "(SELECT 1)").Replace(out)
		if res, err := pg.Parse(text); err == nil && len(res.Stmts) > 0 {
			bound++
			onlyCTEs(t, sql, text, res.Stmts[0])
		}
	}
	if bound < 40 {
		t.Errorf("only %d texts of the corpus could be read", bound)
	}
}

// TestWriteColumn: the query of one assigned column computes no other.
func TestWriteColumn(t *testing.T) {
	for _, c := range []struct{ sql, want, never string }{
		{"UPDATE product SET name = upper($1), price = 1 / ($2 - id) WHERE id = $3", `"name"`, "rw_int_div"},
		{"INSERT INTO product (id, name) VALUES (1, upper($1)) ON CONFLICT (id) DO UPDATE SET name = lower(excluded.name), price = 1 / $2::int", `"name"`, "rw_int_div"},
		{"MERGE INTO product USING customer c ON c.age = product.id WHEN MATCHED THEN UPDATE SET name = c.name, price = 1 / c.age", `"name"`, "rw_int_div"},
	} {
		sc, _, err := writeAll(c.sql, dml.ConflictError, nil)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		sources := make([]string, len(sc.Rows.Needs))
		for i := range sources {
			sources[i] = "<source>"
		}
		sql, _, err := sc.BindColumn(1, sources)
		if err != nil || !strings.Contains(sql, " AS "+c.want+" FROM ") || strings.Contains(sql, c.never) {
			t.Errorf("%s: got %s (%v), want %s and no %s", c.sql, sql, err, c.want, c.never)
		}
		if sql, _, err := sc.BindColumn(4, sources); err == nil {
			t.Errorf("%s: column 4 of 4 is %s", c.sql, sql)
		}
	}
}

// TestBindColumn: the query of one column has that column's values alone, so
// that what fails in it is its own.
func TestBindColumn(t *testing.T) {
	sc, _, err := writeAll("INSERT INTO product (name, id) VALUES ($2, $1), ('x', 2)", dml.ConflictError, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		sql  string
		used []int
	}{
		{`SELECT "rows"."column2" AS "id" FROM (VALUES (CAST((CAST($1 AS VARCHAR) || '') AS BIGINT)), (CAST(2 AS BIGINT))) AS "rows"("column2")`, []int{1}},
		{`SELECT "rows"."column1" AS "name" FROM (VALUES ((CAST($1 AS VARCHAR) || '')), ('x')) AS "rows"("column1")`, []int{2}},
		{`SELECT CAST(NULL AS DECIMAL(38,12)) AS "price" FROM (SELECT NULL) AS "rows"`, nil},
	} {
		sql, used, err := sc.BindColumn(i, nil)
		if err != nil || sql != want.sql || fmt.Sprint(used) != fmt.Sprint(want.used) {
			t.Errorf("column %d: got %s with %v (%v), want %s with %v", i, sql, used, err, want.sql, want.used)
		}
	}
	for _, i := range []int{-1, 4} {
		if sql, _, err := sc.BindColumn(i, nil); err == nil {
			t.Errorf("column %d of 4: got %s, want an error", i, sql)
		}
	}
}
