package dml

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// viewCheck is the condition of a view that the new rows have to meet.
type viewCheck struct {
	view string // the name of the view
	sql  string
}

// checkViews resolves the check options of the views over the new rows. The conditions of inner
// views come first, as the SQL standard wants it.
func (w *builder) checkViews(b *query.Binder, target *pg.RangeVar) {
	checked, cascaded, some := make([]bool, len(w.views)), false, false
	for i, v := range w.views {
		cascaded = cascaded || v.Check == Cascaded
		checked[i] = cascaded || v.Check == Local
		some = some || checked[i]
	}
	if !some {
		return
	}
	w.seen(b, w.newRow(b, target.Alias), target.Alias, func(view int, where *pg.Node, l *scope.Level) {
		if checked[view] {
			w.checks = append(w.checks, viewCheck{w.views[view].Name, b.Condition(where, l, "WHERE").SQL})
		}
	})
}

// checksViews reports whether the new rows are checked.
func (w *builder) checksViews() bool { return len(w.checks) > 0 }

// checkColumns prints the columns that say of a new row which check it fails, and what it
// contains.
func (w *builder) checkColumns() []string {
	failed := "CASE"
	for i, c := range w.checks {
		failed += fmt.Sprintf(" WHEN (%s) IS NOT TRUE THEN %d", c.sql, i)
	}
	return []string{"CAST(" + failed + ` END AS BIGINT) AS "check"`, w.failingRow() + ` AS "checked row"`}
}

// failingRow prints the text of a new row, as PostgreSQL's errors show it: long values are
// truncated.
func (w *builder) failingRow() string {
	var parts []string
	for i, c := range w.row() {
		text := scope.Expr{SQL: w.fresh.of(c), Type: w.target.TypeOf(i)}.Output()
		parts = append(parts, fmt.Sprintf("coalesce(CASE WHEN length(%[1]s) > 64 THEN left(%[1]s, 64) || '...' ELSE %[1]s END, 'null')", text))
	}
	return enginesql.InDefaultStyle(strings.Join(parts, " || ', ' || "))
}
