package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// overView scopes a statement over customer, which reads a view v with some columns.
func overView(sql, view string, shown []scope.ShownColumn, columns ...types.Type) (string, *scope.Scoped, error) {
	st, err := syntax.Analyze(sql)
	if err != nil {
		return "", nil, err
	}
	shape := scope.Shape{Kind: scope.View, Schema: "pg_temp", Table: "v", Types: columns}
	for i, ty := range columns {
		shape.Columns = append(shape.Columns, column.Named{Name: string(rune('a' + i)), Type: ty.Column()})
	}
	q, err := syntax.ViewQuery(view, len(st.Refs))
	if err != nil {
		return "", nil, err
	}
	inner, sources, err := rewritetest.ShapesOf(q)
	if err != nil {
		return "", nil, err
	}
	for i := range inner {
		inner[i].Shown = shown
	}
	full := st.WithViews(append(st.Refs, q.Refs...), map[int]*syntax.View{0: {Name: "v", Query: q}})
	sc, err := query.Scope(full, append([]scope.Shape{shape}, inner...), nil, rewritetest.Env{})
	if err != nil {
		return "", nil, err
	}
	out, err := sc.Bind(append([]string{"<none>"}, sources...))
	return out, sc, err
}

func TestView(t *testing.T) {
	text, float := types.Of(types.Text), types.Of(types.Float8)
	out, sc, err := overView("SELECT x.b, a FROM v AS x WHERE a = 'z'", "CREATE VIEW v (a) AS SELECT id, balance FROM customer c", nil, text, float)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "FROM <public.customer> AS") || strings.Contains(out, "<none>") {
		t.Errorf("the view is not read by its query: %s", out)
	}
	if !sc.Repeatable {
		t.Error("the answer is not repeatable")
	}
	if got := sc.Columns[0]; got.Ref != 0 || got.Column != "b" || got.OID != types.Float8 {
		t.Errorf("the first column is %+v, not b of the view", got)
	}
	if _, sc, err = overView("SELECT a FROM v", "CREATE VIEW v AS SELECT random() AS a", nil, float); err != nil || sc.Repeatable {
		t.Errorf("a view that calls random() is repeatable: %v", err)
	}
}

// TestViewSeesNoOuterNames checks that the query of a view does not see WITH queries, columns
// and system columns of the statement around it.
func TestViewSeesNoOuterNames(t *testing.T) {
	text := types.Of(types.Text)
	out, _, err := overView("WITH customer AS (SELECT 'wrong' AS id) SELECT a FROM v", "CREATE VIEW v AS SELECT id FROM customer", nil, text)
	if err != nil || !strings.Contains(out, "<public.customer>") {
		t.Errorf("got %s, %v", out, err)
	}
	for sql, code := range map[string]string{
		"SELECT (SELECT max(a) FROM v) FROM (SELECT 1 AS gone) s": pgerr.UndefinedColumn,
		"SELECT commit_id FROM v":                                 pgerr.UndefinedColumn,
		"SELECT ctid FROM v":                                      pgerr.UndefinedColumn,
		"SELECT a FROM v TABLESAMPLE SYSTEM (10)":                 pgerr.FeatureNotSupported,
	} {
		view := "CREATE VIEW v AS SELECT id FROM customer"
		if strings.Contains(sql, "gone") {
			view = "CREATE VIEW v AS SELECT gone FROM customer"
		}
		_, _, err := overView(sql, view, nil, text)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, want %s", sql, err, code)
		}
		if strings.Contains(sql, "gone") && e != nil && (e.Position != 0 || e.Where != `view "v"`) {
			t.Errorf("%s: position %d, context %q", sql, e.Position, e.Where)
		}
	}
}

// TestViewShowsOldColumns checks that the query of a view sees columns under the names that
// they had when it was created, and no others.
func TestViewShowsOldColumns(t *testing.T) {
	text := types.Of(types.Text)
	shown := []scope.ShownColumn{{Name: "label", Column: "name"}, {Name: "id", Column: "id"}}
	out, sc, err := overView("SELECT * FROM v", "CREATE VIEW v AS SELECT * FROM customer", shown, text, text)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(sc.Needs[1].Columns, " "); got != "id name" {
		t.Errorf("the source is asked for %q: %s", got, out)
	}
	if _, _, err := overView("SELECT * FROM v", "CREATE VIEW v AS SELECT tier FROM customer", shown, text); err == nil {
		t.Error("a column that is not shown can be named")
	}
	// A view whose query has other columns than the view was created with.
	for _, columns := range [][]types.Type{{text}, {text, types.Of(types.Int4)}} {
		if _, _, err := overView("SELECT 1 FROM v", "CREATE VIEW v AS SELECT * FROM customer", shown, columns...); err == nil {
			t.Errorf("columns %v fit", columns)
		}
	}
}
