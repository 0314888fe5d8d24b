package query

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// tableFunction is a function in FROM: a set-returning one of the table, or any
// other as a relation of one row. It is written as a subquery with the function
// in its SELECT list, which sees the items before it, as in PostgreSQL.
func (b *Binder) tableFunction(n *pg.RangeFunction, l *scope.Level, lateral scope.Namespace) (string, scope.Namespace) {
	items := n.Functions[0].GetList().GetItems()
	if len(n.Functions) > 1 {
		return b.rowsFrom(n, l, lateral)
	}
	if n.IsRowsfrom && items[1].GetList() != nil { // ROWS FROM (f() AS (a int))
		n.Coldeflist = items[1].GetList().Items
	}
	b.CountJoins(1, syntax.Location(items[0]))
	in := &scope.Level{Parent: &scope.Level{Parent: l.Parent, Namespace: lateral, CTEs: l.CTEs}, CTEs: l.CTEs, Clause: "functions in FROM", AllowsSets: n.Alias.GetAliasname() == groupedSetAlias}
	name := columnName(items[0])
	var cols []scope.OutputColumn
	var sql string
	if len(n.Coldeflist) > 0 || functions.ReturnsRecord[name] {
		cols, sql = b.recordRows(n, name, in)
	} else {
		cols, sql = b.functionRows(items[0], name, n.Ordinality, in)
	}
	r := &scope.RangeEntry{Alias: name, Ref: -1, Scalar: len(cols) == 1 && len(n.Coldeflist) == 0, MadeBy: "a function"}
	if len(cols) == 1+ordinality(n) && len(n.Coldeflist) == 0 {
		if own := functions.ResultColumn[name]; own != "" {
			cols[0].Name = own
		} else if n.Alias != nil && len(n.Alias.Colnames) == 0 {
			// One column takes the alias as its name (PostgreSQL manual 7.2.1.4).
			cols[0].Name = n.Alias.Aliasname
		}
	}
	words := ""
	if len(lateral.Ranges) > 0 && expression.FirstColumnRef(items[0]) != nil {
		words = "LATERAL "
	}
	if strings.Contains(sql, enginesql.EnqueueFunction) {
		if words != "" { // the engine calls it once for rows that are alike
			b.Fail(pgerr.Unsupported("%s() in FROM with columns of other FROM items is not supported", functions.Enqueue).
				WithHint("Write it into the list of a SELECT."), syntax.Location(items[0]))
		}
		for i := range cols {
			cols[i].Effect = true
		}
	}
	ns := b.output(r, cols, n.Alias, syntax.Location(items[0]))
	return words + "(" + sql + ") AS " + enginesql.Quote(r.EngineAlias), ns
}

func ordinality(n *pg.RangeFunction) int {
	if n.Ordinality {
		return 1
	}
	return 0
}

// functionRows prints the query of a function in FROM.
func (b *Binder) functionRows(n *pg.Node, name string, ordinal bool, l *scope.Level) ([]scope.OutputColumn, string) {
	if call := n.GetFuncCall(); call != nil {
		switch name {
		case "_pg_expandarray":
			return b.expandArray(call, l)
		case "unnest":
			if len(call.Args) > 1 {
				return b.unnestArrays(call, ordinal, l)
			}
		case "json_populate_record", "jsonb_populate_record", "json_populate_recordset", "jsonb_populate_recordset":
			b.Unsupported(call.Location, "%s is not supported", name)
		}
		if n := len(call.Funcname); n > 1 && call.Funcname[n-2].GetString_().GetSval() == "information_schema" {
			call.Funcname = call.Funcname[n-1:]
		}
	}
	// The engine takes "v"."id" for a field of a column v before it looks for a table v.
	out := "ontosql v"
	e := b.DefaultToText(b.Expr(n, l))
	cols := []scope.OutputColumn{{Name: name, EngineName: out, Type: e.Type, Ref: -1}}
	if types.RowFields(e.Type) != nil {
		return b.rowRows(e, ordinal)
	}
	if e.Row != nil {
		b.Unsupported(e.Location, "a row from a function in FROM is not supported")
	}
	sql := "SELECT " + e.SQL + " AS " + enginesql.Quote(out)
	if e.Printed != "" && coercion.IsNumeric(e.Type) {
		cols[0].TextColumn = textColumnName(0)
		sql += ", " + e.Printed + " AS " + enginesql.Quote(cols[0].TextColumn)
	}
	if e.SeriesArgs != nil && !ordinal {
		// As a table the engine counts it out; as a list it is made whole first, and
		// no cancel is heard meanwhile.
		if len(e.SeriesArgs) > 2 {
			e.SeriesArgs = slices.Clone(e.SeriesArgs)
			e.SeriesArgs[2].SQL = enginesql.Macro("series_step") + "(" + e.SeriesArgs[2].SQL + ")"
		}
		sql = "SELECT CAST(g.generate_series AS " + e.Type.EngineType() + ") AS " + enginesql.Quote(out) + " FROM generate_series(" + expression.JoinSQL(e.SeriesArgs) + ") AS g"
	}
	if ordinal {
		cols = append(cols, scope.OutputColumn{Name: "ordinality", EngineName: "ordinality", Type: types.Of(types.Int8), Ref: -1})
		sql += ", " + b.ordinals(e)
	}
	return cols, sql
}

// ordinals numbers the rows of a set-returning expression. Two sets in one
// SELECT list advance together.
func (b *Binder) ordinals(e scope.Expr) string {
	if e.List != "" {
		return "unnest(generate_series(1, len(" + e.List + "))) AS " + enginesql.Quote("ordinality")
	}
	return "CAST(1 AS BIGINT) AS " + enginesql.Quote("ordinality")
}

// unnestArrays is unnest of several arrays, which FROM alone has (PostgreSQL
// manual 7.2.1.4): a column for each, the shorter ones filled up with NULL, as
// the engine does with several sets in one SELECT list.
func (b *Binder) unnestArrays(call *pg.FuncCall, ordinal bool, l *scope.Level) ([]scope.OutputColumn, string) {
	args := b.Args(call.Args, l)
	var cols []scope.OutputColumn
	var parts, lengths []string
	for i, a := range args {
		a = coercion.Flatten(a)
		elem, ok := a.Type.Elem()
		switch {
		case a.Type.OID == types.Unknown:
			b.Fail(pgerr.New("42725", "function pg_catalog.unnest(unknown) is not unique").
				WithHint("Could not choose a best candidate function. You might need to add explicit type casts."), call.Location)
		case !ok:
			b.UndefinedFunction("pg_catalog.unnest", []scope.Expr{a}, call.Location)
		}
		out := "ontosql v" + strconv.Itoa(i+1)
		cols = append(cols, scope.OutputColumn{Name: "unnest", EngineName: out, Type: elem, Ref: -1})
		parts = append(parts, "unnest("+a.SQL+") AS "+enginesql.Quote(out))
		if a.Printed != "" {
			cols[i].TextColumn = textColumnName(i)
			parts = append(parts, "unnest("+a.Printed+") AS "+enginesql.Quote(cols[i].TextColumn))
		}
		lengths = append(lengths, "coalesce(len("+a.SQL+"), 0)")
	}
	if ordinal {
		cols = append(cols, scope.OutputColumn{Name: "ordinality", EngineName: "ordinality", Type: types.Of(types.Int8), Ref: -1})
		parts = append(parts, "unnest(generate_series(1, greatest("+strings.Join(lengths, ", ")+"))) AS "+enginesql.Quote("ordinality"))
	}
	return cols, "SELECT " + strings.Join(parts, ", ")
}

// expandArray is information_schema._pg_expandarray: the elements x and their
// numbers n.
func (b *Binder) expandArray(call *pg.FuncCall, l *scope.Level) ([]scope.OutputColumn, string) {
	args := b.Args(call.Args, l)
	if len(args) != 1 || !args[0].Type.IsArray() {
		b.Fail(pgerr.New(pgerr.UndefinedFunction, "function _pg_expandarray(%s) does not exist", coercion.ArgTypes(args)), call.Location)
	}
	args[0] = coercion.Flatten(args[0])
	elem, _ := args[0].Type.Elem()
	cols := []scope.OutputColumn{{Name: "x", EngineName: "x", Type: elem, Ref: -1}, {Name: "n", EngineName: "n", Type: types.Of(types.Int4), Ref: -1}}
	return cols, "SELECT unnest(" + args[0].SQL + ") AS x, CAST(unnest(generate_series(1, len(" + args[0].SQL + "))) AS INTEGER) AS n"
}

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
