package dml

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// update resolves an UPDATE: the target joined with FROM.
func (w *builder) update(b *query.Binder, n *pg.UpdateStmt) {
	var ctes *scope.CTE
	w.with, ctes = b.WithClause(n.WithClause, nil, nil)
	w.found = newLayer(b, "found")
	stored, target := b.Reference(w.at, n.Relation.Alias, n.Relation.Location)
	below := &scope.Level{Parent: &scope.Level{Hidden: target.Ranges}, CTEs: ctes} // items of FROM do not see the target
	w.found.from = " FROM " + stored
	if w.once = len(n.FromClause) == 0; !w.once {
		w.found.from += ", " + b.FromClause(n.FromClause, below)
	}
	others := below.Namespace
	below.Namespace = target
	below.Namespace.Add(b.State, others)
	if n.WhereClause != nil {
		if n.WhereClause.GetCurrentOfExpr() != nil {
			b.Unsupported(-1, "WHERE CURRENT OF is not supported")
		}
		w.found.from += " WHERE " + b.Condition(n.WhereClause, below, "WHERE").SQL
		b.CollectBounds(n.WhereClause, below)
		w.collectKeyEqualities(b, n.WhereClause, below)
	}
	above := w.found.above(below.Namespace)
	old := above.Ranges[0]
	w.addResultColumns(b, n.Relation, target.Ranges[0])
	w.result(b, n.ReturningList, &scope.Level{CTEs: ctes, Namespace: w.returningNamespace(b, n.Relation.Alias, above, false)})
	set := setter{w: w, l: &scope.Level{Namespace: above, CTEs: ctes, Clause: "UPDATE"}, below: below, old: old}.set(b, n.TargetList)
	for i, c := range w.target.Columns {
		value := coercion.NullOf(c.Type)
		if needsUpdatedValue(set, i, n.ReturningList) {
			value = w.updatedValue(b, set, old, i)
		}
		w.set(i, value)
	}
	w.actions = []Action{{Kind: Updates, Assigned: w.assigned(set)}}
}

// returningNamespace is what RETURNING names: the new rows in the place of the stored ones,
// which are the first of found, and the relations they were joined with, before
// or behind.
func (w *builder) returningNamespace(b *query.Binder, alias *pg.Alias, found scope.Namespace, before bool) scope.Namespace {
	rows := w.newRows(b, alias)
	others := othersThanFirst(found)
	if len(others.Ranges) == 0 {
		return rows
	}
	others = w.fresh.above(others)
	if before {
		rows, others = others, rows
	}
	rows.Add(b.State, others)
	return rows
}

// othersThanFirst is a namespace without its first relation.
func othersThanFirst(ns scope.Namespace) scope.Namespace {
	first := ns.Ranges[0]
	ns.Ranges = slices.Clone(ns.Ranges[1:])
	ns.Columns = slices.DeleteFunc(slices.Clone(ns.Columns), func(f *scope.Column) bool { return f.Range == first })
	return ns
}
