package scan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// fromImage is the role of Image.
const fromImage = ^catalog.Role(0)

// Image represents the system column fields_json among the columns in which unreadable values
// are counted.
var Image = catalog.Column{Name: "fields_json", Type: column.Type{Kind: column.JSON}, Role: fromImage}

// fitsDeclared is the role of Misfit.
const fitsDeclared = ^catalog.Role(1)

// Misfit represents a column declared as numeric(p,s) among the columns in which unreadable values
// are counted: those values are counted that can be read but that do not fit the declaration, in
// rows of all schema versions. ok is false for a column without a catalog.Column.DeclaredNumeric.
func Misfit(c catalog.Column) (of catalog.Column, ok bool) {
	if _, ok = c.DeclaredNumeric(); !ok {
		return c, false
	}
	c.Role = fitsDeclared
	return c, true
}

// MisfitPosition is the position of a column's Misfit in UnreadableByCommit.
func MisfitPosition(t *catalog.Type, i int) int { return len(t.Columns) + 1 + i }

// MisfitType is the declared type of a Misfit; ok is false for another column.
func MisfitType(c catalog.Column) (t column.Type, ok bool) {
	if c.Role != fitsDeclared {
		return t, false
	}
	c.Role = catalog.FromField
	return c.DeclaredNumeric()
}

// MayHaveUnreadable reports whether a column of a file can have values that a scan returns as
// NULL because they do not have the column's type (decisions A17, A18). That is possible for
// fields extracted from JSON, for numbers of a column whose type holds more than the field's, and for
// keys of another type than text. For text and JSON, such
// values are those that are invalid for PostgreSQL.
func MayHaveUnreadable(c catalog.Column, facts *format.Facts) bool {
	switch {
	case c.Role == fromImage:
		return !facts.Plain
	case c.Role == fitsDeclared:
		declared, _ := MisfitType(c)
		of, typed := typedColumn(c, facts)
		_, holds := sizes(of.Kind, declared)
		return !typed || !holds
	case c.Role != catalog.FromField:
		return typedKey(c)
	case c.Type.Kind == column.Text || c.Type.Kind == column.JSON:
		return !facts.Plain
	}
	of, typed := typedColumn(c, facts)
	if typed && c.Type.Kind == column.Numeric {
		_, holds := sizes(of.Kind, c.Type)
		return !holds
	}
	return !typed
}

// Unreadable returns a SELECT that counts such values: of a file's path (which may be "" if
// its Rows are read), a position in cols as BIGINT, and the number in the file, for the
// columns with MayHaveUnreadable. cols may include Image. keys restrict it to some identities,
// without parameters.
func Unreadable(t *catalog.Type, cols []catalog.Column, files []File, keys []KeyEqual) (string, error) {
	q := &query{Request: Request{Type: t, Files: files, KeyEquals: keys}, keys: KeyColumns(t.Ref.Kind)}
	var parts []string
	for _, g := range q.groups() {
		var positions, counts []string
		for i, c := range cols {
			if !MayHaveUnreadable(c, g.facts) {
				continue
			}
			bad, err := q.unreadable(c, g.facts)
			if err != nil {
				return "", err
			}
			positions, counts = append(positions, fmt.Sprintf("CAST(%d AS BIGINT)", i)), append(counts, "count(*) FILTER (WHERE "+bad+")")
		}
		if len(counts) == 0 {
			continue
		}
		where, err := q.wantedKeys(g.facts)
		if err != nil {
			return "", err
		}
		path, by := g.paths[0], ""
		if g.rows == "" {
			path, by = fileName, " GROUP BY "+fileName
		}
		part := fmt.Sprintf("SELECT %s, unnest([%s]), unnest([%s]) FROM %s", path, strings.Join(positions, ", "), strings.Join(counts, ", "),
			g.from(", filename = 'file name'"))
		if len(where) > 0 {
			part += " WHERE " + strings.Join(where, " AND ")
		}
		parts = append(parts, part+by)
	}
	return strings.Join(parts, "\nUNION ALL\n"), nil
}

// fileName is the column with a file's path. Field names cannot contain a space.
const fileName = `"file name"`

// unreadable is the condition that a stored value is not NULL but is returned as NULL.
func (q *query) unreadable(c catalog.Column, facts *format.Facts) (string, error) {
	if c.Role == catalog.FromField {
		version := versionOf(facts)
		return q.ofCurrentType(version, c, caseByVersion(c, version, "FALSE", func(c catalog.Column) string {
			value := fieldValue(c, facts, false)
			if c.Type.Kind == column.Text && isTyped(c, facts) {
				return duckdb.Ident(c.Field) + " IS NOT NULL AND " + value + " IS NULL"
			}
			return unreadableField("fields_json", c, value, facts.Plain)
		})), nil
	}
	if c.Role == fromImage {
		return unreadableImage("fields_json"), nil
	}
	if declared, ok := MisfitType(c); ok {
		wide, narrow := c, c
		narrow.Type = declared
		value := func(c catalog.Column) string {
			return caseByVersion(c, versionOf(facts), "NULL", func(c catalog.Column) string { return fieldValue(c, facts, false) })
		}
		return value(narrow) + " IS DISTINCT FROM " + value(wide), nil
	}
	text, err := q.keyText(KeyColumn(c.Role), facts)
	if err != nil {
		return "", err
	}
	return text + " IS NOT NULL AND " + keyValue(text, c.Type) + " IS NULL", nil
}

func unreadableImage(image string) string {
	return "(" + mayNotBePlain(image) + " AND " + jsonOrNull(image) + " IS NULL)"
}

// unreadableField is the condition that an image has a value of a field although value, the
// column's expression, is NULL. plain is that of jsonValue.
func unreadableField(image string, c catalog.Column, value string, plain bool) string {
	odd := mayNotBePlain(image)
	if !plain {
		image = readableJSON(image, `""`)
	}
	if c.Type.Kind == column.Text || c.Type.Kind == column.JSON { // DuckDB accepts every text for these
		return "CASE WHEN " + value + " IS NULL AND " + odd + " THEN " + fieldOf(c, image) + " IS NOT NULL END"
	}
	return "TRY(json_extract_string(" + image + ", " + duckdb.Literal(jsonPointer(c.Field)) + ")) IS NOT NULL AND " + value + " IS NULL OR NOT json_valid(" + image + ")"
}

// ofCurrentType restricts a condition to rows written under a schema version in which the
// column had its current type: values of earlier versions were migrated and are not
// unreadable. version is the SQL of the row's version, or "".
func (q *query) ofCurrentType(version string, c catalog.Column, condition string) string {
	others := OtherVersions(q.Type, c)
	if others == "" || version == "" {
		return "(" + condition + ")"
	}
	return "coalesce(" + version + ", 0) NOT IN (" + others + ") AND (" + condition + ")"
}

// OtherVersions are the schema versions, separated by commas, in which a column had another
// type: Unreadable skips them.
func OtherVersions(t *catalog.Type, c catalog.Column) string {
	return joinInts(t.OtherVersions(c))
}

// KeyColumn returns the stored column that a key column shows.
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

// UnreadableByCommit returns a SELECT of the position of a column in the type, a commit after
// the given one, and the number of unreadable values that it wrote, all BIGINT, for every
// column, for Image after them, and for each Misfit at its MisfitPosition. It is "" if the files cannot have any. rows is a relation of
// the result of Stored for the same files; columns that may have unreadable values in all
// files are counted there instead of reading the files again.
func UnreadableByCommit(t *catalog.Type, files []File, after ontosql.CommitID, rows string) (string, error) {
	q := &query{Request: Request{Type: t, Files: files}, keys: KeyColumns(t.Ref.Kind)}
	groups := q.groups()
	var parts, cols, bad []string
	for i, c := range append(slices.Clone(t.Columns), Image) {
		doubtful := slices.DeleteFunc(slices.Clone(groups), func(g group) bool { return !MayHaveUnreadable(c, g.facts) })
		if len(doubtful) > 0 && len(doubtful) == len(groups) {
			plain := !slices.ContainsFunc(groups, func(g group) bool { return !g.facts.Plain })
			cols, bad = append(cols, fmt.Sprintf("CAST(%d AS BIGINT)", i)), append(bad, q.unreadableStored(i, c, plain))
			continue
		}
		for _, g := range doubtful {
			where, err := q.unreadable(c, g.facts)
			if err != nil {
				return "", err
			}
			parts = append(parts, fmt.Sprintf("SELECT CAST(%d AS BIGINT), CAST(commit_id AS BIGINT), count(*) FROM %s WHERE commit_id > %d AND commit_id >= %d AND (%s) GROUP BY ALL",
				i, g.from(""), after, t.Floor, where))
		}
	}
	if len(cols) > 0 {
		parts = append(parts, fmt.Sprintf("SELECT col, c, count(*) FROM (SELECT unnest([%s]) AS col, r.c, unnest([%s]) AS bad FROM %s AS r) WHERE bad GROUP BY ALL",
			strings.Join(cols, ", "), strings.Join(bad, ", "), rows))
	}
	if misfits := misfitsByCommit(t, rows); misfits != "" {
		parts = append(parts, misfits)
	}
	return strings.Join(parts, "\nUNION ALL\n"), nil
}

// misfitsByCommit is the part of UnreadableByCommit for the Misfits, "" for none.
func misfitsByCommit(t *catalog.Type, rows string) string {
	var positions, counts []string
	for i, c := range t.Columns {
		declared, ok := c.DeclaredNumeric()
		if !ok {
			continue
		}
		positions = append(positions, fmt.Sprintf("CAST(%d AS BIGINT)", MisfitPosition(t, i)))
		counts = append(counts, fmt.Sprintf("count(*) FILTER (WHERE TRY_CAST(r.f%d AS %s) IS DISTINCT FROM r.f%d)", i, duckdb.TypeName(declared), i))
	}
	if len(counts) == 0 {
		return ""
	}
	return fmt.Sprintf("SELECT * FROM (SELECT unnest([%s]), c, unnest(n) AS n FROM (SELECT r.c, [%s] AS n FROM %s AS r GROUP BY r.c)) WHERE n > 0",
		strings.Join(positions, ", "), strings.Join(counts, ", "), rows)
}

// unreadableStored is unreadable for a row r of StoredColumns. plain is that of jsonValue.
func (q *query) unreadableStored(i int, c catalog.Column, plain bool) string {
	if c.Role == fromImage {
		return unreadableImage("r.j")
	}
	value := fmt.Sprintf("r.f%d", i)
	if c.Role == catalog.FromField {
		return q.ofCurrentType("r.s", c, caseByVersion(c, "r.s", "FALSE", func(c catalog.Column) string {
			return unreadableField("r.j", c, value, plain)
		}))
	}
	return fmt.Sprintf("r.k%d IS NOT NULL AND %s IS NULL", slices.Index(q.keys, KeyColumn(c.Role)), value)
}
