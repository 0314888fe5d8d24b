package dml

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// delete resolves a DELETE: the target joined with USING. The rows of the answer are the old
// ones, which RETURNING shows.
func (w *builder) delete(b *query.Binder, n *pg.DeleteStmt) {
	above, ctes := w.joined(b, n.WithClause, n.Relation, n.UsingClause, n.WhereClause)
	w.result(b, n.ReturningList, &scope.Level{CTEs: ctes, Namespace: w.returningNamespace(b, n.Relation.Alias, above, false)})
	for i := range w.target.Columns {
		w.set(i, b.ColumnExpr(w.old.Columns[i], -1, nil).SQL)
	}
	w.actions = []Action{{Kind: Deletes}}
}
