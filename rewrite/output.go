package rewrite

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// outputs are the columns of a query as a client sees them.
func outputs(q query) []Output { return outputsOf(q.columns()) }

func outputsOf(cols []outcol) []Output {
	var out []Output
	for _, c := range cols {
		o := Output{Name: c.name, OID: c.t.OID, Typmod: c.t.Typmod, Scale: c.t.Digits().DisplayScale, Ref: c.ref, Column: c.source}
		o.Fields = fieldOutputs(c.t.Row)
		out = append(out, o)
	}
	return out
}

// fieldOutputs describes the fields of a record, nil for a type that is none.
func fieldOutputs(row *types.RowType) []Output {
	if row == nil {
		return nil
	}
	var out []Output
	for _, f := range row.Fields {
		out = append(out, Output{Name: f.Name, OID: f.Type.OID, Typmod: f.Type.Typmod, Scale: f.Type.Digits().DisplayScale, Ref: -1, Fields: fieldOutputs(f.Type.Row)})
	}
	return out
}

// showNames writes the outputs of type regclass and its like as the names that
// PostgreSQL shows for them; inside the statement they are numbers.
func showNames(q query) {
	if w, ok := q.(*withQuery); ok {
		q = w.query
	}
	s, ok := q.(*selectQuery)
	if !ok {
		return
	}
	for i := range s.targets {
		e := &s.targets[i].e
		if elem, ok := e.t.Elem(); ok && types.IsReg(elem.OID) {
			e.sql = casts.RegNames(e.sql, e.t)
		} else if e.name != "" {
			e.sql = e.name
		} else if types.IsReg(e.t.OID) {
			e.sql = casts.ToText(e.sql, e.t)
		} else if types.RowFields(e.t) != nil {
			e.sql = shownRow(*e)
		}
	}
}

// namesOfSides prints a query, a set operation or VALUES as one of its rows with the
// names in place of the numbers, by which the rows were compared and sorted.
func (b *queryBinder) namesOfSides(q query) string {
	bare := q
	if w, ok := q.(*withQuery); ok {
		bare = w.query
	}
	if _, ok := bare.(*selectQuery); ok {
		return q.text()
	}
	if !b.st.StoresRows {
		q.expose(q.noted())
	}
	named := false
	var names, beside, shown []string
	for i, c := range q.columns() {
		name := "c" + strconv.Itoa(i+1)
		sql := name
		if elem, ok := c.t.Elem(); ok && types.IsReg(elem.OID) {
			sql, named = casts.RegNames(name, c.t), true
		} else if types.IsReg(c.t.OID) {
			sql, named = casts.ToText(name, c.t), true
		} else if c.beside != "" {
			sql, named = "t"+strconv.Itoa(i+1), true
			beside = append(beside, sql)
		}
		names, shown = append(names, name), append(shown, sql+" AS "+enginesql.Quote(c.out))
	}
	if !named {
		return q.text()
	}
	return "SELECT " + strings.Join(shown, ", ") + " FROM (" + q.text() + ") AS " + enginesql.Quote(b.alias("shown")) + "(" + strings.Join(append(names, beside...), ", ") + ")"
}

// showPrinted writes the outputs as the texts that PostgreSQL prints of them, where
// these are known apart from the values. Inside the statement they are numbers, and
// DISTINCT compares numbers.
func showPrinted(q query) {
	if w, ok := q.(*withQuery); ok {
		q = w.query
	}
	s, ok := q.(*selectQuery)
	if !ok || s.distinct != "" {
		return
	}
	for i := range s.targets {
		if e := &s.targets[i].e; e.printed != "" && e.t.OID == types.Numeric {
			e.sql = e.printed
		}
	}
}
