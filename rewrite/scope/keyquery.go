package scope

import (
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/rowexpr"
)

// KeyQuery says of a statement that it reads rows of types by the values of their keys, and that
// what else it asks for is as plain, so that a store of rows by key can answer it without the
// engine. It is all that the statement asks for.
type KeyQuery struct {
	// Steps read the rows of one reference each, by keys that the statement gives or rows of earlier
	// steps have.
	Steps []KeyStep
	// Where are further conditions that must hold.
	Where []*rowexpr.Expr
	// Outputs are the columns of the result.
	Outputs []KeyQueryOutput
	// Order are what the rows are sorted by.
	Order []KeyQueryOrder
	// Limit and Offset are of type bigint; nil for none.
	Limit, Offset *enginesql.Operand
	// Columns are the columns that expressions may name, by their names there (rowexpr.Expr.Column).
	Columns map[string]KeyQueryColumn
}

// KeyStep joins the rows of a reference to those of the earlier steps.
type KeyStep struct {
	Ref int
	// Keys are conditions on its key, all of which must hold. There is one on the first column.
	Keys []KeyCondition
	// Outer says that rows of the earlier steps without a match are kept, with NULLs.
	Outer bool
}

// KeyQueryColumn is a column of a reference: its name in the shape.
type KeyQueryColumn struct {
	Ref    int
	Name   string
	System bool
}

// KeyQueryOutput is a column of a reference, or an expression if Value is not nil.
type KeyQueryOutput struct {
	KeyQueryColumn
	Value *rowexpr.Expr
}

// KeyQueryOrder is an item of ORDER BY.
type KeyQueryOrder struct {
	KeyQueryColumn
	Descending, NullsFirst bool
}

// KeyCondition says that a key column has one of some values.
type KeyCondition struct {
	Place  int        // of the column in the key
	Type   uint32     // types.Text, types.Int8 or types.UUID
	Values []KeyValue // none where no row has one
}

// KeyValue is a constant as its text is stored in a key, or a parameter or a column of the key column's
// class of types. NULL is no value.
type KeyValue struct {
	enginesql.Operand
	Array  bool            // the parameter is an array of such values
	Column *KeyQueryColumn // of an earlier step; nil for a constant and a parameter
}
