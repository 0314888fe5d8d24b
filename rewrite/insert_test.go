package rewrite

import (
	"fmt"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// insertAll goes through the three steps of an INSERT over the shapes of the
// tests. The inserted rows, as RETURNING reads them, are <inserted>.
func insertAll(sql string, oids []uint32) (sc *ScopedInsert, rows, returning string, err error) {
	st, err := Analyze(sql)
	if err != nil {
		return nil, "", "", err
	}
	if st.Inner != nil {
		st = st.Inner
	}
	target, ok := shapeOf(*st.Target)
	if !ok {
		return nil, "", "", pgerr.New(pgerr.UndefinedTable, "relation %q does not exist", st.Target.Name).At(st.Target.Position)
	}
	shapes, sources, err := shapesOf(st)
	if err != nil {
		return nil, "", "", err
	}
	if sc, err = st.ScopeInsert(target, shapes, oids, testEnv{}); err != nil {
		return nil, "", "", err
	}
	if rows, err = sc.Rows.Bind(sources); err != nil || sc.Returning == nil {
		return sc, rows, "", err
	}
	returning, err = sc.Returning.Bind(append(sources, "<inserted>"))
	return sc, rows, returning, err
}

// bindAny is bindAll for statements of every kind that can be scoped.
func bindAny(sql string) (string, error) {
	st, err := Analyze(sql)
	if err != nil {
		return "", err
	}
	if st.Kind == Insert || st.Inner != nil && st.Inner.Kind == Insert {
		_, rows, returning, err := insertAll(sql, nil)
		return rows + "\n" + returning, err
	}
	_, out, err := bindAll(sql, nil)
	return out, err
}

func showInsert(sql string, oids []uint32) string {
	sc, rows, returning, err := insertAll(sql, oids)
	if err != nil {
		return showError(err)
	}
	out := fmt.Sprintf("rows: %sgiven %v\n", showScoped(sc.Rows, rows), sc.Given)
	if sc.Returning != nil {
		out += "returning: " + showScoped(sc.Returning, returning)
	}
	return out
}

// TestBindColumn: the query of one column has that column's values alone, so
// that what fails in it is its own.
func TestBindColumn(t *testing.T) {
	sc, _, _, err := insertAll("INSERT INTO product (name, id) VALUES ($2, $1), ('x', 2)", nil)
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

// TestInsertLeavesNoName: what an INSERT prints reads its sources and nothing
// else.
func TestInsertLeavesNoName(t *testing.T) {
	bound := 0
	for _, sql := range corpus(t) {
		if !strings.Contains(sql, "INSERT") {
			continue
		}
		out, err := bindAny(sql)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(out, "\n") {
			text := strings.NewReplacer("<public.customer>", "(SELECT 1)", "<public.product>", "(SELECT 1)", "<inserted>", "(SELECT 1)").Replace(line)
			if res, err := pg.Parse(text); err == nil && len(res.Stmts) > 0 {
				bound++
				onlyCTEs(t, sql, text, res.Stmts[0])
			}
		}
	}
	if bound < 40 {
		t.Errorf("only %d texts of the corpus could be read", bound)
	}
}
