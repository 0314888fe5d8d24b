package expression

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/jsontext"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// namedTable lists the arguments of functions with named arguments, and the value of an
// argument that is omitted before another one.
const namedTable = `
make_date year month day
make_time hour min sec
make_timestamp year month mday hour min sec
make_timestamptz year month mday hour min sec timezone
parse_ident str strict=true
enqueue type payload namespace=default priority=100 parent
jsonb_set jsonb_in path replacement create_if_missing=true
jsonb_set_lax jsonb_in path replacement create_if_missing=true null_value_treatment=use_json_null
jsonb_insert jsonb_in path replacement insert_after=false
jsonb_path_exists target path vars={} silent=false
jsonb_path_match target path vars={} silent=false
jsonb_path_query target path vars={} silent=false
jsonb_path_query_array target path vars={} silent=false
jsonb_path_query_first target path vars={} silent=false
jsonb_path_exists_tz target path vars={} silent=false
jsonb_path_match_tz target path vars={} silent=false
jsonb_path_query_tz target path vars={} silent=false
jsonb_path_query_array_tz target path vars={} silent=false
jsonb_path_query_first_tz target path vars={} silent=false
`

var namedArguments = parseNamedArguments()

func parseNamedArguments() map[string][]string {
	all := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(namedTable), "\n") {
		words := strings.Fields(line)
		all[words[0]] = words[1:]
	}
	return all
}

// positionalArgs returns a call whose arguments are in their positions, without names.
func (b *Binder) positionalArgs(name string, n *pg.FuncCall, l *scope.Level) *pg.FuncCall {
	first := slices.IndexFunc(n.Args, isNamedArg)
	if first < 0 || name == "make_interval" {
		return n
	}
	names := namedArguments[name]
	args := make([]*pg.Node, max(len(names), first))
	copy(args, n.Args[:first])
	seen := map[string]bool{}
	for _, a := range n.Args[first:] {
		x := a.GetNamedArgExpr()
		if x == nil {
			b.Fail(pgerr.New(pgerr.SyntaxError, "positional argument cannot follow named argument"), syntax.Location(a))
		}
		if seen[x.Name] {
			b.Fail(pgerr.New(pgerr.SyntaxError, "argument name %q used more than once", x.Name), x.Location)
		}
		seen[x.Name] = true
		at := slices.IndexFunc(names, func(word string) bool { return argumentName(word) == x.Name })
		if at < first {
			b.noNamedFunction(n, l)
		}
		args[at] = x.Arg
	}
	for len(args) > 0 && args[len(args)-1] == nil {
		args = args[:len(args)-1]
	}
	for i := range args {
		if _, instead, ok := strings.Cut(names[i], "="); args[i] == nil && ok {
			args[i] = pg.MakeAConstStrNode(instead, n.Location)
		} else if args[i] == nil {
			b.noNamedFunction(n, l)
		}
	}
	return &pg.FuncCall{
		Funcname: n.Funcname, Args: args, AggOrder: n.AggOrder, AggFilter: n.AggFilter, Over: n.Over, AggWithinGroup: n.AggWithinGroup,
		AggStar: n.AggStar, AggDistinct: n.AggDistinct, FuncVariadic: n.FuncVariadic, Funcformat: n.Funcformat, Location: n.Location,
	}
}

func argumentName(word string) string {
	name, _, _ := strings.Cut(word, "=")
	return name
}

// noNamedFunction is UndefinedFunction with the names of the arguments.
func (b *Binder) noNamedFunction(n *pg.FuncCall, l *scope.Level) {
	typs := make([]string, len(n.Args))
	for i, a := range n.Args {
		before := ""
		if x := a.GetNamedArgExpr(); x != nil {
			before, a = x.Name+" => ", x.Arg
		}
		typs[i] = before + coercion.ArgTypes([]scope.Expr{b.Expr(a, l)})
	}
	b.Fail(pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", strings.Join(syntax.Strings(n.Funcname), "."), strings.Join(typs, ", ")).
		WithHint(functions.NoFunctionHint), n.Location)
}

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
		out.Type = types.Of(jsontext.MadeBy(name))
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
	if len(args) != 2 || !types.Implicit(args[0].Type.OID, jsontext.MadeBy(name)) || !types.Implicit(args[1].Type.OID, path.OID) {
		b.UndefinedFunction(name, args, n.Location)
	}
	args[0] = b.Coerce(args[0], types.Of(jsontext.MadeBy(name)), types.ImplicitCast)
	args[1] = b.Coerce(args[1], path, types.ImplicitCast)
	return b.Operate(op, args, n.Location)
}

// builtOfList is json_build_array or json_build_object of the elements of a list.
func builtOfList(name, list string, elem types.Type) string {
	text := func(value string) string {
		return jsontext.Member(scope.Expr{SQL: value, Type: elem}, jsontext.MadeBy(name))
	}
	if strings.HasSuffix(name, "_array") {
		return enginesql.Macro("json_listed_by") + "(list_transform(" + list + ", lambda item: " + text("item") + "), ', ')"
	}
	members := "list_transform(range(1, len(" + list + ") + 1, 2), lambda i: " +
		enginesql.Macro(jsontext.KeyMacro(name)) + "(" + jsontext.Scalar(list+"[i]", elem) + ", i) || ' : ' || " + text(list+"[i + 1]") + ")"
	object := "'{' || coalesce(array_to_string(" + members + ", ', '), '') || '}'"
	if jsontext.MadeBy(name) == types.JSONB {
		object = jsontext.LastNamed(object)
	}
	return "CASE WHEN len(" + list + ") % 2 = 1 THEN error('[22023] argument list must have even number of elements' || chr(31) || chr(31) || chr(31) || 'The arguments of " + name + "() must consist of alternating keys and values.') " +
		"WHEN " + list + " IS NOT NULL THEN CAST(" + object + " AS JSON) END"
}

func isNamedArg(arg *pg.Node) bool { return arg.GetNamedArgExpr() != nil }

// checkArgumentLimit refuses lists of arguments that no function takes.
func (b *Binder) checkArgumentLimit(name string, n *pg.FuncCall, l *scope.Level) {
	if n.FuncVariadic && !functions.TakesArray[name] {
		b.Unsupported(n.Location, "VARIADIC is not supported")
	}
	if len(n.Args) > mostArguments {
		b.Args(n.Args, l) // whose errors come first
		b.Fail(pgerr.New(pgerr.TooManyArguments, "cannot pass more than %d arguments to a function", mostArguments), n.Location)
	}
}

// callArgs are the arguments of a call, of an aggregate's or of another function's.
func (b *Binder) callArgs(n *pg.FuncCall, isAgg bool, l *scope.Level) []scope.Expr {
	if isAgg && n.Over == nil {
		b.enterAggregate(n, l)
		b.refuseWindows(n)
		inner := *l
		inner.InAggregate, inner.Grouped = true, nil
		return b.Args(n.Args, &inner)
	}
	within := l.WindowRefusal
	if n.Over != nil {
		l.WindowRefusal = "window function calls cannot be nested"
	}
	args := b.Args(n.Args, l)
	l.WindowRefusal = within
	return args
}

// Args resolves the arguments of a call.
func (b *Binder) Args(nodes []*pg.Node, l *scope.Level) []scope.Expr {
	out := make([]scope.Expr, 0, len(nodes))
	for _, a := range nodes {
		out = append(out, b.Expr(a, l))
	}
	return out
}
