package scan

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// latest selects the newest version of each identity. DuckDB pushes both key and field
// predicates through the join; the window function, through which it does not push field
// predicates, is used where the join would return duplicates.
func (q *query) latest(rows string, out []column.Named) string {
	sql := "SELECT " + q.output(out, nil)
	commits := ""
	if q.wantsCommitTime() {
		commits = q.joinCommits("m", "r.c")
	}
	switch {
	case q.oneRowPerIdentity():
		return sql + " FROM (\n" + rows + "\n) AS r" + commits
	case q.ordered:
		newest := "SELECT * FROM (\n" + rows + "\n) AS r QUALIFY row_number() OVER (" + q.versionWindow(" DESC") + ") = 1"
		return sql + " FROM (" + newest + ") AS r" + commits
	}
	materialized := "NOT MATERIALIZED" // the two references read different columns
	if len(q.KeyEquals) > 0 {
		materialized = "MATERIALIZED" // finding the few rows takes longest
	}
	return "WITH v AS " + materialized + " (\n" + rows + "\n)\n" + sql + " FROM v AS r JOIN (SELECT " + q.keyList("v") +
		", max(v.c) AS c FROM v GROUP BY " + q.keyList("v") + ") AS l ON " + q.sameKeys("r", "l") + " AND r.c = l.c" + commits
}

// history selects every version with the time span in which it was the newest.
func (q *query) history(rows string, out []column.Named) string {
	versions := "SELECT *, lead(r.c) OVER (" + q.versionWindow("") + ") AS next_c FROM (\n" + rows + "\n) AS r"
	return q.historyOf("("+versions+") AS r", out)
}

// historyOf selects versions r, which have the commit next_c that superseded each.
func (q *query) historyOf(versions string, out []column.Named) string {
	return "SELECT " + q.output(out, map[string]string{
		"valid_to": "e.created_at", "valid_to_commit": q.commitExpr("r.next_c"), "is_current": "r.next_c IS NULL",
	}) + " FROM " + versions + q.joinCommits("m", "r.c") + q.joinCommits("e", "r.next_c") + q.lowerBound()
}

// versionsAndBefore selects every version with the one before it of the same identity: last_c,
// last_j, and the texts of the fields of both, x and last_x.
func (q *query) versionsAndBefore(rows string) string {
	before := "lag(r.c) OVER w AS last_c, lag(r.j) OVER w AS last_j"
	if len(q.Type.Renamings) > 0 {
		before += ", lag(r.s) OVER w AS last_s"
	}
	return "SELECT *, " + q.fieldTexts("v.j", "v.s") + " AS x, " + q.fieldTexts("v.last_j", "v.last_s") + " AS last_x FROM (" +
		"SELECT *, " + before + " FROM (\n" + rows + "\n) AS r WINDOW w AS (" + q.versionWindow("") + ")) AS v"
}

// changes compares every version with the one before it, with fields under their current
// names.
func (q *query) changes(rows string, out []column.Named) string {
	return "SELECT " + q.output(out, map[string]string{
		"change":         "CASE WHEN r.last_c IS NULL THEN 'insert' ELSE 'update' END",
		"changed_fields": changedFields(q.fields(), "r.x", "r.last_x"),
		"before":         q.imageAsJSON(withCurrentNames(q.Type, "r.last_j", "r.last_s")),
	}) + " FROM (" + q.versionsAndBefore(rows) + ") AS r" + q.joinCommits("m", "r.c") + q.lowerBound()
}

// fields are the columns whose values are fields.
func (q *query) fields() []catalog.Column {
	var fields []catalog.Column
	for _, c := range q.Type.Columns {
		if c.Role == catalog.FromField {
			fields = append(fields, c)
		}
	}
	return fields
}

// fieldTexts is the list of the JSON texts of the fields in an image of a schema version, under
// their current names. Of an image that DuckDB cannot parse, because of one value, it has the others.
func (q *query) fieldTexts(image, version string) string {
	fields := q.fields()
	if len(fields) == 0 {
		return "CAST([] AS VARCHAR[])"
	}
	paths := make([]string, len(fields))
	for i, c := range fields {
		paths[i] = duckdb.Literal(jsonPointer(c.Field))
	}
	of := func(image string) string {
		return "TRY(json_extract(" + withCurrentNames(q.Type, image, version) + ", [" + strings.Join(paths, ", ") + "]))"
	}
	texts := of(image)
	if !q.allPlain() {
		texts = "coalesce(" + texts + ", CASE WHEN " + mayNotBePlain(image) + " THEN " + of(readableJSON(image, "null")) + " END)"
	}
	return "CAST(" + texts + " AS VARCHAR[])"
}

// valueOfText is the JSON text of a field as a value; NULL for null, and if PostgreSQL cannot represent it.
func (q *query) valueOfText(text string) string {
	value := func(text string) string { return "TRY_CAST(nullif(" + text + ", 'null') AS JSON)" }
	if q.allPlain() {
		return value(text)
	}
	const member = "v"
	object := `('{"` + member + `":' || ` + text + ` || '}')`
	readable := "CAST(TRY(json_extract(" + readableJSON(object, "null") + ", " + duckdb.Literal(jsonPointer(member)) + ")) AS VARCHAR)"
	return "CASE WHEN " + mayNotBePlain(text) + " THEN " + value(readable) + " ELSE " + value(text) + " END"
}

// maxSeparateComparisons is the number of fields up to which each has its own comparison.
const maxSeparateComparisons = 32

// changedFields is the SQL of the list of the names of fields whose texts differ between two
// lists. A comparison for each field is faster to run, but DuckDB's planning
// time grows with the square of their number (18 seconds for 1,590 fields), so that many
// fields share one comparison.
func changedFields(fields []catalog.Column, now, before string) string {
	if len(fields) == 0 {
		return "CAST([] AS VARCHAR[])"
	}
	names := make([]string, len(fields))
	for i, c := range fields {
		names[i] = duckdb.Literal(c.Field)
	}
	if len(names) > maxSeparateComparisons {
		now, before = now+"[i]", before+"[i]"
		// CASE, unlike AND, skips the numeric comparison where the texts are equal.
		return "list_filter([" + strings.Join(names, ", ") + "], lambda f, i: CASE WHEN " + now + " IS DISTINCT FROM " + before + " THEN " + differs(now, before) + " ELSE FALSE END)"
	}
	found := make([]string, len(names))
	for i, name := range names {
		found[i] = fmt.Sprintf("CASE WHEN %s THEN %s END", differs(fmt.Sprintf("%s[%d]", now, i+1), fmt.Sprintf("%s[%d]", before, i+1)), name)
	}
	return "list_filter([" + strings.Join(found, ", ") + "], lambda f: f IS NOT NULL)"
}

// differs is the condition that two JSON texts of a field differ for a reader: a missing value
// equals null, and numbers are compared by value (COMPAT 5), integers exactly. Inside lists
// and objects numbers are compared as text.
func differs(a, b string) string {
	same := func(typ string) string {
		return fmt.Sprintf("TRY_CAST(%s AS %s) IS NOT DISTINCT FROM TRY_CAST(%s AS %s)", a, typ, b, typ)
	}
	return fmt.Sprintf("nullif(%s, 'null') IS DISTINCT FROM nullif(%s, 'null') AND (TRY_CAST(%s AS DOUBLE) IS NULL OR NOT (%s AND %s))",
		a, b, a, same("DOUBLE"), same("HUGEINT"))
}
