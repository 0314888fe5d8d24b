package dml

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/coercion"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// excludedName is what the rows of an INSERT are called in ON CONFLICT.
const excludedName = "excluded"

// onConflict joins the rows of an INSERT with the stored versions of their keys,
// and returns what RETURNING cannot name.
func (w *builder) onConflict(b *query.Binder, n *pg.InsertStmt, conflict Conflict, ctes *scope.CTE) (hidden []*scope.RangeEntry) {
	c := n.OnConflictClause
	w.found = newLayer(b, "found")
	stored, ns := w.conflicting(b, n.Relation)
	old, proposed := ns.Ranges[0], w.proposed(b)
	both := together(old, proposed)
	named := both // as the statement names them: of a view what that shows of the rows
	if len(w.views) > 0 {
		named = together(w.seen(b, old, n.Relation.Alias, nil).Ranges[0], w.seen(b, proposed, &pg.Alias{Aliasname: excludedName}, nil).Ranges[0])
	}
	w.arbiters = w.uniques()
	if c != nil {
		w.arbiter(b, c, named.Ranges[0], old)
	}
	w.found.from = " FROM " + w.numbered(b.UniqueAlias("rows"), proposed.EngineAlias) + " LEFT JOIN " + stored + " ON " + w.sameKey(b, old, proposed)
	w.keysOfRows(b, n)

	isNew := w.storedColumn(b, old, w.target.Stored[0]) + " IS NULL"
	for _, name := range w.target.Required {
		isNew += " OR " + proposed.Column(name).SQL + " IS NULL"
	}
	isNew += w.violated(b, proposed)
	action := "CASE WHEN " + isNew + " THEN 0"
	above := w.found.above(both)
	old, proposed = above.Ranges[0], above.Ranges[1]
	if len(w.views) > 0 {
		above = w.found.above(named)
	}
	set := map[int]scope.Expr{}
	updates := conflict == ConflictUpdate
	switch {
	case c == nil && updates:
		for _, g := range w.insertion.given {
			if name := w.target.Columns[g.column].Name; !slices.Contains(w.target.Key, name) {
				set[g.column] = b.ColumnExpr(proposed.Columns[g.column], -1, nil)
			}
		}
		action += " ELSE 1"
	case c != nil && c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE:
		updates = true
		below := &scope.Level{Namespace: named, CTEs: ctes}
		s := setter{w: w, l: &scope.Level{Namespace: above, CTEs: ctes, Clause: "UPDATE"}, below: below, old: old, seen: above.Ranges[0]}
		set = s.set(b, c.TargetList)
		if c.WhereClause != nil {
			w.where = b.Condition(c.WhereClause, below, "WHERE")
			action += " WHEN " + w.where.SQL + " THEN 1"
		} else {
			action += " ELSE 1"
		}
	default:
		updates = false
	}
	w.assignments, w.sources = set, both.Ranges
	w.action = w.found.compute("action", "CAST("+action+" END AS BIGINT)")
	w.order = w.found.compute("n", enginesql.Quote(both.Ranges[1].EngineAlias)+"."+enginesql.Quote(w.numberName()))
	w.addResultColumns(b, n.Relation, both.Ranges[0])
	w.checkViews(b, n.Relation)
	for i := range w.target.Columns {
		value := b.ColumnExpr(proposed.Columns[i], -1, nil).SQL
		if updates && (w.storesWholeRows() || w.needsUpdatedValue(set, i, n.ReturningList)) {
			value = w.choose([]string{value, w.updatedValue(b, set, old, i)})
		}
		w.set(i, value)
	}
	if updates {
		w.actions = append(w.actions, Action{Kind: Updates, Assigned: w.assigned(set)})
	}
	if c == nil || c.Action != pg.OnConflictAction_ONCONFLICT_UPDATE {
		return nil
	}
	return []*scope.RangeEntry{{Alias: excludedName}}
}

// conflicting are the stored rows that may be in conflict, as the FROM item that they are.
func (w *builder) conflicting(b *query.Binder, target *pg.RangeVar) (from string, rows scope.Namespace) {
	alias := target.Alias
	if len(w.views) > 0 { // it is that of the view
		alias = nil
	}
	return b.Reference(w.at, alias, target.Location)
}

// together is a namespace of two relations.
func together(a, b *scope.RangeEntry) scope.Namespace {
	return scope.Namespace{Ranges: []*scope.RangeEntry{a, b}, Columns: slices.Concat(a.Columns, b.Columns)}
}

// violated is the condition, behind an OR, that a proposed row does not satisfy a CHECK
// constraint. Such a row is inserted, whether it has a conflict or not, and then refused, as
// PostgreSQL does.
func (w *builder) violated(b *query.Binder, proposed *scope.RangeEntry) string {
	l := w.alone(proposed)
	l.Clause = defaults.InCheck
	out := ""
	for _, text := range w.target.Checks {
		e := defaults.ResolveText(b.Binder, text, l)
		out += " OR NOT (" + b.Coerce(e, types.Of(types.Bool), types.ImplicitCast).SQL + ")"
	}
	return out
}

// proposed are the rows to insert as ON CONFLICT names them.
func (w *builder) proposed(b *query.Binder) *scope.RangeEntry {
	r := &scope.RangeEntry{Alias: excludedName, EngineAlias: b.UniqueAlias(excludedName), Ref: -1}
	aliases := column.AliasesOf(w.target.Columns)
	for i, c := range w.target.Columns {
		r.Columns = append(r.Columns, &scope.Column{
			Name: c.Name, SQL: enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(aliases[i]), Type: w.target.TypeOf(i), Range: r, Source: c.Name,
		})
	}
	return r
}

// numberName is the column that numbers the rows to insert.
func (w *builder) numberName() string {
	taken := map[string]bool{}
	for _, c := range w.target.Columns {
		query.UniqueName(c.Name, taken)
	}
	return query.UniqueName("n", taken)
}

// numbered prints the rows to insert with their numbers: a join does not keep
// their order.
func (w *builder) numbered(rows, alias string) string {
	return "(SELECT *, row_number() OVER () AS " + enginesql.Quote(w.numberName()) + " FROM (" + w.inserted() + ") AS " + enginesql.Quote(rows) + ") AS " + enginesql.Quote(alias)
}

// whole reports whether all columns of a new row are stored, those with their old values
// too.
func (w *builder) storesWholeRows() bool { return w.target.Kind == scope.StoredTable }

// needsUpdatedValue reports whether the value of a column after SET is used: it is assigned, or
// RETURNING or the condition of a view may read it.
func (w *builder) needsUpdatedValue(set map[int]scope.Expr, i int, returning []*pg.Node) bool {
	_, given := set[i]
	return given || len(returning) > 0 || w.checksViews()
}

// updatedValue is the value of a column after SET. That of a generated column does not count.
func (w *builder) updatedValue(b *query.Binder, set map[int]scope.Expr, old *scope.RangeEntry, i int) string {
	if v, ok := set[i]; ok {
		return v.SQL
	}
	if c := w.target.Columns[i]; w.target.Generated[c.Name] != "" {
		return coercion.NullOf(c.Type)
	}
	return b.ColumnExpr(old.Columns[i], -1, nil).SQL
}

// assigned tells which columns SET names, and which are generated.
func (w *builder) assigned(set map[int]scope.Expr) []bool {
	out := make([]bool, len(w.target.Columns))
	for i, c := range w.target.Columns {
		_, named := set[i]
		out[i] = named || w.target.Generated[c.Name] != ""
	}
	return out
}
