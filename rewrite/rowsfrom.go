package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// rowsFrom is ROWS FROM (f(...), g(...)): the functions' rows side by side, those of the
// shorter ones filled up with NULLs, as the engine does with several sets in one SELECT
// list.
func (b *queryBinder) rowsFrom(n *pg.RangeFunction, l *level, lateral namespace) (string, namespace) {
	in := &level{parent: &level{parent: l.parent, ns: lateral, ctes: l.ctes}, ctes: l.ctes, clause: "functions in FROM"}
	r := &relation{ref: -1, made: "a function"}
	var cols []outcol
	var parts, items, lengths []string
	for i, f := range n.Functions {
		call, defined := f.GetList().GetItems()[0], f.GetList().GetItems()[1].GetList().GetItems()
		name := columnName(call)
		if len(defined) > 0 || functions.ReturnsRecord[name] {
			b.unsupported(syntax.Location(call), "a column definition list in ROWS FROM with several functions is not supported")
		}
		if i == 0 {
			r.alias = name
			b.joins(1, syntax.Location(call))
		}
		for _, e := range b.rowsOf(call, in) {
			item := "i" + strconv.Itoa(len(items)+1)
			length := "1"
			switch {
			case !e.set:
				e.sql = "unnest([" + e.sql + "])"
			case e.list != "":
				length = "coalesce(len(" + e.list + "), 0)"
			default:
				b.unsupported(syntax.Location(call), "this function in ROWS FROM is not supported")
			}
			items, lengths = append(items, e.sql+" AS "+item), append(lengths, length)
			fields := types.RowFields(e.t)
			for i, f := range fields {
				c := outcol{name: f.Name, out: "v" + strconv.Itoa(len(cols)+1), t: f.Type, ref: -1}
				cols, parts = append(cols, c), append(parts, casts.FieldAt(item, i)+" AS "+c.out)
			}
			if fields == nil {
				c := outcol{name: name, out: "v" + strconv.Itoa(len(cols)+1), t: e.t, ref: -1}
				if own := functions.ResultColumn[name]; own != "" {
					c.name = own
				}
				cols, parts = append(cols, c), append(parts, item+" AS "+c.out)
			}
		}
	}
	if n.Ordinality {
		cols = append(cols, outcol{name: "ordinality", out: "ordinality", t: types.Of(types.Int8), ref: -1})
		items = append(items, "unnest(generate_series(1, greatest("+strings.Join(lengths, ", ")+"))) AS ordinality")
		parts = append(parts, "ordinality")
	}
	ns := b.output(r, cols, n.Alias, syntax.Location(n.Functions[0].GetList().GetItems()[0]))
	words := ""
	if len(lateral.rels) > 0 {
		words = "LATERAL "
	}
	return words + "(SELECT " + strings.Join(parts, ", ") + " FROM (SELECT " + strings.Join(items, ", ") + ")) AS " + enginesql.Quote(r.out), ns
}

// rowsOf is what a function of ROWS FROM returns: several sets of unnest of several
// arrays, else one expression.
func (b *queryBinder) rowsOf(n *pg.Node, l *level) []expr {
	call := n.GetFuncCall()
	if call == nil || len(call.Args) < 2 || columnName(n) != "unnest" {
		return []expr{b.known(b.expr(n, l))}
	}
	var sets []expr
	for _, a := range call.Args {
		sets = append(sets, b.rowsOf(pg.MakeFuncCallNode(call.Funcname, []*pg.Node{a}, call.Location), l)...)
	}
	return sets
}
