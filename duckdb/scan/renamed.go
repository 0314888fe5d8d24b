package scan

import (
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
)

// caseByVersion is the SQL of a column's value, or of a condition on it, in rows of any schema
// version. sql returns it for the column under the name that its field had in a version; none
// is used for versions without the field. version is the SQL of a row's version, or "".
func caseByVersion(c catalog.Column, version, none string, sql func(catalog.Column) string) string {
	if len(c.Past) == 0 || version == "" {
		return sql(c)
	}
	text := "CASE"
	for _, p := range c.Past {
		value := none
		if before := c; p.Field != "" {
			before.Field = p.Field
			value = sql(before)
		}
		text += " WHEN " + version + " IN (" + joinInts(p.Versions) + ") THEN " + value
	}
	return text + " ELSE " + sql(c) + " END"
}

// withCurrentNames is the SQL of an image like fields_json, of any schema version, with its
// members renamed to the type's current field names.
func withCurrentNames(t *catalog.Type, image, version string) string {
	if len(t.Renamings) == 0 {
		return image
	}
	text := "CASE"
	for _, r := range t.Renamings {
		var names []string
		for _, n := range r.Names {
			names = append(names, duckdb.Literal(n[0]), duckdb.Literal(n[1]))
		}
		text += " WHEN " + version + " IN (" + joinInts(r.Versions) + ") THEN ontosql_rename_members(" + image + ", [" + strings.Join(names, ", ") + "])"
	}
	return text + " ELSE " + image + " END"
}

func joinInts(list []int64) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ", ")
}
