package expression

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// namedTable lists the arguments of functions that have names, with what stands for one
// that is left out before another one.
const namedTable = `
make_date year month day
make_time hour min sec
make_timestamp year month mday hour min sec
make_timestamptz year month mday hour min sec timezone
parse_ident str strict=true
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

// positionalArgs is a call whose arguments stand in their places, without names.
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
