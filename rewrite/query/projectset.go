package query

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
)

// projectSets prepares a SELECT whose set-returning functions PostgreSQL runs behind
// ORDER BY and DISTINCT ON, as these do not name them: the elements of a row then come
// one after the other, and DISTINCT ON counts the row once. The rows with their lists
// are a query of their own, and the lists are expanded around it.
func (b *Binder) projectSets(s *pg.SelectStmt, q *SelectQuery) {
	sets := 0
	for _, tg := range q.TargetList {
		if tg.Expr.ReturnsSet {
			sets++
		}
		if strings.HasPrefix(tg.Expr.List, expression.NestedListFunction) && slices.ContainsFunc(q.TargetList, func(o targetEntry) bool { return o.Expr.ReturnsSet && o.Expr.SQL != tg.Expr.SQL }) {
			b.Unsupported(tg.Expr.Location, "a set-returning function within another one beside a third is not supported")
		}
	}
	if sets > 0 && !q.bySet && q.ties == nil && (len(s.SortClause) > 0 || strings.HasPrefix(q.distinct, "DISTINCT ON")) {
		q.alias = b.UniqueAlias("rows")
	}
}

// projectSetsLate is the text of such a query; ok is false where the lists are not known
// apart from what is made of their elements.
func (q *SelectQuery) projectSetsLate() (text string, ok bool) {
	if q.alias == "" {
		return "", false
	}
	sets := slices.DeleteFunc(slices.Clone(q.TargetList), func(tg targetEntry) bool { return !tg.Expr.ReturnsSet })
	within, around := make([]string, len(q.TargetList)), make([]string, len(q.TargetList))
	for i, tg := range q.TargetList {
		out := enginesql.Quote(tg.EngineName)
		value := tg.Expr.SQL
		around[i] = enginesql.Quote(q.alias) + "." + out
		if tg.Expr.ReturnsSet {
			element := "unnest(" + tg.Expr.List + ")"
			switch {
			case tg.Expr.List == "":
				return "", false
			case value == element:
				value = tg.Expr.List
			case len(sets) == 1 && strings.Count(value, element) == 1: // else the shorter ones end in what is made of NULL
				value = "list_transform(" + tg.Expr.List + ", lambda given_row: " + strings.Replace(value, element, "given_row", 1) + ")"
			default:
				return "", false
			}
			around[i] = "unnest(" + around[i] + ")"
		}
		within[i] = value + " AS " + out
		around[i] += " AS " + out
	}
	rows := "SELECT " + q.distinct + strings.Join(within, ", ") + q.rest
	return "SELECT " + strings.Join(around, ", ") + " FROM (" + rows + ") AS " + enginesql.Quote(q.alias) + q.limit, true
}
