package rewrite

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// parameterNames lists the functions whose parameters have names, with the defaults of
// those that may be missing (pg_proc.proargnames). make_interval has a file of its own.
var parameterNames = map[string][]parameterName{}

type parameterName struct{ name, otherwise string }

func init() {
	const path = "(target, path, vars = {}, silent = false)"
	for _, line := range strings.Split(`make_date(year, month, day)
make_time(hour, min, sec)
make_timestamp(year, month, mday, hour, min, sec)
make_timestamptz(year, month, mday, hour, min, sec, timezone)
parse_ident(str, strict = true)
jsonb_set(jsonb_in, path, replacement, create_if_missing = true)
jsonb_set_lax(jsonb_in, path, replacement, create_if_missing = true, null_value_treatment = use_json_null)
jsonb_insert(jsonb_in, path, replacement, insert_after = false)
jsonb_path_exists`+path+`
jsonb_path_match`+path+`
jsonb_path_query`+path+`
jsonb_path_query_array`+path+`
jsonb_path_query_first`+path, "\n") {
		name, list, _ := strings.Cut(strings.TrimSuffix(line, ")"), "(")
		for _, p := range strings.Split(list, ", ") {
			as, otherwise, _ := strings.Cut(p, " = ")
			parameterNames[name] = append(parameterNames[name], parameterName{as, otherwise})
		}
	}
}

// inPlace is a call with its named arguments where they belong, and the defaults of those
// before the last one that is given.
func (b *binder) inPlace(name string, n *pg.FuncCall, l *level) *pg.FuncCall {
	first := slices.IndexFunc(n.Args, hasName)
	if first < 0 {
		return n
	}
	names := parameterNames[name]
	placed := make([]*pg.Node, max(len(names), len(n.Args)))
	copy(placed, n.Args[:first])
	last := first
	for i, arg := range n.Args[first:] {
		named := arg.GetNamedArgExpr()
		if named == nil {
			b.fail(pgerr.New(pgerr.SyntaxError, "positional argument cannot follow named argument"), location(arg))
		}
		for _, earlier := range n.Args[first : first+i] {
			if earlier.GetNamedArgExpr().Name == named.Name {
				b.fail(pgerr.New(pgerr.SyntaxError, "argument name %q used more than once", named.Name), named.Location)
			}
		}
		at := slices.IndexFunc(names, func(p parameterName) bool { return p.name == named.Name })
		if at < first {
			b.noNamedFunction(n, l)
		}
		placed[at] = named.Arg
		last = max(last, at+1)
	}
	for i := range placed[:last] {
		if placed[i] == nil && names[i].otherwise == "" {
			b.noNamedFunction(n, l)
		}
		if placed[i] == nil {
			placed[i] = pg.MakeAConstStrNode(names[i].otherwise, -1)
		}
	}
	return &pg.FuncCall{
		Funcname: n.Funcname, Args: placed[:last], AggOrder: n.AggOrder, AggFilter: n.AggFilter, Over: n.Over, AggWithinGroup: n.AggWithinGroup,
		AggStar: n.AggStar, AggDistinct: n.AggDistinct, FuncVariadic: n.FuncVariadic, Funcformat: n.Funcformat, Location: n.Location,
	}
}

// noNamedFunction says that no function has parameters of those names.
func (b *binder) noNamedFunction(n *pg.FuncCall, l *level) {
	parts := make([]string, len(n.Args))
	for i, arg := range n.Args {
		if named := arg.GetNamedArgExpr(); named != nil {
			parts[i] = named.Name + " => "
			arg = named.Arg
		}
		parts[i] += t(b.expr(arg, l).t.oid).String()
	}
	b.fail(pgerr.New(pgerr.UndefinedFunction, "function %s(%s) does not exist", strings.Join(strs(n.Funcname), "."), strings.Join(parts, ", ")).WithHint(noFunctionHint), n.Location)
}
