package workspace

import "slices"

// Key is what no two rows of a table may have in common: the columns of a PRIMARY KEY or UNIQUE
// constraint, or the columns and expressions of a unique index, for the rows that meet its
// condition.
type Key struct {
	Number int // as Unique has it
	Name   string
	Parts  []IndexKey
	Where  string // the condition, "" for all rows
	Index  bool   // it is an index that no constraint has made
	// Deferral is when it is checked.
	Deferral Deferral
	used     []int // the numbers of the columns of Parts and Where
}

// Key is what a constraint allows no two rows to have in common.
func (u *Unique) Key() Key {
	k := Key{Number: u.Number, Name: u.Name, Deferral: u.Deferral, used: u.Columns}
	for _, number := range u.Columns {
		k.Parts = append(k.Parts, IndexKey{Column: number})
	}
	return k
}

// key is Unique.Key for a unique index.
func (x *Index) key() Key {
	k := Key{Number: x.Number, Name: x.Name, Parts: x.Keys, Where: x.Where, Index: true, used: x.WhereColumns}
	for _, p := range x.Keys {
		k.used = slices.Concat(k.used, p.Columns)
	}
	return k
}

// Keys are those of the constraints and of the unique indexes, in the order of their numbers.
func (t *Table) Keys() (all []Key) {
	for _, u := range t.Constraints() {
		all = append(all, u.Key())
	}
	for i := range t.Indexes {
		if t.Indexes[i].Unique {
			all = append(all, t.Indexes[i].key())
		}
	}
	slices.SortStableFunc(all, func(a, b Key) int { return a.Number - b.Number })
	return all
}

// Uses reports whether a value of a column, by its number, decides about the key of a row.
func (k *Key) Uses(column int) bool { return slices.Contains(k.used, column) }

// Columns are the numbers of the columns that the key consists of, nil if it has an expression
// or a condition.
func (k *Key) Columns() (numbers []int) {
	for _, p := range k.Parts {
		if p.Column == 0 || k.Where != "" {
			return nil
		}
		numbers = append(numbers, p.Column)
	}
	return numbers
}

// NextUnique is the number of the next constraint or index.
func (t *Table) NextUnique() int {
	next := 1
	for _, k := range t.Constraints() {
		next = max(next, k.Number+1)
	}
	for _, x := range t.Indexes {
		next = max(next, x.Number+1)
	}
	return next
}
