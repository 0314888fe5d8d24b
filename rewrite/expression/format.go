package expression

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/casts"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
	pg "github.com/pganalyze/pg_query_go/v6"
)

// textOfAll is format, and concat and concat_ws of an array: functions of any
// number of arguments of any types, as PostgreSQL prints them.
func (b *Binder) textOfAll(name string, n *pg.FuncCall, l *scope.Level) (scope.Expr, bool) {
	if name != "format" && !n.FuncVariadic {
		return scope.Expr{}, false
	}
	args := b.Args(n.Args, l)
	fixed := map[string]int{"format": 1, "concat_ws": 1}[name]
	if len(args) < fixed || n.FuncVariadic && len(args) == fixed {
		b.UndefinedFunction(name, args, n.Location)
	}
	out := scope.Expr{Type: types.Of(types.Text), Location: n.Location, HasAggs: coercion.AnyHasAggs(args)}
	for i := range args {
		if i < fixed {
			args[i] = b.Coerce(args[i], types.Of(types.Text), types.ImplicitCast)
		} else {
			args[i] = b.DefaultToText(args[i])
		}
	}
	texts := b.printed(args[fixed:], n.FuncVariadic, n)
	switch name {
	case "format":
		out.SQL = "ontosql_format(" + args[0].SQL + ", " + texts + ")"
	case "concat":
		out.SQL = enginesql.Macro("concat_list") + "(" + texts + ", '')"
	default:
		out.SQL = enginesql.Macro("concat_list") + "(" + texts + ", " + args[0].SQL + ")"
	}
	return out, true
}

// printed is a list of arguments as texts. The last one may be an array of them.
func (b *Binder) printed(args []scope.Expr, variadic bool, n *pg.FuncCall) string {
	rest := ""
	if variadic {
		last := coercion.Flatten(args[len(args)-1])
		elem, ok := last.Type.Elem()
		if !ok {
			b.Fail(pgerr.New(pgerr.DatatypeMismatch, "VARIADIC argument must be an array"), syntax.Location(n.Args[len(n.Args)-1]))
		}
		args = args[:len(args)-1]
		rest = "list_transform(" + last.SQL + ", lambda item: " + casts.ToOutput("item", elem) + ")"
	}
	if len(args) == 0 && rest != "" {
		return rest
	}
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = a.Output()
	}
	list := "CAST([" + strings.Join(parts, ", ") + "] AS VARCHAR[])"
	if rest != "" {
		list = "list_concat(" + list + ", " + rest + ")"
	}
	return list
}
