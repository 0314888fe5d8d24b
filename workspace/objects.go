package workspace

import (
	"maps"
	"slices"
	"sync/atomic"
)

// Objects is an immutable set of schemas, tables, views and sequences. A change returns a new
// set, so that a savepoint can return to the old one. The nil Objects is the empty set.
type Objects struct {
	schemas map[string]*Schema
	tables  map[name]*Table
	views   map[name]*View

	sequences map[name]*Sequence
	defaults  []DefaultGrants // on what is created in any schema

	references references
	counted    atomic.Pointer[map[name]usage] // usages
}

type name struct{ schema, relation string }

// HasSchema reports whether there is a schema of a name.
func (o *Objects) HasSchema(schema string) bool { return o.Schema(schema) != nil }

// Schemas are the names of the schemas, sorted.
func (o *Objects) Schemas() []string {
	if o == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(o.schemas))
}

// Table finds a table, nil for none.
func (o *Objects) Table(schema, table string) *Table {
	if o == nil {
		return nil
	}
	return o.tables[name{schema, table}]
}

// All are the tables, by their schemas and names.
func (o *Objects) All() []*Table {
	if o == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(o.tables), (*Table).Compare)
}

// In are the tables of a schema, by their names.
func (o *Objects) In(schema string) []*Table {
	return slices.DeleteFunc(o.All(), func(t *Table) bool { return t.Schema != schema })
}

// With are the objects with a table, which takes the place of one of its name.
func (o *Objects) With(t *Table) *Objects {
	next := o.clone()
	next.recount(next.tables[name{t.Schema, t.Name}], t)
	next.tables[name{t.Schema, t.Name}] = t
	return next
}

// Without are the objects without a table.
func (o *Objects) Without(t *Table) *Objects {
	next := o.clone()
	next.recount(next.tables[name{t.Schema, t.Name}], nil)
	delete(next.tables, name{t.Schema, t.Name})
	return next
}

// WithSchema are the objects with a schema, which takes the place of one of its name.
func (o *Objects) WithSchema(schema *Schema) *Objects {
	next := o.clone()
	next.schemas[schema.Name] = schema
	return next
}

// WithoutSchema are the objects without a schema, which has no tables.
func (o *Objects) WithoutSchema(schema string) *Objects {
	next := o.clone()
	delete(next.schemas, schema)
	return next
}

func (o *Objects) clone() *Objects {
	if o == nil {
		return &Objects{schemas: map[string]*Schema{}, tables: map[name]*Table{}, views: map[name]*View{}, sequences: map[name]*Sequence{}}
	}
	next := &Objects{schemas: maps.Clone(o.schemas), tables: maps.Clone(o.tables), views: maps.Clone(o.views), sequences: maps.Clone(o.sequences), defaults: o.defaults}
	next.copyCount(o)
	return next
}

// heaps are the heaps of the tables.
func (o *Objects) heaps() map[*Heap]bool {
	out := map[*Heap]bool{}
	if o != nil {
		for _, t := range o.tables {
			out[t.Heap] = true
		}
	}
	return out
}
