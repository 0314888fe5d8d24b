package rewrite

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// rowRows prints the query of a function in FROM that returns rows of a known type.
func (b *queryBinder) rowRows(e expr, ordinal bool) ([]outcol, string) {
	var cols []outcol
	var parts []string
	for i, f := range types.RowFields(e.t) {
		cols = append(cols, outcol{name: f.Name, out: f.Name, t: f.Type, ref: -1})
		parts = append(parts, casts.FieldAt("item", i)+" AS "+enginesql.Quote(f.Name))
	}
	inner := e.sql + " AS item"
	if ordinal {
		cols = append(cols, outcol{name: "ordinality", out: "ordinality", t: types.Of(types.Int8), ref: -1})
		parts = append(parts, enginesql.Quote("ordinality"))
		inner += ", " + b.ordinals(e)
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (SELECT " + inner + ")"
}
