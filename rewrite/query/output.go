package query

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// Outputs are the columns of a query as a client sees them.
func Outputs(q expression.Query) []scope.Output { return outputsOf(q.Columns()) }

func outputsOf(cols []scope.OutputColumn) []scope.Output {
	var out []scope.Output
	for _, c := range cols {
		o := scope.Output{Name: c.Name, OID: types.External(c.Type.OID), Typmod: c.Type.Typmod, Scale: c.Type.Digits().DisplayScale, Ref: c.Ref, Column: c.Source, Plain: c.Plain}
		o.Fields = fieldOutputs(c.Type.Row)
		out = append(out, o)
	}
	return out
}

// fieldOutputs describes the fields of a record, nil for another type.
func fieldOutputs(row *types.RowType) []scope.Output {
	if row == nil {
		return nil
	}
	var out []scope.Output
	for _, f := range row.Fields {
		out = append(out, scope.Output{Name: f.Name, OID: types.External(f.Type.OID), Typmod: f.Type.Typmod, Scale: f.Type.Digits().DisplayScale, Ref: -1, Fields: fieldOutputs(f.Type.Row)})
	}
	return out
}

// ShowRegNames writes the outputs of type regclass and its like as the names that
// PostgreSQL shows for them; inside the statement they are numbers.
func ShowRegNames(q expression.Query) {
	if w, ok := q.(*withQuery); ok {
		q = w.Query
	}
	s, ok := q.(*SelectQuery)
	if !ok {
		return
	}
	for i := range s.TargetList {
		e := &s.TargetList[i].Expr
		if elem, ok := e.Type.Elem(); ok && types.IsReg(elem.OID) {
			e.SQL = casts.RegNames(e.SQL, e.Type)
		} else if e.TypeName != "" {
			e.SQL = e.TypeName
		} else if types.IsReg(e.Type.OID) {
			e.SQL = casts.ToText(e.SQL, e.Type)
		} else if types.RowFields(e.Type) != nil {
			if s.distinct == "DISTINCT " { // rows are compared by the numbers
				forgetPrinted(e)
			}
			e.SQL, _ = e.ShownRow()
		}
	}
}

// forgetPrinted makes the numerics of a row be printed by their values.
func forgetPrinted(e *scope.Expr) {
	e.Row = slices.Clone(e.Row)
	for i := range e.Row {
		e.Row[i].Printed = ""
		forgetPrinted(&e.Row[i])
	}
}

// withRegNames prints a query, a set operation or VALUES, as one of its rows with the names
// and texts in place of the numbers, by which the rows were compared and sorted.
func (b *Binder) withRegNames(q expression.Query) string {
	bare := q
	if w, ok := q.(*withQuery); ok {
		bare = w.Query
	}
	if sel, ok := bare.(*SelectQuery); ok && !sel.sortsPrintedSets() {
		return q.SQL()
	}
	if !b.Stmt.StoresRows {
		q.ExposeTexts(q.TextColumns())
	}
	named := false
	var names, beside, shown []string
	for i, c := range q.Columns() {
		name := "c" + strconv.Itoa(i+1)
		sql := name
		if elem, ok := c.Type.Elem(); ok && types.IsReg(elem.OID) {
			sql, named = casts.RegNames(name, c.Type), true
		} else if types.IsReg(c.Type.OID) {
			sql, named = casts.ToText(name, c.Type), true
		} else if c.TextColumn != "" {
			sql, named = "t"+strconv.Itoa(i+1), true
			beside = append(beside, sql)
		}
		names, shown = append(names, name), append(shown, sql+" AS "+enginesql.Quote(c.EngineName))
	}
	if !named {
		return q.SQL()
	}
	return "SELECT " + strings.Join(shown, ", ") + " FROM (" + q.SQL() + ") AS " + enginesql.Quote(b.UniqueAlias("shown")) + "(" + strings.Join(append(names, beside...), ", ") + ")"
}

// showNumericTexts writes the outputs as the texts that PostgreSQL prints of them, where
// these are known apart from the values. Inside the statement they are numbers, and
// DISTINCT compares numbers.
func showNumericTexts(q expression.Query) {
	if w, ok := q.(*withQuery); ok {
		q = w.Query
	}
	s, ok := q.(*SelectQuery)
	if !ok || s.distinct == "DISTINCT " || s.sortsPrintedSets() {
		return
	}
	for i := range s.TargetList {
		if e := &s.TargetList[i].Expr; e.Printed != "" && coercion.IsNumeric(e.Type) {
			e.SQL, e.List = e.Printed, cmp.Or(e.PrintedList, e.List)
		}
	}
}

// sortsPrintedSets reports whether the query is sorted by the elements of a set, and an output
// has the texts of one: both are outputs then, and a query around it chooses the texts.
func (q *SelectQuery) sortsPrintedSets() bool {
	return q.bySet && q.shows() && slices.ContainsFunc(q.TargetList, func(tg targetEntry) bool { return tg.Expr.ReturnsSet && tg.Expr.Printed != "" })
}
