package dml

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// View is a view that a write goes through to the table or the view that it reads
// (PostgreSQL manual, CREATE VIEW, "Updatable Views").
type View struct {
	Schema, Name string
	Shown        string            // the name in errors within its query
	Query        *syntax.Statement // that reads one relation
	Columns      []string
	Defaults     []string // of the columns, "" for none
	Check        Check    // the option WITH CHECK OPTION
	// BaseSchema and Base are the name of the relation that the query reads, Names its columns
	// under their names in the query.
	BaseSchema, Base string
	Names            []scope.ShownColumn
}

// Check is what WITH CHECK OPTION says of the rows that are written through a view.
type Check uint8

// What is checked.
const (
	Unchecked Check = iota
	Local           // the condition of the view
	Cascaded        // that, and those of the views below
)

// named is a column that a statement can name in the target of a write.
type named struct {
	name   string
	column int // of the target, -1 for a column of a view that is no column of its base relation
	view   string
	within string // its name in that view
}

// from is the relation that the query of the view reads.
func (v *View) from() *pg.RangeVar {
	return v.Query.Node.GetSelectStmt().FromClause[0].GetRangeVar()
}

// names are the columns of the relation under their names in the query, which may give them
// others.
func (v *View) names() []scope.ShownColumn {
	given := syntax.Strings(v.from().Alias.GetColnames())
	out := slices.Clone(v.Names)
	for i := range min(len(given), len(out)) {
		out[i].Name = given[i]
	}
	return out
}

// items are the expressions of the columns of the view: one of its relation's columns by its
// name, or another expression.
func (v *View) items() []viewItem {
	var out []viewItem
	for _, n := range v.Query.Node.GetSelectStmt().TargetList {
		val := n.GetResTarget().Val
		ref := val.GetColumnRef()
		switch {
		case ref == nil:
			out = append(out, viewItem{node: val})
		case ref.Fields[len(ref.Fields)-1].GetAStar() != nil:
			for _, c := range v.names() {
				out = append(out, viewItem{name: c.Name})
			}
		default:
			out = append(out, viewItem{name: ref.Fields[len(ref.Fields)-1].GetString_().GetSval(), node: val})
		}
	}
	return out
}

// viewItem is the expression of a column of a view.
type viewItem struct {
	name string   // of the column that it may be
	node *pg.Node // nil for a column that a star stands for
}

// targetNames are the names of the columns of the target, in the order of *: those of the
// table, or of the view that the statement names.
func targetNames(target *scope.Shape, views []*View) []named {
	var out []named
	for i, c := range target.Columns {
		out = append(out, named{name: c.Name, column: i})
	}
	for _, v := range slices.Backward(views) {
		below := out
		out = nil
		for i, item := range v.items() {
			if i >= len(v.Columns) {
				break
			}
			c := named{name: v.Columns[i], column: -1, view: v.Name, within: v.Columns[i]}
			shown := slices.IndexFunc(v.names(), func(s scope.ShownColumn) bool { return s.Name == item.name })
			if shown >= 0 && item.name != "" {
				if at := slices.IndexFunc(below, func(o named) bool { return o.name == v.Names[shown].Column }); at >= 0 {
					c = below[at]
					c.name = v.Columns[i]
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// notUpdatable is PostgreSQL's error of a column of a view that is an expression. verb is
// "insert into" or "update".
func (c *named) notUpdatable(verb string) *pgerr.Error {
	return pgerr.Unsupported("cannot %s column %q of view %q", verb, c.within, c.view).
		WithDetail("View columns that are not columns of their base relation are not updatable.")
}

// reference is the target as it is read: the item of FROM, and what it makes nameable. Of a
// view these are the columns of the view over those of the table, and the rows are those that
// the conditions of the views leave.
func (w *builder) reference(b *query.Binder, target *pg.RangeVar) (from string, rows scope.Namespace) {
	if len(w.views) == 0 {
		return b.Reference(w.at, target.Alias, target.Location)
	}
	from, base := b.Reference(w.at, nil, target.Location)
	w.stored = base.Ranges[0]
	return from, w.seen(b, w.stored, target.Alias, func(_ int, where *pg.Node, l *scope.Level) {
		w.filters = append(w.filters, b.Condition(where, l, "WHERE").SQL)
		b.CollectBounds(where, l)
	})
}

// resolveWhere resolves the condition of a view, by its number among the views.
type resolveWhere func(view int, where *pg.Node, l *scope.Level)

// seen is what a view that the statement names shows of the rows of its table. where resolves
// the conditions of the views over these rows; it may be nil.
func (w *builder) seen(b *query.Binder, rows *scope.RangeEntry, alias *pg.Alias, where resolveWhere) scope.Namespace {
	for i := range slices.Backward(w.views) {
		rows = w.seenBy(b, i, rows, where)
	}
	if rows.Alias = b.Refs[w.at].Name; alias != nil {
		rows.Alias, rows.Schema, rows.Table = alias.Aliasname, "", ""
	}
	return scope.Namespace{Ranges: []*scope.RangeEntry{rows}, Columns: rows.Columns}
}

// seenBy is what one view shows of the rows of the relation that it reads.
func (w *builder) seenBy(b *query.Binder, view int, base *scope.RangeEntry, resolve resolveWhere) *scope.RangeEntry {
	v := w.views[view]
	defer b.InView(v.Query, v.Shown)()
	in := *base
	in.Alias, in.Schema, in.Table, in.Columns, in.SystemColumns = v.from().Relname, v.BaseSchema, v.Base, nil, nil
	if a := v.from().Alias; a != nil {
		in.Alias, in.Schema, in.Table = a.Aliasname, "", ""
	}
	for _, shown := range v.names() {
		if c := base.Column(shown.Column); c != nil {
			of := *c
			of.Name = shown.Name
			in.Columns = append(in.Columns, &of)
		}
	}
	l := &scope.Level{Namespace: scope.Namespace{Ranges: []*scope.RangeEntry{&in}, Columns: in.Columns}}
	out := &scope.RangeEntry{EngineAlias: base.EngineAlias, Ref: base.Ref, Below: base.Below, Schema: v.Schema, Table: v.Name}
	if base.Shape != nil { // under the name of the view
		shape := *base.Shape
		shape.Schema, shape.Table = v.Schema, v.Name
		out.Shape = &shape
	}
	for i, item := range v.items() {
		if i >= len(v.Columns) {
			break
		}
		c := scope.Column{Name: v.Columns[i], Range: out}
		if of := in.Column(item.name); item.name != "" && of != nil {
			c.SQL, c.Type, c.Source, c.Printed = of.SQL, of.Type, of.Source, of.Printed
			if of.Range.Ref < 0 {
				c.Range = of.Range
			}
		} else {
			if scope.IsSystemColumn(item.name) && base.Shape != nil && base.Shape.Kind == scope.StoredTable {
				b.Unsupported(-1, "writing to a view with the system column %q is not supported", item.name)
			}
			e := b.Expr(item.node, l)
			if e.Type.OID == types.Unknown {
				e = b.Coerce(e, types.Of(types.Text), types.ImplicitCast)
			}
			c.SQL, c.Type, c.Range, c.Printed = e.SQL, e.Type, &scope.RangeEntry{Ref: -1}, e.Printed
		}
		out.Columns = append(out.Columns, &c)
	}
	if where := v.Query.Node.GetSelectStmt().WhereClause; where != nil && resolve != nil {
		resolve(view, where, l)
	}
	return out
}
