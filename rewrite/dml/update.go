package dml

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// update resolves an UPDATE: the target joined with FROM.
func (w *builder) update(b *query.Binder, n *pg.UpdateStmt) {
	above, ctes := w.joined(b, n.WithClause, n.Relation, n.FromClause, n.WhereClause)
	w.checkViews(b, n.Relation)
	w.result(b, n.ReturningList, &scope.Level{CTEs: ctes, Namespace: w.returningNamespace(b, n.Relation.Alias, above, false)})
	set := setter{w: w, l: &scope.Level{Namespace: above, CTEs: ctes, Clause: "UPDATE"}, below: w.below, old: w.old, seen: above.Ranges[0]}.set(b, n.TargetList)
	w.assignments = set
	for i, c := range w.target.Columns {
		value := coercion.NullOf(c.Type)
		if w.storesWholeRows() || w.needsUpdatedValue(set, i, n.ReturningList) {
			value = w.updatedValue(b, set, w.old, i)
		}
		w.set(i, value)
	}
	w.actions = []Action{{Kind: Updates, Assigned: w.assigned(set)}}
}

// joined resolves what an UPDATE or DELETE does with the target: it is joined with the items
// of FROM or USING, and WHERE chooses the rows. It returns the relations above found, the
// target first.
func (w *builder) joined(b *query.Binder, with *pg.WithClause, target *pg.RangeVar, items []*pg.Node, where *pg.Node) (above scope.Namespace, ctes *scope.CTE) {
	w.with, ctes = b.WithClause(with, nil, nil)
	w.found = newLayer(b, "found")
	stored, rows := w.reference(b, target)
	below := &scope.Level{Parent: &scope.Level{Hidden: rows.Ranges}, CTEs: ctes} // items of FROM do not see the target
	w.found.from = " FROM " + stored
	if w.once = len(items) == 0; !w.once {
		w.found.from += ", " + b.FromClause(items, below)
	}
	others := below.Namespace
	below.Namespace = rows
	below.Namespace.Add(b.State, others)
	conditions := w.filters
	if where != nil {
		if where.GetCurrentOfExpr() != nil {
			b.Unsupported(-1, "WHERE CURRENT OF is not supported")
		}
		conditions = append(conditions, b.Condition(where, below, "WHERE").SQL)
		b.CollectBounds(where, below)
		w.collectKeyEqualities(b, where, below)
	}
	if w.once && where != nil && w.target.Kind == scope.TypeTable && len(w.views) == 0 {
		w.byKey.keys, w.byKey.rest, w.byKey.known = b.KeyConditions(where, w.at, below)
	}
	if len(conditions) == 1 {
		w.found.from += " WHERE " + conditions[0]
	} else if len(conditions) > 1 {
		w.found.from += " WHERE (" + strings.Join(conditions, ") AND (") + ")"
	}
	above = w.found.above(below.Namespace)
	w.below, w.old, w.sources = below, above.Ranges[0], rows.Ranges
	if len(w.views) == 0 {
		w.stored = rows.Ranges[0]
	} else {
		w.old = w.found.above(scope.Namespace{Ranges: []*scope.RangeEntry{w.stored}, Columns: w.stored.Columns}).Ranges[0]
	}
	w.addResultColumns(b, target, w.stored)
	return above, ctes
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
