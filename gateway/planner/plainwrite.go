package planner

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/keyquery"
	"github.com/ontosql/ontosql/rewrite/dml"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
)

// PlainWrite is a write whose rows are computed without the engine (dml.Plain), compiled. The
// functions are over the columns of the stored row, of the proposed row and of the new row, in
// this order.
type PlainWrite struct {
	Proposed [][]rowexpr.Func // by row and column; nil for an UPDATE
	Where    []rowexpr.Func
	Keys     *keyquery.Keys // of the rows that an UPDATE changes
	Set      []rowexpr.Func // by column, nil for one that keeps its value
	Returned []rowexpr.Func // nil for fields_json
	Types    []column.Type  // of Returned
	Columns  []string       // the names of the type's columns
	Required []int          // the columns without a value for which a proposed row is inserted, and refused
}

// newPlainWrite returns nil if the engine has to compute the rows.
func newPlainWrite(w *Write, required []string) *PlainWrite {
	of := w.Scoped.Plain()
	if of == nil || !plainKeys(w.Type) {
		return nil
	}
	p := &PlainWrite{Set: make([]rowexpr.Func, len(w.Type.Columns))}
	c := plainCompiler{of: of, typ: w.Type}
	for _, row := range of.Proposed {
		cells := make([]rowexpr.Func, len(row))
		for i, e := range row {
			cells[i] = c.column(i, e)
		}
		p.Proposed = append(p.Proposed, cells)
	}
	for i, e := range of.Set {
		if e != nil {
			p.Set[i] = c.column(i, e)
		}
	}
	for _, e := range of.Where {
		p.Where = append(p.Where, c.compile(e))
	}
	if of.Proposed == nil {
		p.Keys = keyquery.NewKeys(of.Keys, len(w.Type.Key))
		c.failed = c.failed || p.Keys == nil
	}
	for _, e := range of.Returned {
		t := column.Type{Kind: column.Text}
		var f rowexpr.Func
		if e != nil {
			t, f = e.Type, c.compile(e)
			// How a computed number or document is printed only the engine knows.
			c.failed = c.failed || e.Column == "" && (t.Kind == column.Numeric || t.Kind == column.JSON)
		}
		p.Returned, p.Types = append(p.Returned, f), append(p.Types, t)
	}
	for i, k := range w.Type.Columns {
		p.Columns = append(p.Columns, k.Name)
		if slices.Contains(required, k.Name) {
			p.Required = append(p.Required, i)
		}
	}
	if c.failed {
		return nil
	}
	return p
}

// plainKeys reports whether the texts of a type's keys are those of the values in SQL.
func plainKeys(t *catalog.Type) bool {
	for _, k := range t.Key {
		c := &t.Columns[k]
		if of, _ := format.ParseSpelling(c.Spelling); of == format.FieldFloat || of == format.FieldBool {
			return false // decision A18
		}
		if c.Type.Kind != column.Text && c.Type.Kind != column.Int64 && c.Type.Kind != column.UUID {
			return false
		}
	}
	return true
}

// plainCompiler compiles the expressions of a write. It fails where one is not known, or has
// another type than its column.
type plainCompiler struct {
	of     *dml.Plain
	typ    *catalog.Type
	failed bool
}

func (c *plainCompiler) compile(e *rowexpr.Expr) rowexpr.Func {
	f := rowexpr.Compile(e, c.of.Place)
	c.failed = c.failed || f == nil
	return f
}

func (c *plainCompiler) column(i int, e *rowexpr.Expr) rowexpr.Func {
	t := c.typ.Columns[i].Type
	c.failed = c.failed || e.Type.Kind != t.Kind || e.Type.Scale != t.Scale || e.Type.Width != t.Width
	return c.compile(e)
}
