package workspace

import (
	"maps"
	"slices"
	"strings"
)

// Objects are the tables of one or more schemas. They are immutable: a change gives others,
// so that a savepoint can go back to the ones before. The nil Objects are none.
type Objects struct {
	tables map[name]*Table
}

type name struct{ schema, table string }

// Table finds a table, nil for none.
func (o *Objects) Table(schema, table string) *Table {
	if o == nil {
		return nil
	}
	return o.tables[name{schema, table}]
}

// All are the tables, by their names.
func (o *Objects) All() []*Table {
	if o == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(o.tables), func(a, b *Table) int {
		if c := strings.Compare(a.Schema, b.Schema); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// With are the objects with a table, which takes the place of one of its name.
func (o *Objects) With(t *Table) *Objects {
	next := o.clone()
	next.tables[name{t.Schema, t.Name}] = t
	return next
}

// Without are the objects without a table.
func (o *Objects) Without(t *Table) *Objects {
	next := o.clone()
	delete(next.tables, name{t.Schema, t.Name})
	return next
}

func (o *Objects) clone() *Objects {
	next := &Objects{tables: map[name]*Table{}}
	if o != nil {
		maps.Copy(next.tables, o.tables)
	}
	return next
}

// heaps are the heaps of the tables.
func (o *Objects) heaps() map[*Heap]bool {
	out := map[*Heap]bool{}
	for _, t := range o.All() {
		out[t.Heap] = true
	}
	return out
}
