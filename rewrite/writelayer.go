package rewrite

import (
	"strings"

	"github.com/ontosql/ontosql/rewrite/enginesql"
)

// layer is a query that shows to the query around it what that uses of the
// relations below, under names of its own, and columns that it computes.
type layer struct {
	alias    string // of the query
	from     string // FROM and what follows
	taken    map[string]bool
	computed []*computed
	shown    []*field          // as the query around names them
	below    map[*field]*field // what they are below
}

// computed is a column of a layer.
type computed struct{ name, sql string }

func newLayer(b *queryBinder, alias string) *layer {
	return &layer{alias: b.alias(alias), taken: map[string]bool{}, below: map[*field]*field{}}
}

// compute adds a column.
func (y *layer) compute(name, sql string) *computed {
	c := &computed{unique(name, y.taken), sql}
	y.computed = append(y.computed, c)
	return c
}

// of is how the query around names a column.
func (y *layer) of(c *computed) string {
	return enginesql.Quote(y.alias) + "." + enginesql.Quote(c.name)
}

// above is a namespace of the relations below as the query around sees it.
func (y *layer) above(ns namespace) namespace {
	var out namespace
	known := map[*field]*field{}
	show := func(f *field, r *relation) *field {
		c := *f
		c.rel, c.used = r, false
		c.sql = enginesql.Quote(y.alias) + "." + enginesql.Quote(unique(f.name, y.taken))
		y.shown, y.below[&c], known[f] = append(y.shown, &c), f, &c
		return &c
	}
	for _, r := range ns.rels {
		c := *r
		c.below, c.fields, c.system = true, nil, nil
		for _, f := range r.fields {
			c.fields = append(c.fields, show(f, &c))
		}
		for _, f := range r.system {
			c.system = append(c.system, show(f, &c))
		}
		out.rels = append(out.rels, &c)
	}
	for _, f := range ns.names {
		if known[f] == nil { // a merged column of USING
			show(f, nil)
		}
		out.names = append(out.names, known[f])
	}
	return out
}

// settle uses below what the query around uses. It is called when that query is
// resolved.
func (y *layer) settle(b *queryBinder) {
	for _, f := range y.shown {
		if f.used {
			b.fieldExpr(y.below[f], -1, nil)
		}
	}
}

// text prints the query as an item of FROM.
func (y *layer) text() string {
	var parts []string
	for _, c := range y.computed {
		parts = append(parts, c.sql+" AS "+enginesql.Quote(c.name))
	}
	for _, f := range y.shown {
		if f.used {
			parts = append(parts, y.below[f].sql+" AS "+strings.TrimPrefix(f.sql, enginesql.Quote(y.alias)+"."))
		}
	}
	if len(parts) == 0 {
		parts = []string{"NULL"}
	}
	return "(SELECT " + strings.Join(parts, ", ") + y.from + ") AS " + enginesql.Quote(y.alias)
}
