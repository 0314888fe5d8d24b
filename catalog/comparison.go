package catalog

import "github.com/ontosql/ontosql/column"

// Columns of diff.<type>(a, b) (PRODUCT "The time machine"). FromPrefix and ToPrefix begin the
// names of the columns with the values at a and b.
const (
	FromPrefix = "from_"
	ToPrefix   = "to_"
)

var (
	diffKind = column.Named{Name: "diff", Type: column.Type{Kind: column.Text}} // 'insert' or 'update'; backwards 'delete' for an insert
	// The commits that wrote the two versions; NULL for a version that does not exist.
	fromCommit = column.Named{Name: FromPrefix + "commit_id", Type: column.Type{Kind: column.Int64}}
	toCommit   = column.Named{Name: ToPrefix + "commit_id", Type: column.Type{Kind: column.Int64}}
)

// Columns of blame.<type>.
var (
	blamedColumn  = column.Named{Name: "column_name", Type: column.Type{Kind: column.Text}}
	blamedValue   = column.Named{Name: "value", Type: column.Type{Kind: column.JSON}} // as it is stored; NULL for null
	commitActor   = column.Named{Name: "actor", Type: column.Type{Kind: column.Text}}
	commitMessage = column.Named{Name: "message", Type: column.Type{Kind: column.Text}}
)

// diffColumns are the columns of the key, what differs, and each column of the type as it was
// and as it is. The first of two columns of the same name hides the other.
func diffColumns(t *Type) []column.Named {
	cols := append(keyColumns(t), diffKind, changedFields, fromCommit, toCommit)
	for _, c := range t.Columns {
		cols = append(cols, column.Named{Name: FromPrefix + c.Name, Type: c.Type}, column.Named{Name: ToPrefix + c.Name, Type: c.Type})
	}
	return distinct(cols)
}

// blameColumns are the columns of the key, a field and its value, and the commit that set it.
func blameColumns(t *Type) []column.Named {
	return distinct(append(keyColumns(t), blamedColumn, blamedValue, commitID, committedAt, commitActor, commitMessage))
}

func keyColumns(t *Type) []column.Named {
	var cols []column.Named
	for _, k := range t.Key {
		cols = append(cols, column.Named{Name: t.Columns[k].Name, Type: t.Columns[k].Type})
	}
	return cols
}

// distinct leaves out columns whose name an earlier one has.
func distinct(cols []column.Named) []column.Named {
	seen := map[string]bool{}
	out := cols[:0]
	for _, c := range cols {
		if !seen[c.Name] {
			out = append(out, c)
		}
		seen[c.Name] = true
	}
	return out
}
