package dml_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rewritetest"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// TestCheckedViews: LOCAL checks the condition of its view, CASCADED those of the views below as
// well, and the inner ones come first.
func TestCheckedViews(t *testing.T) {
	for _, c := range []struct {
		options []dml.Check // of the views outer, middle and inner
		checks  string
	}{
		{[]dml.Check{dml.Unchecked, dml.Unchecked, dml.Unchecked}, ""},
		{[]dml.Check{dml.Local, dml.Unchecked, dml.Unchecked}, "outer"},
		{[]dml.Check{dml.Cascaded, dml.Unchecked, dml.Unchecked}, "inner middle outer"},
		{[]dml.Check{dml.Unchecked, dml.Cascaded, dml.Unchecked}, "inner middle"},
		{[]dml.Check{dml.Unchecked, dml.Unchecked, dml.Local}, "inner"},
		{[]dml.Check{dml.Local, dml.Unchecked, dml.Cascaded}, "inner outer"},
		{[]dml.Check{dml.Cascaded, dml.Local, dml.Local}, "inner middle outer"},
	} {
		for _, sql := range []string{"INSERT INTO outer_view (owner) VALUES ('x')", "UPDATE outer_view SET owner = 'x'", "DELETE FROM outer_view"} {
			sc := throughThree(t, sql, c.options)
			want := c.checks
			if strings.HasPrefix(sql, "DELETE") {
				want = ""
			}
			if got := strings.Join(sc.Checks, " "); got != want {
				t.Errorf("%s with %v checks %q, want %q", sql, c.options, got, want)
			}
		}
	}
}

// throughThree resolves a write to a view of a view of a view of the table account.
func throughThree(t *testing.T, sql string, options []dml.Check) *dml.Scoped {
	t.Helper()
	st, err := syntax.Analyze(sql)
	if err != nil {
		t.Fatal(err)
	}
	shape, _ := rewritetest.ShapeOf(syntax.Ref{Name: "account"})
	shape.Kind, shape.Stored = scope.StoredTable, []string{scope.RowID}
	var columns []string
	var names []scope.ShownColumn
	for _, c := range shape.Columns {
		columns, names = append(columns, c.Name), append(names, scope.ShownColumn{Name: c.Name, Column: c.Name})
	}
	var views []*dml.View
	for i, name := range []string{"outer", "middle", "inner"} {
		query, err := syntax.ViewQuery("CREATE VIEW v AS SELECT * FROM account WHERE owner > 'a'", 0)
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, &dml.View{Name: name, Query: query, Columns: slices.Clone(columns), Defaults: make([]string, len(columns)), Check: options[i], Base: "account", Names: names})
	}
	sc, err := dml.ScopeThrough(st, shape, views, nil, dml.ConflictError, nil, rewritetest.Env{})
	if err != nil {
		t.Fatal(sql, err)
	}
	return sc
}
