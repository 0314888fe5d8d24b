package dml

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// ValueRows is the number of rows that the statement lists after VALUES, 0 when
// a query gives them. Such rows can be told apart before anything runs.
func (sc *Scoped) ValueRows() int { return len(sc.write.insertion.rows) }

// BindColumn prints the query of the values of one column alone, by its
// position in the target. The engine's error for a bad value does not name the column:
// the session finds it by running the assigned columns one by one. If all of them
// fail, or one that is not assigned, the error is not about a value. Used
// are the statement's parameters that the query contains, as Scoped.Used.
func (sc *Scoped) BindColumn(i int, sources []string) (sql string, used []int, err error) {
	w := sc.write
	if i < 0 || i >= len(w.target.Columns) || len(sources) != len(sc.Rows.Needs) {
		return "", nil, fmt.Errorf("bind column: no column %d, or %d sources for %d references", i, len(sources), len(sc.Rows.Needs))
	}
	if w.found != nil {
		return sc.part(w.changed(w.row()[i:i+1]), sources)
	}
	return sc.part(w.insertion.text([]int{i}, w.insertion.rows), sources)
}

// BindCells prints the query of the values of one column in the listed rows from
// number from up to, without, number to; both count from 0. With it the session
// finds the cell whose value the engine refuses: it halves the rows. Used is as
// BindColumn has it.
func (sc *Scoped) BindCells(column, from, to int, sources []string) (sql string, used []int, err error) {
	if column < 0 || column >= len(sc.write.target.Columns) || len(sources) != len(sc.Rows.Needs) || from < 0 || from >= to || to > sc.ValueRows() {
		return "", nil, fmt.Errorf("bind cells: no column %d in rows %d to %d of %d, or %d sources for %d references",
			column, from, to, sc.ValueRows(), len(sources), len(sc.Rows.Needs))
	}
	return sc.part(sc.write.insertion.text([]int{column}, sc.write.insertion.rows[from:to]), sources)
}

// Position is the position in the statement, in characters from 1, of the string literal that is
// the value of a column in a listed row; 0 if the value is not a literal. PostgreSQL converts
// literals during parse analysis and reports the position of a bad one. It reports no position
// for a computed value.
func (sc *Scoped) Position(row, column int) int {
	in := sc.write.insertion
	p := in.place(column)
	if row < 0 || row >= len(in.literals) || p < 0 {
		return 0
	}
	return in.tree.Position(in.literals[row][p])
}

// ParamCell is the first cell of the listed rows that contains parameter n. The error of an
// invalid argument names it.
func (sc *Scoped) ParamCell(n int) (row, column int, ok bool) {
	for r, cells := range sc.write.insertion.rows {
		for p, e := range cells {
			if strings.Contains(e.SQL, enginesql.Placeholder(enginesql.Param, n)) {
				return r, sc.write.insertion.given[p].column, true
			}
		}
	}
	return 0, 0, false
}

// Where names a cell in the CONTEXT of an error.
func (sc *Scoped) Where(row, column int) string { return sc.write.insertion.where(row, column) }

func (in *insertion) where(row, column int) string {
	return fmt.Sprintf("row %d, column %q of the rows for %q", row+1, in.target.Columns[column].Name, in.target.Table)
}

// cell converts value p of the current row to its column's type. An invalid literal is refused
// here, with its cell.
func (in *insertion) cell(b *query.Binder, e scope.Expr, p int) scope.Expr {
	column := in.given[p].column
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if refused, ok := r.(scope.Bailout); ok && strings.HasPrefix(refused.Err.Code, "22") {
			refused.Err.WithColumn(in.target.Schema, in.target.Table, in.target.Columns[column].Name).Within(in.where(len(in.rows), column))
		}
		panic(r)
	}()
	return b.Assign(e, in.target, column)
}

// part prints a query over some of the statement's values.
func (sc *Scoped) part(text string, sources []string) (sql string, used []int, err error) {
	if sc.write.with != "" {
		text = sc.write.with + " " + text
	}
	ps := enginesql.Pieces(text)
	used = enginesql.ParamNumbers(ps)
	sql, err = sc.Rows.Print(ps, sources, used)
	return sql, used, err
}

// literalPlace is the location of a value that is a string literal, alone or cast to a type; -1
// for every other value.
func literalPlace(n *pg.Node) int32 {
	if c := n.GetTypeCast(); c != nil {
		n = c.Arg
	}
	if c := n.GetAConst(); c != nil && c.GetSval() != nil {
		return c.Location
	}
	return -1
}
