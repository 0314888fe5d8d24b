package query

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// hasEffect reports whether an output of a query sends an event, itself or in the column of a subquery that it is.
func hasEffect(e scope.Expr) bool {
	return strings.Contains(e.SQL, enginesql.EnqueueFunction) || e.Column != nil && e.Column.Effect
}

// withEffects is the WHERE clause of a SELECT, with conditions that hold for every row and for which the engine
// computes the columns of subqueries that send events. It leaves out columns that nobody names, and PostgreSQL
// does not (remove_unused_subquery_outputs). With LIMIT only the rows that are returned may send any.
func withEffects(filter string, l *scope.Level, q *SelectQuery) string {
	var conditions []string
	for _, r := range l.Namespace.Ranges {
		for _, c := range r.Columns {
			if c.Effect && !c.Used && q.limit == "" {
				conditions = append(conditions, "hash("+c.SQL+") IS NOT NULL")
			}
		}
	}
	condition, ok := strings.CutPrefix(filter, " WHERE ")
	switch {
	case len(conditions) == 0, filter != "" && !ok: // of a single reference, which is no subquery
		return filter
	case ok:
		conditions = append(conditions, "("+condition+")")
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}
