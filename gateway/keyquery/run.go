package keyquery

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
	"github.com/ontosql/ontosql/rowstore"
)

// maxRows is the number of rows up to which a statement is answered without the engine.
const maxRows = 1000

// errUndecided: only the engine can answer.
var errUndecided = rowexpr.ErrUndecided

// At is where the rows of a reference are read: the table of their type, which is complete up to Upper, and
// the commits.
type At struct {
	Use          *rowstore.Use
	Lower, Upper ontosql.CommitID // of the window; Lower matters only where all versions are read
	View         *chain.View
}

// Possible reports whether tables can answer the statement with these arguments, as far as that is known before
// a row is read. There is an At for each reference.
func (p *Plan) Possible(at []At, args [][]byte) bool {
	for _, t := range p.tables {
		if !at[t.ref].Use.Readable(t.places) {
			return false
		}
	}
	_, ok := beginnings(nil, p.tables[0].keys, values{args: args})
	return ok
}

// Run answers the statement. The answer is nil if the engine has to give it. args are the parameters as
// input.Argument has read them; there is an At for each reference.
func (p *Plan) Run(ctx context.Context, at []At, args [][]byte) (*column.Batch, error) {
	for _, t := range p.tables {
		if !at[t.ref].Use.Readable(t.places) {
			return nil, nil
		}
	}
	answer, err := p.run(ctx, at, args)
	if errors.Is(err, errUndecided) {
		return nil, nil
	}
	return answer, err
}

func (p *Plan) run(ctx context.Context, at []At, args [][]byte) (*column.Batch, error) {
	if t := p.tables[0]; p.direct {
		r := t.open(at[t.ref])
		r.unlisted = !t.versions
		rows, err := r.find(ctx, values{args: args})
		if err = errors.Join(err, r.rows.Close()); err != nil || r.unlisted {
			return &r.read, err
		}
		return r.read.Pick(0, rows), nil
	}
	rows, err := p.joined(ctx, at, args)
	if err != nil {
		return nil, err
	}
	order, err := p.filter(rows, args)
	if err != nil {
		return nil, err
	}
	p.sort(rows, order)
	if order, err = p.cut(order, args); err != nil {
		return nil, err
	}
	return p.answer(rows, order, args)
}

// filter are the rows for which the conditions hold.
func (p *Plan) filter(rows *column.Batch, args [][]byte) ([]int, error) {
	row := rowexpr.Row{Cols: rows.Cols, Args: args}
	order := make([]int, 0, rows.Len)
	for row.At = range rows.Len {
		holds := true
		for _, condition := range p.where { // all, because each may be one that the engine has to decide
			v, err := condition(&row)
			if err != nil {
				return nil, errUndecided
			}
			holds = holds && v.True()
		}
		if holds {
			order = append(order, row.At)
		}
	}
	return order, nil
}

// cut applies OFFSET and LIMIT.
func (p *Plan) cut(order []int, args [][]byte) ([]int, error) {
	skip, err := count(p.offset, 0, len(order), args)
	if err != nil {
		return nil, err
	}
	order = order[skip:]
	most, err := count(p.limit, len(order), len(order), args)
	if err != nil {
		return nil, err
	}
	return order[:most], nil
}

// count is the value of LIMIT or OFFSET, at most most. The engine reports one that is negative.
func count(o *enginesql.Operand, absent, most int, args [][]byte) (int, error) {
	if o == nil || o.Param > 0 && args[o.Param-1] == nil {
		return absent, nil
	}
	text := o.Text
	if o.Param > 0 {
		text = string(args[o.Param-1])
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || n < 0 {
		return 0, errUndecided
	}
	return int(min(n, int64(most))), nil
}

// answer makes the result of some rows.
func (p *Plan) answer(rows *column.Batch, order []int, args [][]byte) (*column.Batch, error) {
	columns := &column.Batch{Len: rows.Len, Cols: make([]column.Vector, len(p.outputs))}
	for i, o := range p.outputs {
		if o.value == nil {
			columns.Cols[i] = rows.Cols[o.column]
		} else {
			columns.Cols[i] = column.Vector{Type: column.Type{Kind: column.Null}}
		}
	}
	out := columns.Pick(0, order)
	row := rowexpr.Row{Cols: rows.Cols, Args: args}
	for i, o := range p.outputs {
		if o.value == nil {
			continue
		}
		out.Cols[i] = column.Vector{Type: column.Type{Kind: o.kind}}
		for n := range order {
			row.At = order[n]
			v, err := o.value(&row)
			if err != nil {
				return nil, errUndecided
			}
			v.Append(&out.Cols[i], n)
		}
	}
	return out, nil
}
