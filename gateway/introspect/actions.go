package introspect

import (
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// action is a function that the room actions runs.
func action(name, about string, columns []Column) *Relation {
	a := syntax.Actions[name]
	return &Relation{Name: name, About: about, Columns: columns, Arguments: a.Parameters, ArgumentTypes: a.Types, Optional: len(a.Parameters) - a.Required, Writes: !a.Reads}
}

var compactAction = action("compact", "Merges the data files of a type, by the strategy snapshot, which is the default, or tiered. It returns the snapshots that it wrote.", []Column{
	{"type_kind", column.Text, "entity or relation"},
	{"type_name", column.Text, "the type"},
	{"files", column.Int64, "how many files and snapshots were merged"},
	{"min_commit_id", column.Int64, "the first commit of the snapshot"},
	{"max_commit_id", column.Int64, "the last one"},
	{"rows", column.Int64, "its rows"},
	{"bytes", column.Int64, "its size"},
})
