package keyquery

import (
	"context"
	"errors"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
)

// joined reads the tables one after the other and returns the joined rows, with the columns of the plan.
func (p *Plan) joined(ctx context.Context, at []At, args [][]byte) (_ *column.Batch, err error) {
	var made []*column.Batch
	rows := [][]int{nil} // of the tables read so far, joined
	for _, t := range p.tables {
		r := t.open(at[t.ref])
		joined, err := r.join(ctx, rows, made, args)
		if err = errors.Join(err, r.rows.Close()); err != nil {
			return nil, err
		}
		slots, err := r.made()
		if err != nil {
			return nil, err
		}
		rows, made = joined, append(made, slots)
	}
	out := &column.Batch{Len: len(rows), Cols: make([]column.Vector, len(p.columns))}
	if len(p.tables) == 1 && len(rows) == made[0].Len && !p.tables[0].versions { // the rows as they were read
		for i, of := range p.columns {
			out.Cols[i] = made[0].Cols[of.slot]
		}
		return out, nil
	}
	order := make([]int, len(rows))
	for i, of := range p.columns {
		unmatched := false
		for n := range rows {
			order[n] = rows[n][of.table]
			unmatched = unmatched || order[n] < 0
		}
		v := column.Batch{Len: made[of.table].Len, Cols: made[of.table].Cols[of.slot : of.slot+1]}
		if unmatched {
			out.Cols[i] = withNulls(&v, order, p.typeOf(i))
		} else {
			out.Cols[i] = v.Pick(0, order).Cols[0]
		}
	}
	return out, nil
}

// join adds the rows of the table to joined rows, of which each has the number of a row of each of
// the tables before.
func (r *reading) join(ctx context.Context, rows [][]int, made []*column.Batch, args [][]byte) ([][]int, error) {
	var joined [][]int
	for _, row := range rows {
		given := values{args: args, from: r.from, made: made, rows: row}
		found, err := r.find(ctx, given)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && r.outer {
			found = []int{-1}
		}
		if len(joined)+len(found) > maxRows {
			return nil, errUndecided
		}
		for _, own := range found {
			joined = append(joined, append(row[:len(row):len(row)], own))
		}
	}
	return joined, nil
}

// withNulls is a column with some of its rows, in the order given, and NULL for -1.
func withNulls(of *column.Batch, order []int, t column.Type) column.Vector {
	if of.Len == 0 {
		of = &column.Batch{Len: 1, Cols: []column.Vector{{Type: t}}}
		if t.Kind == column.List {
			of.Cols[0].Lists, of.Cols[0].Child = make([]column.Span, 1), &column.Vector{Type: *t.Elem}
		} else {
			rowexpr.Value{Null: true}.Append(&of.Cols[0], 0)
		}
	}
	matched := make([]int, len(order))
	for i, row := range order {
		matched[i] = max(row, 0)
	}
	v := of.Pick(0, matched).Cols[0]
	for i, row := range order {
		if row < 0 {
			v.SetNull(i, len(order))
		}
	}
	return v
}
