package expression

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// variadicCall is f(x, VARIADIC array) of what is neither format nor concat.
func (b *Binder) variadicCall(name string, n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if !n.FuncVariadic || name == "format" || strings.HasPrefix(name, "concat") {
		return scope.Expr{}, false
	}
	args := b.Args(n.Args, l)
	if strings.Contains(name, "_extract_path") {
		return b.pathArray(name, args, n), true
	}
	if len(args) > 1 {
		b.Unsupported(n.Location, "VARIADIC beside other arguments is not supported")
	}
	list := coercion.Flatten(args[0])
	elem, ok := list.Type.Elem()
	if !ok {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "VARIADIC argument must be an array"), syntax.Location(n.Args[0]))
	}
	out := scope.Expr{Type: types.Of(types.Int4), HasAggs: list.HasAggs, Location: n.Location}
	switch {
	case name == "num_nulls":
		out.SQL = "CAST(len(list_filter(" + list.SQL + ", lambda item: item IS NULL)) AS INTEGER)"
	case name == "num_nonnulls":
		out.SQL = "CAST(len(list_filter(" + list.SQL + ", lambda item: item IS NOT NULL)) AS INTEGER)"
	default:
		out.Type = types.Of(madeBy(name))
		out.SQL = builtOfList(name, list.SQL, elem)
	}
	return out, true
}

// pathArray is json_extract_path of an array, the operators #> and #>>.
func (b *Binder) pathArray(name string, args []scope.Expr, n *pg.FuncCall) scope.Expr {
	op := "#>"
	if strings.HasSuffix(name, "_text") {
		op = "#>>"
	}
	path := types.ArrayOf(types.Of(types.Text))
	if len(args) != 2 || !types.Implicit(args[0].Type.OID, madeBy(name)) || !types.Implicit(args[1].Type.OID, path.OID) {
		b.UndefinedFunction(name, args, n.Location)
	}
	args[0] = b.Coerce(args[0], types.Of(madeBy(name)), types.ImplicitCast)
	args[1] = b.Coerce(args[1], path, types.ImplicitCast)
	return b.Operate(op, args, n.Location)
}

// builtOfList is json_build_array or json_build_object of the elements of a list.
func builtOfList(name, list string, elem types.Type) string {
	text := func(value string) string { return jsonText(scope.Expr{SQL: value, Type: elem}, madeBy(name)) }
	if strings.HasSuffix(name, "_array") {
		return enginesql.Macro("json_listed_by") + "(list_transform(" + list + ", lambda item: " + text("item") + "), ', ')"
	}
	members := "list_transform(range(1, len(" + list + ") + 1, 2), lambda i: " +
		enginesql.Macro(keyMacro(name)) + "(" + jsonScalar(list+"[i]", elem) + ", i) || ' : ' || " + text(list+"[i + 1]") + ")"
	object := "'{' || coalesce(array_to_string(" + members + ", ', '), '') || '}'"
	if madeBy(name) == types.JSONB {
		object = lastNamed(object)
	}
	return "CASE WHEN len(" + list + ") % 2 = 1 THEN error('[22023] argument list must have even number of elements' || chr(31) || chr(31) || chr(31) || 'The arguments of " + name + "() must consist of alternating keys and values.') " +
		"WHEN " + list + " IS NOT NULL THEN CAST(" + object + " AS JSON) END"
}
