package dml

import (
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ParamRows are the rows of an INSERT that lists parameters and nothing else, so that
// the engine has nothing to compute: for each row and each column of the target the
// number of the parameter that is its value, of the column's type, as Argument reads
// it; 0 is NULL. It is nil for every other write, and where RETURNING shows rows or a view
// checks them.
func (sc *Scoped) ParamRows() [][]int {
	w := sc.write
	if sc.Matches || sc.Returned != nil || w.checksViews() || w.with != "" || w.insertion.from != "" {
		return nil
	}
	rows := make([][]int, len(w.insertion.rows))
	for r, cells := range w.insertion.rows {
		rows[r] = make([]int, len(w.target.Columns))
		for i := range w.target.Columns {
			n, ok := sc.paramOf(cells, i)
			if !ok {
				return nil
			}
			rows[r][i] = n
		}
	}
	return rows
}

// paramOf is the parameter that a column's value in a listed row is, 0 for NULL.
func (sc *Scoped) paramOf(cells []scope.Expr, i int) (n int, ok bool) {
	in, c := sc.write.insertion, sc.write.target.Columns[i]
	p := in.place(i)
	if p < 0 {
		return 0, in.target.Defaults[c.Name] == ""
	}
	ps := enginesql.Pieces(coercion.StoredValue(in.target, cells[p].SQL, i))
	if len(ps) != 1 || ps[0].Kind != enginesql.Param {
		return 0, false
	}
	return ps[0].Number, sc.Rows.Params[ps[0].Number-1] == types.OfColumn(c.Type).OID
}
