package dml

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// builder is a write as it is resolved, kept for the parts of it that BindColumn
// prints.
//
// A write that reads stored versions becomes three nested queries. The inner one, found, joins
// the stored versions with the source of the changes and decides the action of each row. The
// columns of the answer are computed over found, and RETURNING over those.
type builder struct {
	target    *scope.Shape
	at        int               // the reference that the target is
	views     []*View           // that the write goes through
	names     []named           // that the statement can give the columns of the target
	stored    *scope.RangeEntry // the rows of the table below the views
	filters   []string          // the conditions of the views
	old       *scope.RangeEntry // the stored rows above found, of an UPDATE or DELETE
	with      string
	insertion *insertion // the source of an INSERT, of another write empty
	actions   []Action
	arbiters  []scope.UniqueKey // of ON CONFLICT
	checks    []viewCheck       // that the new rows are checked by

	found    *layer                   // nil for a plain INSERT
	below    *scope.Level             // of an UPDATE or DELETE: the level of FROM and WHERE, below found
	action   *computed                // what is done with a row, a column of found; nil where there is one action for all
	once     bool                     // ScopedWrite.Once
	order    *computed                // what the rows are ordered by, a column of found; nil for nothing
	keyEqual map[*scope.Column]string // columns below found that equal a column of the key in every row

	// For Scoped.Plain: the new values of stored rows, by column, the condition of ON CONFLICT on the
	// rows that are changed, without SQL for none, the conditions of UPDATE, and the FROM items of found.
	assignments map[int]scope.Expr
	where       scope.Expr
	byKey       keyConditions
	sources     []*scope.RangeEntry

	columns   []*computed              // of the answer, over found; those of the new row are the last
	generate  func(rows string) string // prints new rows with their generated columns, nil if they have none
	fresh     *layer                   // what RETURNING reads: columns, and what it uses of found
	returning *query.SelectQuery
	numbering string // the alias of a plain INSERT's rows where their numbers keep their order, "" where nothing disturbs it
}

// newBuilder is a write to the last reference of the binder.
func newBuilder(b *query.Binder, views []*View) *builder {
	at := len(b.Refs) - 1
	target := &b.Shapes[at]
	names, relation := targetNames(target, views), target.Table
	if len(views) > 0 {
		relation = views[0].Name
	}
	return &builder{
		target: target, at: at, views: views, names: names, keyEqual: map[*scope.Column]string{},
		insertion: &insertion{target: target, names: names, relation: relation, tree: b.Stmt.Tree},
	}
}

// addResultColumns adds the columns of the result. Their SQL may be set later; that of a
// plain INSERT is its insertion's. stored is the target as it is read.
func (w *builder) addResultColumns(b *query.Binder, target *pg.RangeVar, stored *scope.RangeEntry) {
	alias := target.Relname
	if target.Alias != nil {
		alias = target.Alias.Aliasname
	}
	w.fresh = newLayer(b, alias)
	for _, c := range w.target.Columns {
		w.columns = append(w.columns, w.fresh.compute(c.Name, ""))
	}
	if w.found == nil {
		return
	}
	action := w.fresh.compute("action", "CAST(0 AS BIGINT)")
	if w.action != nil {
		action.sql = w.found.of(w.action)
	}
	first := []*computed{action}
	for _, name := range w.target.Stored {
		c := w.found.compute(name, w.storedColumn(b, stored, name))
		first = append(first, w.fresh.compute(name, w.found.of(c)))
	}
	w.columns = append(first, w.columns...)
}

// storedColumn is one of the target's stored columns in its source.
func (w *builder) storedColumn(b *query.Binder, r *scope.RangeEntry, name string) string {
	b.Uses[w.at].System[name] = true
	return enginesql.Quote(r.EngineAlias) + "." + enginesql.Quote(b.SystemAlias(w.at, name))
}

// row are the columns of the new row.
func (w *builder) row() []*computed { return w.columns[len(w.columns)-len(w.target.Columns):] }

// set sets the SQL of a column of the new row.
func (w *builder) set(column int, sql string) { w.row()[column].sql = sql }

// outputs are the columns of the answer without those of RETURNING.
func (w *builder) outputs() []scope.Output {
	var out []scope.Output
	if w.found != nil {
		out = append(out, scope.Output{Name: "action", OID: types.Int8, Typmod: -1, Ref: -1})
		for _, name := range w.target.Stored {
			out = append(out, scope.Output{Name: name, Typmod: -1, Ref: -1})
		}
	}
	for _, c := range w.target.Columns {
		ty := types.OfColumn(c.Type)
		out = append(out, scope.Output{Name: c.Name, OID: ty.OID, Typmod: ty.Typmod, Ref: -1})
	}
	return out
}

// scoped packs the query when the whole statement is resolved.
func (w *builder) scoped(b *query.Binder) *Scoped {
	sc := &Scoped{Matches: w.found != nil, Once: w.once, Actions: w.actions, write: w}
	for _, u := range w.arbiters {
		sc.Arbiters = append(sc.Arbiters, u.Name)
		if u.Deferrable && sc.DeferrableArbiter == "" {
			sc.DeferrableArbiter = u.Name
		}
	}
	cols, refs := w.outputs(), w.at
	for _, c := range w.checks {
		sc.Checks = append(sc.Checks, c.view)
	}
	if w.checksViews() {
		cols = append(cols, scope.Output{Name: "check", OID: types.Int8, Typmod: -1, Ref: -1}, scope.Output{Name: "checked row", OID: types.Text, Typmod: -1, Ref: -1})
	}
	var outputs []scope.OutputColumn // of a query of WITH
	if w.returning != nil {
		b.SettleUnknown(w.returning)
		if of := b.Stmt.With; of != nil {
			outputs = b.PartColumns(w.returning.Columns(), of)
		} else {
			query.ShowRegNames(w.returning)
		}
		sc.Returned = query.Outputs(w.returning)
		cols = append(cols, sc.Returned...)
		w.fresh.settle(b)
	}
	if w.found != nil {
		refs++
		w.found.settle(b)
	}
	sc.Rows = b.Scoped(w.text(), cols, refs)
	sc.Rows.Outputs = outputs
	return sc
}

// text prints the query.
func (w *builder) text() string {
	var text string
	switch {
	case w.returning == nil && w.found == nil && !w.checksViews():
		text = w.inserted()
	case w.returning != nil, w.generate != nil, w.checksViews():
		text = w.returned()
	default:
		text = w.changed(w.columns)
		if w.order != nil {
			text += " ORDER BY " + w.found.of(w.order)
		}
	}
	if w.with != "" {
		text = w.with + " " + text
	}
	return text
}

// inserted prints the rows of a plain INSERT.
func (w *builder) inserted() string {
	return w.whole(w.insertion.text(w.insertion.all(), w.insertion.rows))
}

// whole prints new rows with their generated columns.
func (w *builder) whole(rows string) string {
	if w.generate == nil {
		return rows
	}
	return w.generate(rows)
}

// returned prints the columns of the answer with those of check options and of RETURNING, if
// there are such, over the whole new rows.
func (w *builder) returned() string {
	var parts []string
	for _, c := range w.columns {
		parts = append(parts, w.fresh.of(c)+" AS "+enginesql.Quote(c.name))
	}
	if w.checksViews() {
		parts = append(parts, w.checkColumns()...)
	}
	if w.returning != nil {
		for _, tg := range w.returning.TargetList {
			parts = append(parts, tg.Expr.SQL+" AS "+enginesql.Quote(tg.EngineName))
		}
	}
	text := "SELECT " + strings.Join(parts, ", ") + " FROM "
	switch {
	case w.found == nil && w.numbering == "":
		return text + "(" + w.inserted() + ") AS " + enginesql.Quote(w.fresh.alias)
	case w.found == nil:
		return text + w.numbered(w.numbering, w.fresh.alias) + " ORDER BY " + enginesql.Quote(w.fresh.alias) + "." + enginesql.Quote(w.numberName())
	}
	order := ""
	if w.order != nil {
		order = " ORDER BY " + w.fresh.of(w.fresh.compute("n", w.found.of(w.order)))
	}
	w.fresh.from = w.source()
	return text + "(" + w.whole(w.fresh.query()) + ") AS " + enginesql.Quote(w.fresh.alias) + order
}

// changed prints some columns of the answer over found.
func (w *builder) changed(columns []*computed) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = c.sql + " AS " + enginesql.Quote(c.name)
	}
	return "SELECT " + strings.Join(parts, ", ") + w.source()
}

// source is the FROM of the columns: the rows that something is to be done with.
func (w *builder) source() string {
	from := " FROM " + w.found.text()
	if w.action != nil {
		from += " WHERE " + w.found.of(w.action) + " IS NOT NULL"
	}
	return from
}

// choose is the value of a column where what is done decides, by action.
func (w *builder) choose(values []string) string {
	if slices.Equal(values[1:], values[:len(values)-1]) {
		return values[0]
	}
	s := "CASE " + w.found.of(w.action)
	for i, v := range values {
		s += " WHEN " + strconv.Itoa(i) + " THEN " + v
	}
	return s + " END"
}
