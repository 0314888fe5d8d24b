package query

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// outerJoin is a join in parts.
type outerJoin struct {
	left, right, cond string
	outer             bool // the condition is correlated with an outer query
}

// outerJoinCondition prints an outer join with a condition that the engine refuses: one with a
// subquery, one that is correlated with an outer query, and any but a comparison of the sides
// if one is LATERAL. The nullable side becomes a LATERAL query with the condition. ok is false
// for any other join.
func (b *Binder) outerJoinCondition(n *pg.JoinExpr, j outerJoin, lns, rns scope.Namespace) (sql string, ok bool) {
	if n.Quals == nil || n.Jointype == pg.JoinType_JOIN_INNER {
		return "", false
	}
	link := firstSubLink(n.Quals)
	lateral := strings.HasPrefix(j.right, "LATERAL ") && j.cond != "TRUE"
	if link == nil && !j.outer && !lateral {
		return "", false
	}
	what, loc := "a column of an outer query", syntax.Location(n.Quals)
	if link != nil {
		what, loc = "a subquery", link.Location
	}
	if n.Jointype == pg.JoinType_JOIN_FULL {
		b.Unsupported(loc, "%s in the condition of a FULL JOIN is not supported", what)
	}
	if n.Jointype == pg.JoinType_JOIN_RIGHT {
		j.left, j.right, rns = j.right, j.left, lns
	}
	right := strings.TrimPrefix(j.right, "LATERAL ")
	alias, columns := "", "*"
	if len(rns.Ranges) == 1 && rns.Ranges[0].EngineAlias != "" {
		alias = rns.Ranges[0].EngineAlias
	} else {
		alias = b.UniqueAlias("joined")
		columns = b.outputsOf(rns, alias)
	}
	return j.left + " LEFT JOIN LATERAL (SELECT " + columns + " FROM " + right + " WHERE " + j.cond + ") AS " + enginesql.Quote(alias) + " ON TRUE", true
}

// outputsOf makes the columns of several relations those of one query, of which the alias
// is given, and lists them.
func (b *Binder) outputsOf(ns scope.Namespace, alias string) string {
	fields := slices.Clone(ns.Columns)
	for _, r := range ns.Ranges {
		fields = append(fields, r.Columns...)
		r.SystemColumns = nil
	}
	var list []string
	as := map[string]string{}
	output := func(sql string) string {
		if as[sql] == "" {
			name := enginesql.Quote("c" + strconv.Itoa(len(list)+1))
			list = append(list, sql+" AS "+name)
			out := enginesql.Quote(alias) + "." + name
			as[sql], as[out] = out, out
		}
		return as[sql]
	}
	for _, f := range fields {
		b.ColumnExpr(f, -1, nil)
		if f.SQL = output(f.SQL); f.Printed != "" {
			f.Printed = output(f.Printed)
		}
	}
	return strings.Join(list, ", ")
}

// firstSubLink finds a query within an expression, nil for none.
func firstSubLink(n *pg.Node) *pg.SubLink {
	var found *pg.SubLink
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		if s, ok := m.(*pg.SubLink); ok && found == nil {
			found = s
		}
		return found == nil
	})
	return found
}
