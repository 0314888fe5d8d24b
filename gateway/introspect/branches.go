package introspect

import "github.com/ontosql/ontosql/column"

var branchesAction = action("branches", "The branches of the ontology, and what each has in common with the one of this database.", []Column{
	{"database", column.Text, "the name under which clients know it"},
	{"branch", column.Text, "the branch"},
	{"current", column.Bool, "whether it is the one of this database"},
	{"storage_uri", column.Text, "where its store is"},
	{"head_commit_id", column.Int64, "its last commit"},
	{"ancestor_commit_id", column.Int64, "the last commit that both have"},
	{"ahead", column.Int64, "how many commits it has after that one"},
	{"behind", column.Int64, "how many this database has"},
})

var branchDiffAction = action("branch_diff", "What each of two branches has changed since their common ancestor, by identity and field.", []Column{
	{"database", column.Text, "the branch that has made the change"},
	{"type_kind", column.Text, "entity or relation"},
	{"type_name", column.Text, "the type"},
	{"key", column.JSON, "the identity as an array of texts; NULL for the type itself"},
	{"is_new", column.Bool, "whether the ancestor has no such row or type"},
	{"field", column.Text, "the field; NULL for the type itself, whose values are schemas"},
	{"base", column.JSON, "its value in the ancestor"},
	{"value", column.JSON, "its value in the branch"},
})

var mergeAction = action("merge", "Merges a branch into that of this database, in one commit. There is a row for each conflict, or one without a conflict; if the conflicts are not decided by ours or theirs, nothing is merged.", []Column{
	{"commit_id", column.Int64, "the commit of the merge; NULL if nothing was committed"},
	{"inserted", column.Int64, "how many rows are new"},
	{"updated", column.Int64, "how many rows are changed"},
	{"type_kind", column.Text, "of the conflict: entity or relation"},
	{"type_name", column.Text, "the type"},
	{"key", column.JSON, "the identity as an array of texts; NULL for the type itself"},
	{"field", column.Text, "the field; NULL for the type itself, whose values are schemas"},
	{"base", column.JSON, "its value in the ancestor"},
	{"ours", column.JSON, "its value in this database"},
	{"theirs", column.JSON, "its value in the branch that is merged"},
})
