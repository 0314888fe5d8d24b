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

// changes compares every version with the one before it, with fields under their current
// names.
func (q *query) changes(rows string, out []column.Named) string {
	before := "lag(r.c) OVER w AS last_c, lag(r.j) OVER w AS last_j"
	if len(q.Type.Renamings) > 0 {
		before += ", lag(r.s) OVER w AS last_s"
	}
	versions := "SELECT *, " + before + " FROM (\n" + rows + "\n) AS r WINDOW w AS (" + q.versionWindow("") + ")"
	var fields []catalog.Column
	for _, c := range q.Type.Columns {
		if c.Role == catalog.FromField {
			fields = append(fields, c)
		}
	}
	changed := "CAST([] AS VARCHAR[])"
	if len(fields) > 0 {
		paths, names := make([]string, len(fields)), make([]string, len(fields))
		for i, c := range fields {
			paths[i] = duckdb.Literal(jsonPointer(c.Field))
			names[i] = duckdb.Literal(c.Field)
		}
		list := "[" + strings.Join(paths, ", ") + "]"
		extract := func(j string) string { return "CAST(TRY(json_extract(" + j + ", " + list + ")) AS VARCHAR[])" }
		versions = "SELECT *, " + extract(withCurrentNames(q.Type, "v.j", "v.s")) + " AS x, " + extract(withCurrentNames(q.Type, "v.last_j", "v.last_s")) + " AS last_x FROM (" + versions + ") AS v"
		changed = changedFields(names)
	}
	return "SELECT " + q.output(out, map[string]string{
		"change":         "CASE WHEN r.last_c IS NULL THEN 'insert' ELSE 'update' END",
		"changed_fields": changed,
		"before":         q.imageAsJSON(withCurrentNames(q.Type, "r.last_j", "r.last_s")),
	}) + " FROM (" + versions + ") AS r" + q.joinCommits("m", "r.c") + q.lowerBound()
}

// maxSeparateComparisons is the number of fields up to which each has its own comparison.
const maxSeparateComparisons = 32

// changedFields is the SQL of the list of the names (literals) whose values differ between the
// lists r.x and r.last_x. A comparison for each field is faster to run, but DuckDB's planning
// time grows with the square of their number (18 seconds for 1,590 fields), so that many
// fields share one comparison.
func changedFields(names []string) string {
	if len(names) > maxSeparateComparisons {
		const now, before = "r.x[i]", "r.last_x[i]"
		// CASE, unlike AND, skips the numeric comparison where the texts are equal.
		return "list_filter([" + strings.Join(names, ", ") + "], lambda f, i: CASE WHEN " + now + " IS DISTINCT FROM " + before + " THEN " + differs(now, before) + " ELSE FALSE END)"
	}
	found := make([]string, len(names))
	for i, name := range names {
		found[i] = fmt.Sprintf("CASE WHEN %s THEN %s END", differs(fmt.Sprintf("r.x[%d]", i+1), fmt.Sprintf("r.last_x[%d]", i+1)), name)
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
