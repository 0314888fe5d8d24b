package rewrite

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// lockComputed is a function of advisory locks of what the statement computes, not of
// its rows: the engine looks at many of them before it knows which ones it needs. It has
// ontosql_advisory for that: of the session, the function's name and its keys.
func (b *exprBinder) lockComputed(n *pg.FuncCall, l *scope.Level) scope.Expr {
	names := syntax.Strings(n.Funcname)
	name := names[len(names)-1]
	if slices.ContainsFunc(n.Args, func(a *pg.Node) bool { return firstColumn(a) != nil }) {
		b.Unsupported(n.Location, "%s of columns is not supported", name)
	}
	keys := []uint32{types.Int8}
	if len(n.Args) == 2 {
		keys = []uint32{types.Int4, types.Int4}
	}
	args := b.ofTypes(n, l, keys...)
	values := []string{"0"}
	for _, a := range args {
		values = append(values, "CAST("+a.SQL+" AS BIGINT)")
	}
	own := b.sessionValue("ontosql.session", nil, types.Int8)
	call := "ontosql_advisory(" + own.SQL + ", " + enginesql.Literal(name) + ", " + strconv.Itoa(len(args)) + ", " + strings.Join(values[len(values)-2:], ", ") + ")"
	oid := functions.SessionResults[name]
	sql := "(" + call + " <> 0)"
	if oid == types.Void {
		sql = "CASE WHEN " + call + " IS NOT NULL THEN '' END"
	}
	return scope.Expr{SQL: sql, Type: types.Of(oid), HasAggs: anyAgg(args), Location: n.Location}
}
