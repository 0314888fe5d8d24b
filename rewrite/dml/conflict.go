package dml

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
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
	stored, ns := b.Reference(w.at, n.Relation.Alias, n.Relation.Location)
	old, proposed := ns.Ranges[0], w.proposed(b)
	w.arbiters = w.uniques()
	if c != nil {
		w.arbiter(b, c, ns)
	}
	both := scope.Namespace{Ranges: []*scope.RangeEntry{old, proposed}, Columns: slices.Concat(old.Columns, proposed.Columns)}
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
	set := map[int]string{}
	updates := conflict == ConflictUpdate
	switch {
	case c == nil && updates:
		for _, g := range w.insertion.given {
			if name := w.target.Columns[g.column].Name; !slices.Contains(w.target.Key, name) {
				set[g.column] = b.ColumnExpr(proposed.Columns[g.column], -1, nil).SQL
			}
		}
		action += " ELSE 1"
	case c != nil && c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE:
		updates = true
		below := &scope.Level{Namespace: both, CTEs: ctes}
		s := setter{w: w, l: &scope.Level{Namespace: above, CTEs: ctes, Clause: "UPDATE"}, below: below, old: old}
		set = s.set(b, c.TargetList)
		if c.WhereClause != nil {
			action += " WHEN " + b.Condition(c.WhereClause, below, "WHERE").SQL + " THEN 1"
		} else {
			action += " ELSE 1"
		}
	default:
		updates = false
	}
	w.action = w.found.compute("action", "CAST("+action+" END AS BIGINT)")
	w.order = w.found.compute("n", enginesql.Quote(both.Ranges[1].EngineAlias)+"."+enginesql.Quote(w.numberName()))
	w.addResultColumns(b, n.Relation, both.Ranges[0])
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
	return []*scope.RangeEntry{{Alias: excludedName}}
}

// violated is the condition, behind an OR, that a proposed row does not satisfy a CHECK
// constraint. Such a row is inserted, whether it has a conflict or not, and then refused, as
// PostgreSQL does.
func (w *builder) violated(b *query.Binder, proposed *scope.RangeEntry) string {
	row := *proposed
	row.Alias, row.Schema, row.Table = w.target.Table, w.target.Schema, w.target.Table
	out := ""
	for _, text := range w.target.Checks {
		x, err := defaults.ParseExpression(text)
		if err != nil {
			b.Fail(pgerr.New(pgerr.InternalError, "read the condition %q: %v", text, err), -1)
		}
		l := &scope.Level{Namespace: scope.Namespace{Ranges: []*scope.RangeEntry{&row}, Columns: row.Columns}, Clause: defaults.InCheck}
		defaults.ResolveAlone(b.Binder, x, l, func(e scope.Expr) {
			out += " OR NOT (" + b.Coerce(e, types.Of(types.Bool), types.ImplicitCast).SQL + ")"
		})
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

// sameKey joins on the keys of the arbiters.
func (w *builder) sameKey(b *query.Binder, old, proposed *scope.RangeEntry) string {
	if len(w.arbiters) == 0 {
		return "false"
	}
	var keys []string
	for _, u := range w.arbiters {
		parts := make([]string, len(u.Columns))
		for i, name := range u.Columns {
			if w.target.Kind != scope.StoredTable {
				w.recordKeyEquality(old.Column(name), proposed.Column(name))
			}
			parts[i] = b.ColumnExpr(old.Column(name), -1, nil).SQL + " = " + proposed.Column(name).SQL
		}
		keys = append(keys, strings.Join(parts, " AND "))
	}
	return strings.Join(keys, " OR ")
}

// uniques are the constraints that a row may be in conflict with.
func (w *builder) uniques() []scope.UniqueKey {
	if w.target.Kind == scope.StoredTable {
		return w.target.Uniques
	}
	return []scope.UniqueKey{{Name: w.target.Table + "_pkey", Columns: w.target.Key}}
}

// arbiter finds the constraints that ON CONFLICT names.
func (w *builder) arbiter(b *query.Binder, c *pg.OnConflictClause, target scope.Namespace) {
	infer := c.Infer
	switch {
	case infer == nil && c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE:
		b.Fail(pgerr.New(pgerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name)."), c.Location)
	case infer == nil:
	case infer.Conname != "":
		w.arbiters = slices.DeleteFunc(slices.Clone(w.uniques()), func(u scope.UniqueKey) bool { return u.Name != infer.Conname })
		if len(w.arbiters) == 0 {
			b.Fail(pgerr.New(pgerr.UndefinedObject, "constraint %q for table %q does not exist", infer.Conname, w.target.Table), -1)
		}
	default:
		w.arbiters = w.inferred(b, infer, &scope.Level{Namespace: target, Clause: "ON CONFLICT"})
		if len(w.arbiters) == 0 {
			b.Fail(pgerr.New(noArbiter, "there is no unique or exclusion constraint matching the ON CONFLICT specification"), -1)
		}
	}
}

// noArbiter is PostgreSQL's SQLSTATE of a conflict that cannot be.
const noArbiter = "42P10"

// inferred are the constraints whose columns the expressions of ON CONFLICT are. A condition
// behind them only narrows which index would do.
func (w *builder) inferred(b *query.Binder, infer *pg.InferClause, l *scope.Level) []scope.UniqueKey {
	named, others := map[string]bool{}, false
	for _, n := range infer.IndexElems {
		e := n.GetIndexElem()
		switch {
		case e.Ordering != pg.SortByDir_SORTBY_DEFAULT:
			b.Fail(pgerr.New(noArbiter, "ASC/DESC is not allowed in ON CONFLICT clause"), infer.Location)
		case e.NullsOrdering != pg.SortByNulls_SORTBY_NULLS_DEFAULT:
			b.Fail(pgerr.New(noArbiter, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause"), infer.Location)
		}
		column := e.Expr
		if e.Name != "" {
			column = pg.MakeColumnRefNode([]*pg.Node{pg.MakeStrNode(e.Name)}, infer.Location)
		}
		f := b.Expr(column, l).Column
		if f == nil || len(e.Collation)+len(e.Opclass) > 0 {
			others = true
			continue
		}
		named[f.Source] = true
	}
	if infer.WhereClause != nil {
		b.Condition(infer.WhereClause, l, "WHERE")
	}
	return slices.DeleteFunc(slices.Clone(w.uniques()), func(u scope.UniqueKey) bool {
		return others || len(named) != len(u.Columns) || slices.ContainsFunc(u.Columns, func(c string) bool { return !named[c] })
	})
}

// whole reports whether all columns of a new row are stored, those with their old values
// too.
func (w *builder) storesWholeRows() bool { return w.target.Kind == scope.StoredTable }

// needsUpdatedValue reports whether the value of a column after SET is used: it is assigned, or
// RETURNING or the condition of a view may read it.
func (w *builder) needsUpdatedValue(set map[int]string, i int, returning []*pg.Node) bool {
	_, given := set[i]
	return given || len(returning) > 0 || w.checksViews()
}

// updatedValue is the value of a column after SET. That of a generated column does not count.
func (w *builder) updatedValue(b *query.Binder, set map[int]string, old *scope.RangeEntry, i int) string {
	if v, ok := set[i]; ok {
		return v
	}
	if c := w.target.Columns[i]; w.target.Generated[c.Name] != "" {
		return coercion.NullOf(c.Type)
	}
	return b.ColumnExpr(old.Columns[i], -1, nil).SQL
}

// assigned tells which columns SET names, and which are generated.
func (w *builder) assigned(set map[int]string) []bool {
	out := make([]bool, len(w.target.Columns))
	for i, c := range w.target.Columns {
		_, named := set[i]
		out[i] = named || w.target.Generated[c.Name] != ""
	}
	return out
}
