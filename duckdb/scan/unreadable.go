package scan

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// Doubtful reports whether a column of a file can hold values that a scan shows
// as NULL because they are none of the column's type (decisions A17, A18): it
// is extracted from JSON, or a key that is shown as something else than text.
func Doubtful(c catalog.Column, facts *format.Facts) bool {
	switch {
	case c.Role != catalog.FromField:
		return c.Type.Kind != column.Text
	case c.Type.Kind == column.Text || c.Type.Kind == column.JSON:
		return false
	}
	return fieldValue(c, facts) != duckdb.Ident(c.Field)
}

// Unreadable is a SELECT of the file's path and the number of such values in the file,
// for a column and files that are Doubtful in it.
func Unreadable(t *catalog.Type, c catalog.Column, files []File) (string, error) {
	q := &query{Request: Request{Type: t, Files: files}, keys: KeyColumns(t.Ref.Kind)}
	var parts []string
	for _, g := range q.groups() {
		where, err := q.unreadable(c, g.facts)
		if err != nil {
			return "", err
		}
		// No field has a name with a space in it.
		parts = append(parts, fmt.Sprintf(`SELECT "file name", count(*) FILTER (WHERE %s) FROM read_parquet([%s], filename = 'file name', hive_partitioning = false) GROUP BY ALL`,
			where, strings.Join(g.paths, ", ")))
	}
	return strings.Join(parts, "\nUNION ALL\n"), nil
}

// unreadable is the condition that a stored value is shown as NULL and is not.
func (q *query) unreadable(c catalog.Column, facts *format.Facts) (string, error) {
	if c.Role == catalog.FromField {
		stored := "TRY(json_extract_string(fields_json, " + duckdb.Literal(pointer(c.Field)) + "))"
		return stored + " IS NOT NULL AND " + fieldValue(c, facts) + " IS NULL OR NOT json_valid(fields_json)", nil
	}
	text, err := q.keyText(KeyColumn(c.Role), facts)
	if err != nil {
		return "", err
	}
	return text + " IS NOT NULL AND " + keyValue(text, c.Type) + " IS NULL", nil
}

// KeyColumn is the stored column that a key column of a type shows.
func KeyColumn(r catalog.Role) string {
	switch r {
	case catalog.FromLeftKey:
		return "left_key"
	case catalog.FromRightKey:
		return "right_key"
	case catalog.FromInstanceKey:
		return "instance_key"
	}
	return "entity_key"
}

// UnreadableByCommit is a SELECT of the position of a column in the type, a
// commit after the given one and the number of such values that it wrote, all
// BIGINT, for every column; "" where files cannot have any.
func UnreadableByCommit(t *catalog.Type, files []File, after ontosql.CommitID) (string, error) {
	q := &query{Request: Request{Type: t, Files: files}, keys: KeyColumns(t.Ref.Kind)}
	var parts []string
	for i, c := range t.Columns {
		for _, g := range q.groups() {
			if !Doubtful(c, g.facts) {
				continue
			}
			where, err := q.unreadable(c, g.facts)
			if err != nil {
				return "", err
			}
			parts = append(parts, fmt.Sprintf("SELECT CAST(%d AS BIGINT), CAST(commit_id AS BIGINT), count(*) FROM read_parquet([%s], hive_partitioning = false) WHERE commit_id > %d AND commit_id >= %d AND (%s) GROUP BY ALL",
				i, strings.Join(g.paths, ", "), after, t.Floor, where))
		}
	}
	return strings.Join(parts, "\nUNION ALL\n"), nil
}
