package dml

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// all are the positions of the target's columns.
func (in *insertion) all() []int {
	out := make([]int, len(in.target.Columns))
	for i := range out {
		out[i] = i
	}
	return out
}

// text prints the query of some of the target's columns; rows are those wanted
// of a list of values, nil when a query gives them.
func (in *insertion) text(columns []int, rows [][]scope.Expr) string {
	from, cells := in.from, in.cells
	if rows != nil {
		from, cells = in.valueRows(columns, rows)
	}
	taken := map[string]bool{}
	parts := make([]string, len(columns))
	for k, i := range columns {
		c := in.target.Columns[i]
		sql := in.omitted[i].SQL
		if p := in.place(i); p >= 0 {
			sql = coercion.StoredValue(in.target, cells[p].SQL, i)
		}
		parts[k] = sql + " AS " + enginesql.Quote(query.UniqueName(c.Name, taken))
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + from
}

// valueRows prints the values of some of the target's columns as a relation, and returns the
// expression of each given column. A list of one row is printed as a SELECT, because it may
// contain a set-returning function.
func (in *insertion) valueRows(columns []int, rows [][]scope.Expr) (from string, cells []scope.Expr) {
	cells = make([]scope.Expr, len(in.given))
	var names []string
	var shown []int
	for p, g := range in.given {
		if !slices.Contains(columns, g.column) {
			continue
		}
		name := enginesql.Quote("column" + strconv.Itoa(p+1))
		names, shown = append(names, name), append(shown, p)
		cells[p].SQL = `"rows".` + name
	}
	if len(shown) == 0 {
		return `(SELECT NULL) AS "rows"`, cells
	}
	lists := make([]string, len(rows))
	for r, row := range rows {
		values := make([]string, len(shown))
		for k, p := range shown {
			values[k] = row[p].SQL
		}
		lists[r] = strings.Join(values, ", ")
	}
	as := ` AS "rows"(` + strings.Join(names, ", ") + ")"
	if len(in.rows) == 1 {
		return "(SELECT " + lists[0] + ")" + as, cells
	}
	return "(VALUES (" + strings.Join(lists, "), (") + "))" + as, cells
}
