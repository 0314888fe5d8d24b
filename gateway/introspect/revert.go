package introspect

import "github.com/ontosql/ontosql/column"

var revertAction = action("revert", "Gives rows the values that they had at a point: of all types, of one, or of the row with a key. Rows that did not exist then are an error, unless keep_new is true.", []Column{
	{"type_kind", column.Text, "entity or relation"},
	{"type_name", column.Text, "the name it was registered with"},
	{"table_name", column.Text, "its table in public, history and changes"},
	{"reverted", column.Int64, "rows that got other values"},
	{"kept", column.Int64, "rows that did not exist at the point, and stay"},
})
