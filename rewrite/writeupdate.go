package rewrite

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// update resolves an UPDATE: the target joined with FROM.
func (w *write) update(b *queryBinder, n *pg.UpdateStmt) {
	var ctes *cteScope
	w.with, ctes = b.with(n.WithClause, nil, nil)
	w.found = newLayer(b, "found")
	stored, target := b.reference(w.at, n.Relation.Alias, n.Relation.Location)
	below := &level{parent: &level{hidden: target.rels}, ctes: ctes} // what stands in FROM does not see the target
	w.found.from = " FROM " + stored
	if w.once = len(n.FromClause) == 0; !w.once {
		w.found.from += ", " + b.from(n.FromClause, below)
	}
	beside := below.ns
	below.ns = target
	below.ns.add(b.nameBinder, beside, -1)
	if n.WhereClause != nil {
		if n.WhereClause.GetCurrentOfExpr() != nil {
			b.unsupported(-1, "WHERE CURRENT OF is not supported")
		}
		w.found.from += " WHERE " + b.condition(n.WhereClause, below, "WHERE").sql
		b.collectBounds(n.WhereClause, below)
		w.sameAsKey(b, n.WhereClause, below)
	}
	above := w.found.above(below.ns)
	old := above.rels[0]
	w.answer(b, n.Relation, target.rels[0])
	w.result(b, n.ReturningList, &level{ctes: ctes, ns: w.beside(b, n.Relation.Alias, above, false)})
	set := setter{w: w, l: &level{ns: above, ctes: ctes, clause: "UPDATE"}, below: below, old: old}.set(b, n.TargetList)
	for i, c := range w.target.Columns {
		value := nullOf(c.Type)
		if asked(set, i, n.ReturningList) {
			value = w.kept(b, set, old, i)
		}
		w.set(i, value)
	}
	w.actions = []Action{{Kind: Updates, Assigned: w.assigned(set)}}
}

// beside is what RETURNING names: the new rows in the place of the stored ones,
// which are the first of found, and the relations they were joined with, before
// or behind.
func (w *write) beside(b *queryBinder, alias *pg.Alias, found namespace, before bool) namespace {
	rows := w.newRows(b, alias)
	others := othersThanFirst(found)
	if len(others.rels) == 0 {
		return rows
	}
	others = w.fresh.above(others)
	if before {
		rows, others = others, rows
	}
	rows.add(b.nameBinder, others, -1)
	return rows
}

// othersThanFirst is a namespace without its first relation.
func othersThanFirst(ns namespace) namespace {
	first := ns.rels[0]
	ns.rels = slices.Clone(ns.rels[1:])
	ns.names = slices.DeleteFunc(slices.Clone(ns.names), func(f *field) bool { return f.rel == first })
	return ns
}
