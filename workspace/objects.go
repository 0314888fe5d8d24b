package workspace

import (
	"cmp"

	"github.com/benbjohnson/immutable"
)

// Objects is an immutable set of schemas, tables, views and sequences. A change returns a new
// set, so that a savepoint can return to the old one. The nil Objects is the empty set.
type Objects struct {
	schemas   *immutable.SortedMap[string, *Schema]
	tables    *immutable.SortedMap[name, *Table]
	views     *immutable.SortedMap[name, *View] // and the queries of materialized views, which are tables
	sequences *immutable.SortedMap[name, *Sequence]
	defaults  []DefaultGrants // on what is created in any schema

	usages     *immutable.SortedMap[name, usage]       // the names of indexes and constraints
	references *immutable.SortedMap[name, []Reference] // foreign keys by the tables that they lead to

	lastView       int64 // the highest number so far
	lastForeignKey int   // as well
}

// name is that of a relation, an index or a constraint.
type name struct{ schema, relation string }

// byName is the order of names.
type byName struct{}

// Compare compares schemas first.
func (byName) Compare(a, b name) int {
	return cmp.Or(cmp.Compare(a.schema, b.schema), cmp.Compare(a.relation, b.relation))
}

func newObjects() *Objects {
	return &Objects{
		schemas:    immutable.NewSortedMap[string, *Schema](nil),
		tables:     immutable.NewSortedMap[name, *Table](byName{}),
		views:      immutable.NewSortedMap[name, *View](byName{}),
		sequences:  immutable.NewSortedMap[name, *Sequence](byName{}),
		usages:     immutable.NewSortedMap[name, usage](byName{}),
		references: immutable.NewSortedMap[name, []Reference](byName{}),
	}
}

// find is the value of a key, nil for none.
func find[K, V any](m *immutable.SortedMap[K, *V], key K) *V {
	v, _ := m.Get(key)
	return v
}

// values are all values of a map, in the order of its keys.
func values[K, V any](m *immutable.SortedMap[K, V]) []V {
	out := make([]V, 0, m.Len())
	for at := m.Iterator(); !at.Done(); {
		_, v, _ := at.Next()
		out = append(out, v)
	}
	return out
}

// HasSchema reports whether there is a schema of a name.
func (o *Objects) HasSchema(schema string) bool { return o.Schema(schema) != nil }

// Schemas are the names of the schemas, sorted.
func (o *Objects) Schemas() []string {
	if o == nil {
		return nil
	}
	out := make([]string, 0, o.schemas.Len())
	for at := o.schemas.Iterator(); !at.Done(); {
		schema, _, _ := at.Next()
		out = append(out, schema)
	}
	return out
}

// Table finds a table, nil for none.
func (o *Objects) Table(schema, table string) *Table {
	if o == nil {
		return nil
	}
	return find(o.tables, name{schema, table})
}

// All are the tables, by their schemas and names.
func (o *Objects) All() []*Table {
	if o == nil {
		return nil
	}
	return values(o.tables)
}

// In are the tables of a schema, by their names.
func (o *Objects) In(schema string) []*Table {
	if o == nil {
		return nil
	}
	var out []*Table
	at := o.tables.Iterator()
	for at.Seek(name{schema: schema}); !at.Done(); {
		key, t, _ := at.Next()
		if key.schema != schema {
			break
		}
		out = append(out, t)
	}
	return out
}

// With are the objects with a table, which takes the place of one of its name.
func (o *Objects) With(t *Table) *Objects { return o.replace(name{t.Schema, t.Name}, t) }

// Without are the objects without a table.
func (o *Objects) Without(t *Table) *Objects { return o.replace(name{t.Schema, t.Name}, nil) }

// replace are the objects with a table in the place of the one of a name; nil for none.
func (o *Objects) replace(at name, t *Table) *Objects {
	next := o.clone()
	old := find(next.tables, at)
	next.count(old, -1)
	next.count(t, 1)
	next.refer(old, t)
	if t == nil {
		next.tables = next.tables.Delete(at)
	} else {
		next.tables = next.tables.Set(at, t)
	}
	switch {
	case t != nil && t.View != nil:
		next.putView(at, t.View)
	case old != nil && old.View != nil:
		next.views = next.views.Delete(at)
	}
	return next
}

// WithSchema are the objects with a schema, which takes the place of one of its name.
func (o *Objects) WithSchema(schema *Schema) *Objects {
	next := o.clone()
	next.schemas = next.schemas.Set(schema.Name, schema)
	return next
}

// WithoutSchema are the objects without a schema, which has no tables.
func (o *Objects) WithoutSchema(schema string) *Objects {
	next := o.clone()
	next.schemas = next.schemas.Delete(schema)
	return next
}

func (o *Objects) clone() *Objects {
	if o == nil {
		return newObjects()
	}
	next := *o
	return &next
}

// heaps are the heaps of the tables.
func (o *Objects) heaps() map[*Heap]bool {
	out := map[*Heap]bool{}
	if o != nil {
		for _, t := range o.All() {
			out[t.Heap] = true
		}
	}
	return out
}
