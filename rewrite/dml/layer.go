package dml

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/query"
	"github.com/ontosql/ontosql/rewrite/scope"
)

// layer is a subquery. Its output columns are the columns of its FROM items that the outer query
// uses, under new names, and columns that it computes.
type layer struct {
	alias    string // of the query
	from     string // FROM and what follows
	taken    map[string]bool
	computed []*computed
	shown    []*scope.Column                 // as the outer query names them
	below    map[*scope.Column]*scope.Column // the columns of the FROM items that they show
}

// computed is a column of a layer.
type computed struct{ name, sql string }

func newLayer(b *query.Binder, alias string) *layer {
	return &layer{alias: b.UniqueAlias(alias), taken: map[string]bool{}, below: map[*scope.Column]*scope.Column{}}
}

// compute adds a column.
func (y *layer) compute(name, sql string) *computed {
	c := &computed{query.UniqueName(name, y.taken), sql}
	y.computed = append(y.computed, c)
	return c
}

// of is the name of a column in the outer query.
func (y *layer) of(c *computed) string {
	return enginesql.Quote(y.alias) + "." + enginesql.Quote(c.name)
}

// above is a namespace of the FROM items as the outer query sees it.
func (y *layer) above(ns scope.Namespace) scope.Namespace {
	var out scope.Namespace
	known := map[*scope.Column]*scope.Column{}
	show := func(f *scope.Column, r *scope.RangeEntry) *scope.Column {
		c := *f
		c.Range, c.Used = r, false
		c.SQL = enginesql.Quote(y.alias) + "." + enginesql.Quote(query.UniqueName(f.Name, y.taken))
		y.shown, y.below[&c], known[f] = append(y.shown, &c), f, &c
		return &c
	}
	for _, r := range ns.Ranges {
		c := *r
		c.Below, c.Columns, c.SystemColumns = true, nil, nil
		for _, f := range r.Columns {
			c.Columns = append(c.Columns, show(f, &c))
		}
		for _, f := range r.SystemColumns {
			c.SystemColumns = append(c.SystemColumns, show(f, &c))
		}
		out.Ranges = append(out.Ranges, &c)
	}
	for _, f := range ns.Columns {
		if known[f] == nil { // a merged column of USING
			show(f, nil)
		}
		out.Columns = append(out.Columns, known[f])
	}
	return out
}

// settle marks the columns of the FROM items that the outer query uses. It is called after the
// outer query is resolved.
func (y *layer) settle(b *query.Binder) {
	for _, f := range y.shown {
		if f.Used {
			b.ColumnExpr(y.below[f], -1, nil)
		}
	}
}

// text prints the query as an item of FROM.
func (y *layer) text() string { return "(" + y.query() + ") AS " + enginesql.Quote(y.alias) }

// query prints the query.
func (y *layer) query() string {
	var parts []string
	for _, c := range y.computed {
		parts = append(parts, c.sql+" AS "+enginesql.Quote(c.name))
	}
	for _, f := range y.shown {
		if f.Used {
			parts = append(parts, y.below[f].SQL+" AS "+strings.TrimPrefix(f.SQL, enginesql.Quote(y.alias)+"."))
		}
	}
	if len(parts) == 0 {
		parts = []string{"NULL"}
	}
	return "SELECT " + strings.Join(parts, ", ") + y.from
}
