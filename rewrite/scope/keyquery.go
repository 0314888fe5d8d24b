package scope

import "github.com/ontosql/ontosql/rewrite/enginesql"

// KeyQuery says of a statement that it reads rows of types by the values of their keys, and that
// what else it asks for is as plain, so that a store of rows by key can answer it without the
// engine. It is all that the statement asks for.
type KeyQuery struct {
	// Ref is the reference whose rows are read.
	Ref int
	// Keys are the conditions on its key, all of which must hold. There is one on the first column.
	Keys []KeyCondition
	// Outputs are the columns of the result.
	Outputs []KeyQueryColumn
}

// KeyQueryColumn is a column of a reference: its name in the shape.
type KeyQueryColumn struct {
	Ref    int
	Name   string
	System bool
}

// KeyCondition says that a key column has one of some values.
type KeyCondition struct {
	Place  int        // of the column in the key
	Type   uint32     // types.Text, types.Int8 or types.UUID
	Values []KeyValue // none where no row has one
}

// KeyValue is a constant as its text is stored in a key, or a parameter of the column's class of types.
// A parameter that is NULL is no value.
type KeyValue struct {
	enginesql.Operand
	Array bool // the parameter is an array of such values
}
