package rewrite

import (
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// tableFunction is a function in FROM: a set-returning one of the table, or any
// other as a relation of one row. It is written as a subquery with the function
// in its SELECT list, which sees the items before it, as in PostgreSQL.
func (b *queryBinder) tableFunction(n *pg.RangeFunction, l *level, lateral namespace) (string, namespace) {
	items := n.Functions[0].GetList().GetItems()
	if len(n.Functions) > 1 {
		return b.rowsFrom(n, l, lateral)
	}
	if n.IsRowsfrom && items[1].GetList() != nil { // ROWS FROM (f() AS (a int))
		n.Coldeflist = items[1].GetList().Items
	}
	b.joins(1, syntax.Location(items[0]))
	in := &level{parent: &level{parent: l.parent, ns: lateral, ctes: l.ctes}, ctes: l.ctes, clause: "functions in FROM", sets: n.Alias.GetAliasname() == groupedSetAlias}
	name := columnName(items[0])
	var cols []outcol
	var sql string
	if len(n.Coldeflist) > 0 || functions.ReturnsRecord[name] {
		cols, sql = b.recordRows(n, name, in)
	} else {
		cols, sql = b.functionRows(items[0], name, n.Ordinality, in)
	}
	r := &relation{alias: name, ref: -1, scalar: len(cols) == 1 && len(n.Coldeflist) == 0, made: "a function"}
	if len(cols) == 1+ordinality(n) && len(n.Coldeflist) == 0 {
		if own := functions.ResultColumn[name]; own != "" {
			cols[0].name = own
		} else if n.Alias != nil && len(n.Alias.Colnames) == 0 {
			// One column takes the alias as its name (PostgreSQL manual 7.2.1.4).
			cols[0].name = n.Alias.Aliasname
		}
	}
	ns := b.output(r, cols, n.Alias, syntax.Location(items[0]))
	words := ""
	if len(lateral.rels) > 0 && firstColumn(items[0]) != nil {
		words = "LATERAL "
	}
	return words + "(" + sql + ") AS " + enginesql.Quote(r.out), ns
}

func ordinality(n *pg.RangeFunction) int {
	if n.Ordinality {
		return 1
	}
	return 0
}

// functionRows prints the query of a function in FROM.
func (b *queryBinder) functionRows(n *pg.Node, name string, ordinal bool, l *level) ([]outcol, string) {
	if call := n.GetFuncCall(); call != nil {
		switch name {
		case "_pg_expandarray":
			return b.expandArray(call, l)
		case "unnest":
			if len(call.Args) > 1 {
				return b.unnestArrays(call, ordinal, l)
			}
		case "json_populate_record", "jsonb_populate_record", "json_populate_recordset", "jsonb_populate_recordset":
			b.unsupported(call.Location, "%s is not supported", name)
		}
		if n := len(call.Funcname); n > 1 && call.Funcname[n-2].GetString_().GetSval() == "information_schema" {
			call.Funcname = call.Funcname[n-1:]
		}
	}
	// The engine takes "v"."id" for a field of a column v before it looks for a table v.
	out := "ontosql v"
	e := b.known(b.expr(n, l))
	cols := []outcol{{name: name, out: out, t: e.t, ref: -1}}
	if types.RowFields(e.t) != nil {
		return b.rowRows(e, ordinal)
	}
	if e.row != nil {
		b.unsupported(e.loc, "a row from a function in FROM is not supported")
	}
	sql := "SELECT " + e.sql + " AS " + enginesql.Quote(out)
	if e.count != nil && !ordinal {
		// As a table the engine counts it out; as a list it is made whole first, and
		// no cancel is heard meanwhile.
		sql = "SELECT CAST(g.generate_series AS " + e.t.EngineType() + ") AS " + enginesql.Quote(out) + " FROM generate_series(" + join(e.count) + ") AS g"
	}
	if ordinal {
		cols = append(cols, outcol{name: "ordinality", out: "ordinality", t: types.Of(types.Int8), ref: -1})
		sql += ", " + b.ordinals(e)
	}
	return cols, sql
}

// ordinals numbers the rows of a set-returning expression. Two sets in one
// SELECT list advance together.
func (b *queryBinder) ordinals(e expr) string {
	if e.list != "" {
		return "unnest(generate_series(1, len(" + e.list + "))) AS " + enginesql.Quote("ordinality")
	}
	return "CAST(1 AS BIGINT) AS " + enginesql.Quote("ordinality")
}

// unnestArrays is unnest of several arrays, which FROM alone has (PostgreSQL
// manual 7.2.1.4): a column for each, the shorter ones filled up with NULL, as
// the engine does with several sets in one SELECT list.
func (b *queryBinder) unnestArrays(call *pg.FuncCall, ordinal bool, l *level) ([]outcol, string) {
	args := b.args(call.Args, l)
	var cols []outcol
	var parts, lengths []string
	for i, a := range args {
		a = flat(a)
		elem, ok := a.t.Elem()
		switch {
		case a.t.OID == types.Unknown:
			b.fail(pgerr.New("42725", "function unnest(unknown) is not unique").
				WithHint("Could not choose a best candidate function. You might need to add explicit type casts."), call.Location)
		case !ok:
			b.noFunction("unnest", []expr{a}, call.Location)
		}
		out := "ontosql v" + strconv.Itoa(i+1)
		cols = append(cols, outcol{name: "unnest", out: out, t: elem, ref: -1})
		parts = append(parts, "unnest("+a.sql+") AS "+enginesql.Quote(out))
		lengths = append(lengths, "coalesce(len("+a.sql+"), 0)")
	}
	if ordinal {
		cols = append(cols, outcol{name: "ordinality", out: "ordinality", t: types.Of(types.Int8), ref: -1})
		parts = append(parts, "unnest(generate_series(1, greatest("+strings.Join(lengths, ", ")+"))) AS "+enginesql.Quote("ordinality"))
	}
	return cols, "SELECT " + strings.Join(parts, ", ")
}

// expandArray is information_schema._pg_expandarray: the elements x and their
// numbers n.
func (b *queryBinder) expandArray(call *pg.FuncCall, l *level) ([]outcol, string) {
	args := b.args(call.Args, l)
	if len(args) != 1 || !args[0].t.IsArray() {
		b.fail(pgerr.New(pgerr.UndefinedFunction, "function _pg_expandarray(%s) does not exist", argTypes(args)), call.Location)
	}
	args[0] = flat(args[0])
	elem, _ := args[0].t.Elem()
	cols := []outcol{{name: "x", out: "x", t: elem, ref: -1}, {name: "n", out: "n", t: types.Of(types.Int4), ref: -1}}
	return cols, "SELECT unnest(" + args[0].sql + ") AS x, CAST(unnest(generate_series(1, len(" + args[0].sql + "))) AS INTEGER) AS n"
}
