package dml

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// insert resolves an INSERT.
func (w *builder) insert(b *query.Binder, n *pg.InsertStmt, conflict Conflict) {
	ctes := w.insertSource(b, n)
	w.actions = []Action{{Kind: Inserts, Assigned: w.insertion.assigned()}}
	l := &scope.Level{CTEs: ctes}
	if c := n.OnConflictClause; c != nil || conflict != ConflictError {
		l.Hidden = w.onConflict(b, n, conflict, ctes)
	} else {
		w.addResultColumns(b, n.Relation, nil)
		w.checkViews(b, n.Relation)
	}
	l.Namespace = w.newRows(b, n.Relation.Alias)
	w.result(b, n.ReturningList, l)
	subqueries := slices.ContainsFunc(n.ReturningList, hasSubquery)
	if w.checksViews() {
		subqueries = subqueries || slices.ContainsFunc(w.views, func(v *View) bool { return hasSubquery(v.Query.Node) })
	}
	if w.found == nil && subqueries {
		w.numbering = b.UniqueAlias("rows") // a subquery is a join to the engine
	}
}

// hasSubquery reports whether an expression or a query has one in it.
func hasSubquery(n *pg.Node) bool {
	return !syntax.Visit(n.ProtoReflect(), func(m any) bool {
		_, is := m.(*pg.SubLink)
		return !is
	})
}
