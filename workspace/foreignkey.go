package workspace

import (
	"slices"
	"sync"
)

// ForeignKey is a FOREIGN KEY constraint of a table, by the numbers of columns.
type ForeignKey struct {
	Number  int // in the order of creation
	Name    string
	Columns []int
	// Schema and Table name the referenced table, References are its columns, and Key is the
	// name of its constraint that makes them unique.
	Schema, Table string
	References    []int
	Key           string
	Full          bool      // MATCH FULL
	OnUpdate      KeyAction // of a row that is referenced
	OnDelete      KeyAction
	SetColumns    []int    // that ON DELETE SET NULL or SET DEFAULT sets, nil for all
	Deferral      Deferral // when it is checked
	NotValid      bool     // the rows that were there before were not checked
	Comment       string   `json:",omitempty"`
}

// KeyAction is what happens to the rows that reference a row which goes or gets another key, as
// pg_constraint.confdeltype has it.
type KeyAction byte

// The actions.
const (
	NoAction   KeyAction = 'a'
	Restrict   KeyAction = 'r'
	Cascade    KeyAction = 'c'
	SetNull    KeyAction = 'n'
	SetDefault KeyAction = 'd'
)

// Deferral is when a constraint is checked.
type Deferral uint8

// When a constraint is checked.
const (
	NotDeferrable Deferral = iota
	InitiallyImmediate
	InitiallyDeferred
)

// Reference is a foreign key with its table.
type Reference struct {
	Table *Table
	Key   *ForeignKey
}

// references are the foreign keys of objects by the tables that they lead to. They are found
// when they are asked for first.
type references struct {
	once sync.Once
	to   map[name][]Reference
}

// ReferencesTo are the foreign keys that lead to a table, in the order of their creation.
func (o *Objects) ReferencesTo(schema, table string) []Reference {
	if o == nil {
		return nil
	}
	o.references.once.Do(func() {
		o.references.to = map[name][]Reference{}
		for _, t := range o.All() {
			for i := range t.ForeignKeys {
				k := &t.ForeignKeys[i]
				to := name{k.Schema, k.Table}
				o.references.to[to] = append(o.references.to[to], Reference{t, k})
			}
		}
		for _, all := range o.references.to {
			slices.SortStableFunc(all, func(a, b Reference) int { return a.Key.Number - b.Key.Number })
		}
	})
	return o.references.to[name{schema, table}]
}

// NextForeignKey is the number of the next foreign key.
func (o *Objects) NextForeignKey() int {
	next := 1
	for _, t := range o.All() {
		for i := range t.ForeignKeys {
			next = max(next, t.ForeignKeys[i].Number+1)
		}
	}
	return next
}

// ReferencesTo reports whether the foreign key leads to a table.
func (k *ForeignKey) ReferencesTo(t *Table) bool { return k.Schema == t.Schema && k.Table == t.Name }

// RenameReferences makes the foreign keys that lead to a table lead to another name.
func (t *Session) RenameReferences(from, to *Table) {
	for _, r := range t.Of(from.Schema).ReferencesTo(from.Schema, from.Name) {
		child := t.Table(r.Table.Schema, r.Table.Name)
		if child == nil { // the table itself, which has another name already
			continue
		}
		t.Put(child.withReferences(from, to))
	}
}

// withReferences is the table with foreign keys that lead to another name.
func (t *Table) withReferences(from, to *Table) *Table {
	next := *t
	next.ForeignKeys = slices.Clone(t.ForeignKeys)
	for i := range next.ForeignKeys {
		if k := &next.ForeignKeys[i]; k.ReferencesTo(from) {
			k.Schema, k.Table = to.Schema, to.Name
		}
	}
	return &next
}
