package rewrite

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
)

// excludedName is what the rows of an INSERT are called in ON CONFLICT.
const excludedName = "excluded"

// onConflict joins the rows of an INSERT with the stored versions of their keys,
// and returns what RETURNING cannot name.
func (w *write) onConflict(b *queryBinder, n *pg.InsertStmt, conflict Conflict, ctes *cteScope) (hidden []*relation) {
	c := n.OnConflictClause
	w.found = newLayer(b, "found")
	stored, ns := b.reference(w.at, n.Relation.Alias, n.Relation.Location)
	old, proposed := ns.rels[0], w.proposed(b)
	if c != nil {
		w.arbiter(b, c, ns)
	}
	both := namespace{rels: []*relation{old, proposed}, names: slices.Concat(old.fields, proposed.fields)}
	w.found.from = " FROM " + w.numbered(b.alias("rows"), proposed.out) + " LEFT JOIN " + stored + " ON " + w.sameKey(b, old, proposed)
	w.keysOfRows(b, n)

	isNew := w.storedColumn(b, old, w.target.Stored[0]) + " IS NULL"
	for _, name := range w.target.Required {
		isNew += " OR " + proposed.column(name).sql + " IS NULL"
	}
	action := "CASE WHEN " + isNew + " THEN 0"
	above := w.found.above(both)
	old, proposed = above.rels[0], above.rels[1]
	set := map[int]string{}
	updates := conflict == ConflictUpdate
	switch {
	case c == nil && updates:
		for _, g := range w.insertion.given {
			if name := w.target.Columns[g.column].Name; !slices.Contains(w.target.Key, name) {
				set[g.column] = b.fieldExpr(proposed.fields[g.column], -1, nil).sql
			}
		}
		action += " ELSE 1"
	case c != nil && c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE:
		updates = true
		below := &level{ns: both, ctes: ctes}
		s := setter{w: w, l: &level{ns: above, ctes: ctes, clause: "UPDATE"}, below: below, old: old}
		set = s.set(b, c.TargetList)
		if c.WhereClause != nil {
			action += " WHEN " + b.condition(c.WhereClause, below, "WHERE").sql + " THEN 1"
		} else {
			action += " ELSE 1"
		}
	default:
		updates = false
	}
	w.action = w.found.compute("action", "CAST("+action+" END AS BIGINT)")
	w.order = w.found.compute("n", enginesql.Quote(both.rels[1].out)+"."+enginesql.Quote(w.numberName()))
	w.answer(b, n.Relation, both.rels[0])
	for i := range w.target.Columns {
		value := b.fieldExpr(proposed.fields[i], -1, nil).sql
		if updates && asked(set, i, n.ReturningList) {
			value = w.choose([]string{value, w.kept(b, set, old, i)})
		}
		w.set(i, value)
	}
	if updates {
		w.actions = append(w.actions, Action{Kind: Updates, Assigned: w.assigned(set)})
	}
	return []*relation{{alias: excludedName}}
}

// proposed are the rows to insert as ON CONFLICT names them.
func (w *write) proposed(b *queryBinder) *relation {
	r := &relation{alias: excludedName, out: b.alias(excludedName), ref: -1}
	aliases := column.AliasesOf(w.target.Columns)
	for i, c := range w.target.Columns {
		r.fields = append(r.fields, &field{
			name: c.Name, sql: enginesql.Quote(r.out) + "." + enginesql.Quote(aliases[i]), t: w.target.typeOf(i), rel: r, source: c.Name,
		})
	}
	return r
}

// numberName is the column that numbers the rows to insert.
func (w *write) numberName() string {
	taken := map[string]bool{}
	for _, c := range w.target.Columns {
		unique(c.Name, taken)
	}
	return unique("n", taken)
}

// numbered prints the rows to insert with their numbers: a join does not keep
// their order.
func (w *write) numbered(rows, alias string) string {
	return "(SELECT *, row_number() OVER () AS " + enginesql.Quote(w.numberName()) + " FROM (" + w.inserted() + ") AS " + enginesql.Quote(rows) + ") AS " + enginesql.Quote(alias)
}

// sameKey joins on the key.
func (w *write) sameKey(b *queryBinder, old, proposed *relation) string {
	parts := make([]string, len(w.target.Key))
	for i, name := range w.target.Key {
		w.noteSame(old.column(name), proposed.column(name))
		parts[i] = b.fieldExpr(old.column(name), -1, nil).sql + " = " + proposed.column(name).sql
	}
	return strings.Join(parts, " AND ")
}

// arbiter checks that the conflict named is one of the key: there is no other
// constraint.
func (w *write) arbiter(b *queryBinder, c *pg.OnConflictClause, target namespace) {
	infer := c.Infer
	switch {
	case infer == nil && c.Action == pg.OnConflictAction_ONCONFLICT_UPDATE:
		b.fail(pgerr.New(pgerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name)."), c.Location)
	case infer == nil:
	case infer.Conname != "":
		if infer.Conname != w.target.Table+"_pkey" {
			b.fail(pgerr.New(pgerr.UndefinedObject, "constraint %q for table %q does not exist", infer.Conname, w.target.Table), -1)
		}
	case !w.infersKey(b, infer, &level{ns: target, clause: "ON CONFLICT"}):
		b.fail(pgerr.New(noArbiter, "there is no unique or exclusion constraint matching the ON CONFLICT specification"), -1)
	}
}

// noArbiter is PostgreSQL's SQLSTATE of a conflict that cannot be.
const noArbiter = "42P10"

// infersKey reports whether the expressions of ON CONFLICT are the columns of the
// key. A condition behind them only narrows which index would do.
func (w *write) infersKey(b *queryBinder, infer *pg.InferClause, l *level) bool {
	named, others := map[string]bool{}, false
	for _, n := range infer.IndexElems {
		e := n.GetIndexElem()
		switch {
		case e.Ordering != pg.SortByDir_SORTBY_DEFAULT:
			b.fail(pgerr.New(noArbiter, "ASC/DESC is not allowed in ON CONFLICT clause"), infer.Location)
		case e.NullsOrdering != pg.SortByNulls_SORTBY_NULLS_DEFAULT:
			b.fail(pgerr.New(noArbiter, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause"), infer.Location)
		}
		column := e.Expr
		if e.Name != "" {
			column = pg.MakeColumnRefNode([]*pg.Node{pg.MakeStrNode(e.Name)}, infer.Location)
		}
		f := b.expr(column, l).field
		if f == nil || !slices.Contains(w.target.Key, f.source) || len(e.Collation)+len(e.Opclass) > 0 {
			others = true
			continue
		}
		named[f.source] = true
	}
	if infer.WhereClause != nil {
		b.condition(infer.WhereClause, l, "WHERE")
	}
	return !others && len(named) == len(w.target.Key)
}

// asked reports whether anybody asks for a column after SET: RETURNING may.
func asked(set map[int]string, i int, returning []*pg.Node) bool {
	_, given := set[i]
	return given || len(returning) > 0
}

// kept is the value of a column after SET.
func (w *write) kept(b *queryBinder, set map[int]string, old *relation, i int) string {
	if v, ok := set[i]; ok {
		return v
	}
	return b.fieldExpr(old.fields[i], -1, nil).sql
}

// assigned tells which columns SET names.
func (w *write) assigned(set map[int]string) []bool {
	out := make([]bool, len(w.target.Columns))
	for i := range set {
		out[i] = true
	}
	return out
}
