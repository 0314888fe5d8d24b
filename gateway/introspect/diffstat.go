package introspect

import "github.com/ontosql/ontosql/column"

// DiffStat is ontosql.diff_stat(since, point).
var DiffStat = &Relation{
	Name: "diff_stat", Shows: Rows,
	About:     "How much the commits between two points changed, by type. Types without a commit between them have no row, and are not read.",
	Arguments: []string{"since", "point"},
	Columns: []Column{
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the name it was registered with"},
		{"table_name", column.Text, "its table in public, history and changes"},
		{"inserted", column.Int64, "rows that the second point has and the first has not"},
		{"updated", column.Int64, "rows whose values differ"},
		{"unchanged", column.Int64, "rows that were written in between and have the same values at both points"},
		{"commits", column.Int64, "commits in between that wrote rows of the type"},
		{"rows", column.Int64, "rows that they wrote"},
		{"deleted", column.Int64, "rows that the first point has and the second, which is earlier, has not"},
	},
}
