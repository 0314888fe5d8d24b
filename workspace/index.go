package workspace

import (
	"slices"

	"github.com/ontosql/ontosql/rewrite/types"
)

// Index is an index that no constraint has made. Only the unique ones have an effect: their
// keys are checked as those of constraints are (Key).
type Index struct {
	Number  int // as Unique has it
	Name    string
	Unique  bool
	Method  string
	Keys    []IndexKey
	Include []int  // the numbers of further columns
	Where   string // the condition of a partial index, "" for none
	// WhereColumns are the numbers of the columns that the condition names.
	WhereColumns []int
	// Storage are the storage parameters, as pg_class.reloptions has them.
	Storage []string `json:",omitempty"`
	Comment string
}

// IndexKey is a part of the key of an index: a column or an expression.
type IndexKey struct {
	Column    int    // its number, 0 for an expression
	Text      string // of the expression
	Columns   []int  // that the expression names
	Type      types.Type
	Label     string // the name of the column in the index, of an expression
	Call      bool   // the expression is a function call, which is printed without parentheses
	Collation string // "" for the column's own
	Class     string // the operator class, "" for the default
	Desc      bool
	First     bool // NULLS FIRST
}

// Uses reports whether the index has a column, by its number.
func (x *Index) Uses(column int) bool {
	return slices.Contains(x.Include, column) || slices.Contains(x.WhereColumns, column) || slices.ContainsFunc(x.Keys, func(k IndexKey) bool {
		return k.Column == column || slices.Contains(k.Columns, column)
	})
}
