package dml

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/defaults"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// sameKey joins on the keys of the arbiters, up to the first that is deferrable.
func (w *builder) sameKey(b *query.Binder, old, proposed *scope.RangeEntry) string {
	var keys []string
	for _, u := range w.arbiters {
		if u.Deferrable {
			break
		}
		var parts []string
		for _, name := range u.Columns {
			if w.target.Kind != scope.StoredTable {
				w.recordKeyEquality(old.Column(name), proposed.Column(name))
			}
			parts = append(parts, b.ColumnExpr(old.Column(name), -1, nil).SQL+" = "+proposed.Column(name).SQL)
		}
		if len(u.Expressions) > 0 || u.Where != "" {
			parts = append(parts, w.sameExpressions(b, u, old, proposed)...)
		}
		keys = append(keys, strings.Join(parts, " AND "))
	}
	if keys == nil {
		return "false"
	}
	return strings.Join(keys, " OR ")
}

// sameExpressions are the conditions that two rows have the same values of the expressions of an
// index and that both meet its condition. An expression is not computed for another row.
func (w *builder) sameExpressions(b *query.Binder, u scope.UniqueKey, old, proposed *scope.RangeEntry) (parts []string) {
	was, is := w.alone(old), w.alone(proposed)
	where := func(l *scope.Level) string { return "true" }
	if u.Where != "" {
		where = func(l *scope.Level) string { return defaults.ResolveText(b.Binder, u.Where, l).SQL }
	}
	parts = append(parts, "("+where(was)+")", "("+where(is)+")")
	for _, text := range u.Expressions {
		value := func(l *scope.Level) string {
			return "CASE WHEN " + where(l) + " THEN " + defaults.ResolveText(b.Binder, text, l).SQL + " END"
		}
		parts = append(parts, value(was)+" = "+value(is))
	}
	return parts
}

// alone is the level of an expression of the target that is stored, for some of its rows.
func (w *builder) alone(rows *scope.RangeEntry) *scope.Level {
	row := *rows
	row.Alias, row.Schema, row.Table = w.target.Table, w.target.Schema, w.target.Table
	return &scope.Level{Namespace: scope.Namespace{Ranges: []*scope.RangeEntry{&row}, Columns: row.Columns}, Clause: defaults.InIndex}
}

// uniques are the constraints and indexes that a row may be in conflict with.
func (w *builder) uniques() []scope.UniqueKey {
	if w.target.Kind == scope.StoredTable {
		return w.target.Uniques
	}
	return []scope.UniqueKey{{Name: w.target.Table + "_pkey", Columns: w.target.Key}}
}

// arbiter finds the constraints and indexes that ON CONFLICT names. target is the target as the
// statement names it, rows are its rows of the table.
func (w *builder) arbiter(b *query.Binder, c *pg.OnConflictClause, target, rows *scope.RangeEntry) {
	infer := c.Infer
	switch {
	case infer == nil && c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE:
		b.Fail(pgerr.New(pgerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name)."), c.Location)
	case infer == nil:
	case infer.Conname != "":
		w.arbiters = slices.DeleteFunc(slices.Clone(w.uniques()), func(u scope.UniqueKey) bool { return u.Index || u.Name != infer.Conname || len(w.views) > 0 })
		if len(w.arbiters) == 0 {
			b.Fail(pgerr.New(pgerr.UndefinedObject, "constraint %q for table %q does not exist", infer.Conname, w.insertion.relation), -1)
		}
	default:
		l := &scope.Level{Namespace: scope.Namespace{Ranges: []*scope.RangeEntry{target}, Columns: target.Columns}, Clause: "ON CONFLICT"}
		stored := *l
		stored.Namespace = scope.Namespace{Ranges: []*scope.RangeEntry{rows}, Columns: rows.Columns}
		w.arbiters = w.inferred(b, infer, l, &stored)
		if len(w.arbiters) == 0 {
			b.Fail(pgerr.New(noArbiter, "there is no unique or exclusion constraint matching the ON CONFLICT specification"), -1)
		}
	}
}

// noArbiter is PostgreSQL's SQLSTATE of a conflict that cannot be.
const noArbiter = "42P10"

// inferred are the constraints and indexes that have the columns and expressions of ON CONFLICT,
// in any order, and whose condition follows from the one given there (PostgreSQL's
// infer_arbiter_indexes). Those are resolved in stored, the clause in l.
func (w *builder) inferred(b *query.Binder, infer *pg.InferClause, l, stored *scope.Level) []scope.UniqueKey {
	columns, expressions, others := map[string]bool{}, map[string]bool{}, false
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
		x := b.Expr(column, l)
		others = others || len(e.Collation)+len(e.Opclass) > 0
		if x.Column != nil {
			columns[x.Column.Source] = true
		} else {
			expressions[x.SQL] = true
		}
	}
	var given proposition
	if infer.WhereClause != nil {
		b.Expr(infer.WhereClause, l)
		given = propositionOf(b, infer.WhereClause, l)
	}
	sql := func(text string) string { return defaults.ResolveText(b.Binder, text, stored).SQL }
	return slices.DeleteFunc(slices.Clone(w.uniques()), func(u scope.UniqueKey) bool {
		switch {
		case others, len(columns) != len(u.Columns), slices.ContainsFunc(u.Columns, func(c string) bool { return !columns[c] }):
			return true
		case len(expressions) != len(u.Expressions), slices.ContainsFunc(u.Expressions, func(text string) bool { return !expressions[sql(text)] }):
			return true
		}
		return u.Where != "" && (infer.WhereClause == nil || !given.implies(storedProposition(b, u.Where, stored)))
	})
}
