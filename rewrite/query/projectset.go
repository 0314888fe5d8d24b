package query

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/expression"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// projectSets prepares a SELECT whose set-returning functions PostgreSQL runs after ORDER BY
// and DISTINCT ON, because it is sorted and neither clause names them: the elements of a row
// then come one after the other, and DISTINCT ON counts the row once. The rows with their
// lists are a query of their own, and the lists are expanded around it. A SELECT that is not
// sorted expands the sets first, also for DISTINCT ON.
func (b *Binder) projectSets(s *pg.SelectStmt, q *SelectQuery) {
	sets := 0
	for _, tg := range q.TargetList {
		if tg.Expr.ReturnsSet {
			sets++
		}
		if strings.HasPrefix(tg.Expr.List, expression.NestedListFunction) && slices.ContainsFunc(q.TargetList, func(o targetEntry) bool { return o.Expr.ReturnsSet && o.Expr.List != tg.Expr.List }) {
			b.Unsupported(tg.Expr.Location, "a set-returning function within another one beside a third is not supported")
		}
	}
	if sets == 0 || q.bySet || len(s.SortClause) == 0 {
		return
	}
	for _, tg := range q.TargetList {
		if tg.Expr.ReturnsSet && tg.Expr.List == "" && strings.HasPrefix(q.distinct, "DISTINCT ON") {
			b.Unsupported(tg.Expr.Location, "several set-returning functions in one expression with DISTINCT ON and ORDER BY are not supported")
		}
	}
	q.alias = b.UniqueAlias("rows")
}

// projectSetsLate is the text of such a query; ok is false where the lists are not known
// apart from what is made of their elements.
func (q *SelectQuery) projectSetsLate() (text string, ok bool) {
	if q.alias == "" {
		return "", false
	}
	var lists []string
	for _, tg := range q.TargetList {
		if tg.Expr.ReturnsSet {
			lists = append(lists, tg.Expr.List)
		}
	}
	if slices.Contains(lists, "") {
		return "", false
	}
	within, around := make([]string, len(q.TargetList)), make([]string, len(q.TargetList))
	for i, tg := range q.TargetList {
		out := enginesql.Quote(tg.EngineName)
		value := tg.Expr.SQL
		around[i] = enginesql.Quote(q.alias) + "." + out
		if tg.Expr.ReturnsSet {
			value = listedValues(tg.Expr, lists)
			around[i] = "unnest(" + around[i] + ")"
		}
		within[i] = value + " AS " + out
		around[i] += " AS " + out
	}
	list := "SELECT " + q.distinct + strings.Join(within, ", ")
	if q.ties == nil {
		return "SELECT " + strings.Join(around, ", ") + " FROM (" + list + q.rest + ") AS " + enginesql.Quote(q.alias) + q.limit, true
	}
	rows := "SELECT " + strings.Join(append(around, q.ties.names()...), ", ") + " FROM (" + list + q.ties.outputs() + q.rest + ") AS " + enginesql.Quote(q.alias)
	return q.ties.text(rows, q.Columns()), true
}

// listedValues is the list of the values of e, an expression of the elements of its list. If
// another list is longer, the expression gets NULL for the missing elements.
func listedValues(e scope.Expr, lists []string) string {
	element, list := "unnest("+e.List+")", e.List
	if e.SQL == element {
		return list
	}
	if len(lists) > 1 {
		lengths := make([]string, len(lists))
		for i, l := range lists {
			lengths[i] = "len(" + l + ")"
		}
		list = "list_resize(coalesce(" + list + ", []), coalesce(greatest(" + strings.Join(lengths, ", ") + "), 0))"
	}
	return "list_transform(" + list + ", lambda given_row: " + strings.ReplaceAll(e.SQL, element, "given_row") + ")"
}
