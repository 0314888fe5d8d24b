package query

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// rowsFrom is ROWS FROM (f(...), g(...)): the functions' rows side by side, those of the
// shorter ones filled up with NULLs, as the engine does with several sets in one SELECT
// list.
func (b *Binder) rowsFrom(n *pg.RangeFunction, l *scope.Level, lateral scope.Namespace) (string, scope.Namespace) {
	in := &scope.Level{Parent: &scope.Level{Parent: l.Parent, Namespace: lateral, CTEs: l.CTEs}, CTEs: l.CTEs, Clause: "functions in FROM"}
	r := &scope.RangeEntry{Ref: -1, MadeBy: "a function"}
	var cols []scope.OutputColumn
	var parts, items, lengths []string
	for i, f := range n.Functions {
		call, defined := f.GetList().GetItems()[0], f.GetList().GetItems()[1].GetList().GetItems()
		name := columnName(call)
		if len(defined) > 0 || functions.ReturnsRecord[name] {
			b.Unsupported(syntax.Location(call), "a column definition list in ROWS FROM with several functions is not supported")
		}
		if i == 0 {
			r.Alias = name
			b.CountJoins(1, syntax.Location(call))
		}
		for _, e := range b.rowsOf(call, in) {
			item := "i" + strconv.Itoa(len(lengths)+1)
			length := "1"
			switch {
			case !e.ReturnsSet:
				e.SQL = "unnest([" + e.SQL + "])"
			case e.List != "":
				length = "coalesce(len(" + e.List + "), 0)"
			default:
				b.Unsupported(syntax.Location(call), "this function in ROWS FROM is not supported")
			}
			items, lengths = append(items, e.SQL+" AS "+item), append(lengths, length)
			fields := types.RowFields(e.Type)
			for i, f := range fields {
				c := scope.OutputColumn{Name: f.Name, EngineName: "v" + strconv.Itoa(len(cols)+1), Type: f.Type, Ref: -1}
				cols, parts = append(cols, c), append(parts, casts.FieldAt(item, i)+" AS "+c.EngineName)
			}
			if fields == nil {
				c := scope.OutputColumn{Name: name, EngineName: "v" + strconv.Itoa(len(cols)+1), Type: e.Type, Ref: -1}
				if own := functions.ResultColumn[name]; own != "" {
					c.Name = own
				}
				parts = append(parts, item+" AS "+c.EngineName)
				if e.Printed != "" && e.ReturnsSet && coercion.IsNumeric(e.Type) {
					c.TextColumn = textColumnName(len(cols))
					text := enginesql.Quote(c.TextColumn)
					items, parts = append(items, e.Printed+" AS "+text), append(parts, text)
				}
				cols = append(cols, c)
			}
		}
	}
	if n.Ordinality {
		cols = append(cols, scope.OutputColumn{Name: "ordinality", EngineName: "ordinality", Type: types.Of(types.Int8), Ref: -1})
		items = append(items, "unnest(generate_series(1, greatest("+strings.Join(lengths, ", ")+"))) AS ordinality")
		parts = append(parts, "ordinality")
	}
	ns := b.output(r, cols, n.Alias, syntax.Location(n.Functions[0].GetList().GetItems()[0]))
	words := ""
	if len(lateral.Ranges) > 0 {
		words = "LATERAL "
	}
	return words + "(SELECT " + strings.Join(parts, ", ") + " FROM (SELECT " + strings.Join(items, ", ") + ")) AS " + enginesql.Quote(r.EngineAlias), ns
}

// rowsOf is what a function of ROWS FROM returns: several sets of unnest of several
// arrays, else one expression.
func (b *Binder) rowsOf(n *pg.Node, l *scope.Level) []scope.Expr {
	call := n.GetFuncCall()
	if call == nil || len(call.Args) < 2 || columnName(n) != "unnest" {
		return []scope.Expr{b.DefaultToText(b.Expr(n, l))}
	}
	var sets []scope.Expr
	for _, a := range call.Args {
		sets = append(sets, b.rowsOf(pg.MakeFuncCallNode(call.Funcname, []*pg.Node{a}, call.Location), l)...)
	}
	return sets
}
