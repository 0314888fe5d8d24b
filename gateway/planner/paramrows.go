package planner

import (
	"slices"
	"strconv"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// paramRows are the rows of an INSERT whose values are parameters and NULLs only. They need no
// query of the engine.
type paramRows struct {
	params [][]int // by row and column, the number of the parameter, 0 for NULL
	typ    *catalog.Type
}

// newParamRows returns nil if the engine has to compute the rows.
func newParamRows(params [][]int, typ *catalog.Type) *paramRows {
	if params == nil {
		return nil
	}
	for i := range typ.Columns {
		switch typ.Columns[i].Type.Kind {
		case column.Bool, column.Int64, column.Float64, column.Text:
			continue
		}
		if slices.ContainsFunc(params, func(row []int) bool { return row[i] > 0 }) {
			return nil
		}
	}
	return &paramRows{params, typ}
}

// Batch is the rows with the given arguments, which input.Argument has read.
func (p *paramRows) Batch(args [][]byte) (*column.Batch, error) {
	b := &column.Batch{Len: len(p.params), Cols: make([]column.Vector, len(p.typ.Columns))}
	for i := range b.Cols {
		v := &b.Cols[i]
		v.Type = p.typ.Columns[i].Type
		for r := range p.params {
			var arg []byte
			if n := p.params[r][i]; n > 0 {
				arg = args[n-1]
			}
			if err := appendArgument(v, arg); err != nil {
				return nil, err
			}
			if arg == nil {
				v.SetNull(r, b.Len)
			}
		}
	}
	return b, nil
}

// appendArgument appends the value of an argument. For NULL it appends any value.
func appendArgument(v *column.Vector, arg []byte) (err error) {
	switch v.Type.Kind {
	case column.Bool:
		v.Bool = append(v.Bool, string(arg) == "TRUE")
	case column.Int64:
		var n int64
		if arg != nil {
			n, err = strconv.ParseInt(string(arg), 10, 64)
		}
		v.I64 = append(v.I64, n)
	case column.Float64:
		var f float64
		if arg != nil {
			f, err = strconv.ParseFloat(string(arg), 64)
		}
		v.F64 = append(v.F64, f)
	case column.Text:
		v.Str = append(v.Str, arg)
	}
	return err
}
