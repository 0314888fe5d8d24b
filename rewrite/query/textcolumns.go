package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// A numeric whose digits depend on the row, as that of VALUES (1), (2.50), has its text in a
// hidden column of the query. DISTINCT, GROUP BY and computations use the number. An array
// of such numerics has the list of the texts of its elements there. The engine does not
// compute a text that nothing shows.

// textColumnName is the engine's name of the text of column i. No query of a client has one.
func textColumnName(i int) string { return "ontosql shown " + strconv.Itoa(i+1) }

// textColumns are the texts of some columns by their numbers: T is what a query has of one.
type textColumns[T any] struct {
	texts   map[int]T
	exposed []int
}

func (t *textColumns[T]) keepTexts(i int, text T) {
	if t.texts == nil {
		t.texts = map[int]T{}
	}
	t.texts[i] = text
}

// coerced forgets the text of a column that becomes another type.
func (t *textColumns[T]) coerced(i int, to types.Type) {
	if !coercion.IsNumeric(to) {
		delete(t.texts, i)
	}
}

func (t *textColumns[T]) TextColumns() []int {
	var list []int
	for i := range t.texts {
		list = append(list, i)
	}
	slices.Sort(list)
	return list
}

// shows reports whether the rows of a SELECT can have text columns.
func (q *SelectQuery) shows() bool {
	return q.ties == nil && q.alias == "" && q.distinct != "DISTINCT "
}

// KeepText keeps the text of column i; false where the query cannot (expression.Query).
func (q *SelectQuery) KeepText(i int) bool {
	if !q.shows() {
		return false
	}
	q.keepTexts(i, coercion.PrintedText(q.TargetList[i].Expr))
	return true
}

// TextColumns are the columns that have a text (expression.Query).
func (q *SelectQuery) TextColumns() []int {
	if !q.shows() {
		return nil
	}
	for i, tg := range q.TargetList {
		if q.texts[i] == "" && tg.Expr.Printed != "" && coercion.IsNumeric(tg.Expr.Type) {
			q.keepTexts(i, tg.Expr.Printed)
		}
	}
	return q.textColumns.TextColumns()
}

// ExposeTexts makes the texts of columns outputs (expression.Query).
func (q *SelectQuery) ExposeTexts(list []int) { q.exposed = list }

// textOutputs are the texts behind the outputs of a SELECT.
func (q *SelectQuery) textOutputs() string {
	var out strings.Builder
	for _, i := range q.exposed {
		out.WriteString(", " + q.texts[i] + " AS " + enginesql.Quote(textColumnName(i)))
	}
	return out.String()
}

func (q *valuesQuery) KeepText(i int) bool {
	if q.ties != nil {
		return false
	}
	if q.texts[i] == nil {
		texts := make([]string, len(q.rows))
		for r, row := range q.rows {
			texts[r] = coercion.PrintedText(row[i])
		}
		q.keepTexts(i, texts)
	}
	return true
}

func (q *valuesQuery) TextColumns() []int {
	if q.ties != nil {
		return nil
	}
	return q.textColumns.TextColumns()
}

func (q *valuesQuery) ExposeTexts(list []int) {
	q.exposed = list
	for _, i := range list {
		q.cols[i].TextColumn = textColumnName(i)
	}
}

func (q *setQuery) KeepText(i int) bool {
	if q.ties != nil || !strings.HasPrefix(q.op, "UNION") || !q.left.KeepText(i) || !q.right.KeepText(i) {
		return false
	}
	q.keepTexts(i, true)
	return true
}

// keepTextsOfArms notes the texts of a column whose rows the sides l and r show with different
// digits.
func (q *setQuery) keepTextsOfArms(i int, l, r scope.Expr) {
	for _, e := range []scope.Expr{l, r} {
		ty := e.Type
		if elem, ok := ty.Elem(); ok {
			ty = elem
		}
		if !coercion.IsNumeric(ty) && !types.IsInteger(ty.OID) {
			return
		}
	}
	differ := l.Type.Digits().Display() != r.Type.Digits().Display()
	if differ || slices.Contains(q.left.TextColumns(), i) || slices.Contains(q.right.TextColumns(), i) {
		q.KeepText(i)
	}
}

func (q *setQuery) ExposeTexts(list []int) {
	q.exposed = list
	q.left.ExposeTexts(list)
	q.right.ExposeTexts(list)
	for _, i := range list {
		q.cols[i].TextColumn = textColumnName(i)
	}
}
