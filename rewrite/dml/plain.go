package dml

import (
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// Plain is a write whose new rows are computed without the engine, of stored rows that are found by
// their keys: an INSERT that lists rows, with ON CONFLICT or without, or an UPDATE.
type Plain struct {
	// Proposed are the rows of an INSERT, with a value for each of the target's columns; nil for an
	// UPDATE.
	Proposed [][]*rowexpr.Expr
	// Keys are the conditions on the key of the rows that an UPDATE changes.
	Keys []scope.KeyCondition
	// Where are further conditions on the stored rows that are changed.
	Where []*rowexpr.Expr
	// Set are the new values of a stored row, by column; a column that is nil keeps its value.
	Set []*rowexpr.Expr
	// Returned are the columns of RETURNING, nil one that the session knows (Scoped.Returned).
	Returned []*rowexpr.Expr

	places map[string]int
}

// keyConditions are a WHERE clause as Binder.KeyConditions has it. known is false if only the engine can
// evaluate it.
type keyConditions struct {
	keys  []scope.KeyCondition
	rest  []*rowexpr.Expr
	known bool
}

// Place is the number of a column among those of the stored row, of the proposed row and of the
// new row, in this order, by its name in the engine's SQL; -1 for another column. It is for
// rowexpr.Compile.
func (p *Plain) Place(name string) int {
	at, ok := p.places[name]
	if !ok {
		return -1
	}
	return at
}

// Plain is the write as it is computed without the engine, nil if only the engine can.
func (sc *Scoped) Plain() *Plain {
	w := sc.write
	if w.target.Kind != scope.TypeTable || len(w.views) > 0 || w.with != "" || w.generate != nil || len(w.target.Checks) > 0 || w.insertion.from != "" {
		return nil
	}
	p := &Plain{Set: make([]*rowexpr.Expr, len(w.target.Columns)), places: w.places()}
	switch {
	case len(w.insertion.rows) > 0:
		if p.Proposed = w.insertion.plainRows(); p.Proposed == nil {
			return nil
		}
	case w.sources == nil || len(w.actions) != 1 || w.actions[0].Kind != Updates || !w.byKey.known:
		return nil
	default:
		p.Keys, p.Where = w.byKey.keys, w.byKey.rest
	}
	for i, e := range w.assignments {
		if p.Set[i] = e.Plain(); p.Set[i] == nil {
			return nil
		}
	}
	if w.where.SQL != "" {
		x := w.where.Plain()
		if x == nil {
			return nil
		}
		p.Where = append(p.Where, x)
	}
	for _, o := range sc.Returned {
		known := o.Column == storedFields && o.Ref == w.at
		if o.Plain == nil && !known {
			return nil
		}
		if known {
			o.Plain = nil
		}
		p.Returned = append(p.Returned, o.Plain)
	}
	return p
}

// plainRows are the listed rows as they are evaluated without the engine, nil if one is not.
func (in *insertion) plainRows() [][]*rowexpr.Expr {
	rows := make([][]*rowexpr.Expr, len(in.rows))
	for r, cells := range in.rows {
		for i := range in.target.Columns {
			e := in.omitted[i]
			if p := in.place(i); p >= 0 {
				e = coercion.Stored(in.target, cells[p], i)
			}
			x := e.Plain()
			if x == nil {
				return nil
			}
			rows[r] = append(rows[r], x)
		}
	}
	return rows
}

// places are the columns of the stored row, the proposed row and the new row by their names below
// and above found, and for RETURNING.
func (w *builder) places() map[string]int {
	at := map[string]int{}
	for r, from := range w.sources {
		for i, c := range w.target.Columns {
			if f := from.Column(c.Name); f != nil {
				at[f.SQL] = r*len(w.target.Columns) + i
			}
		}
	}
	if w.found != nil {
		for _, f := range w.found.shown {
			if i, ok := at[w.found.below[f].SQL]; ok {
				at[f.SQL] = i
			}
		}
	}
	for i, c := range w.row() {
		at[w.fresh.of(c)] = 2*len(w.target.Columns) + i
	}
	return at
}
