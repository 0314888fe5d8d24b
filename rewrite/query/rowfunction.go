package query

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// rowRows prints the query of a function in FROM that returns rows of a known type.
func (b *Binder) rowRows(e scope.Expr, ordinal bool) ([]scope.OutputColumn, string) {
	var cols []scope.OutputColumn
	var parts []string
	for i, f := range types.RowFields(e.Type) {
		cols = append(cols, scope.OutputColumn{Name: f.Name, EngineName: f.Name, Type: f.Type, Ref: -1})
		parts = append(parts, casts.FieldAt("item", i)+" AS "+enginesql.Quote(f.Name))
	}
	inner := e.SQL + " AS item"
	if ordinal {
		cols = append(cols, scope.OutputColumn{Name: "ordinality", EngineName: "ordinality", Type: types.Of(types.Int8), Ref: -1})
		parts = append(parts, enginesql.Quote("ordinality"))
		inner += ", " + b.ordinals(e)
	}
	return cols, "SELECT " + strings.Join(parts, ", ") + " FROM (SELECT " + inner + ")"
}
