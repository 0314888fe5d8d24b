package workspace

import (
	"cmp"
	"slices"
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

// ReferencesTo are the foreign keys that lead to a table, in the order of their creation.
func (o *Objects) ReferencesTo(schema, table string) []Reference {
	if o == nil {
		return nil
	}
	to, _ := o.references.Get(name{schema, table})
	return to
}

// refer replaces the foreign keys of a table by those of another one, in objects that are being
// made. Both may be nil.
func (o *Objects) refer(old, t *Table) {
	change := func(k *ForeignKey, change func([]Reference) []Reference) {
		to := name{k.Schema, k.Table}
		all, _ := o.references.Get(to)
		if all = change(slices.Clone(all)); len(all) == 0 {
			o.references = o.references.Delete(to)
		} else {
			o.references = o.references.Set(to, all)
		}
	}
	if old != nil {
		for i := range old.ForeignKeys {
			change(&old.ForeignKeys[i], func(all []Reference) []Reference {
				return slices.DeleteFunc(all, func(r Reference) bool { return r.Table == old })
			})
		}
	}
	if t == nil {
		return
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		o.lastForeignKey = max(o.lastForeignKey, k.Number)
		change(k, func(all []Reference) []Reference {
			all = append(all, Reference{t, k})
			slices.SortStableFunc(all, func(a, b Reference) int {
				return cmp.Or(cmp.Compare(a.Key.Number, b.Key.Number), a.Table.Compare(b.Table))
			})
			return all
		})
	}
}

// NextForeignKey is the number of the next foreign key.
func (o *Objects) NextForeignKey() int {
	if o == nil {
		return 1
	}
	return o.lastForeignKey + 1
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
