package scan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// diff selects one row for each identity whose values at Window.Since and at Window.Upper differ.
// Only identities with a version in between can differ. Their newest such version is the state at
// Upper; files without one are read for the state at Since alone.
func (q *query) diff(out []column.Named) (string, error) {
	newer, err := q.newestAfterSince()
	if err != nil {
		return "", err
	}
	older, err := q.newestAtSince()
	if err != nil {
		return "", err
	}
	const changed, inserted = "\"\x01changed\"", "\"\x01inserted\"" // no column has such a name
	list, outer := q.comparison(out, "d."+changed)
	return "WITH a AS MATERIALIZED (\n" + newer + "\n), b AS MATERIALIZED (\n" + older + "\n)\nSELECT " + strings.Join(outer, ", ") +
		" FROM (SELECT " + strings.Join(append(list, changedFields(q.fields(), "r.x", "l.x")+" AS "+changed, "l.k0 IS NULL AS "+inserted), ", ") +
		" FROM (SELECT *, " + q.fieldTexts("a.j", "a.s") + " AS x FROM a) AS r LEFT JOIN (SELECT *, " + q.fieldTexts("b.j", "b.s") + " AS x FROM b) AS l ON " + q.sameKeys("r", "l") +
		") AS d WHERE d." + inserted + " OR len(d." + changed + ") > 0", nil
}

// comparison lists the columns out of diff: their SQL over the newer rows r and the older rows l,
// and those of a query around it, where changed is the list of the fields that differ.
func (q *query) comparison(out []column.Named, changed string) (inner, outer []string) {
	from, to, kind := "l", "r", "insert"
	if q.Window.Backward {
		from, to, kind = "r", "l", "delete"
	}
	exprs := map[string]string{}
	set := func(name, expr string) {
		if exprs[name] == "" { // as catalog.VisibleColumns leaves out columns
			exprs[name] = expr
		}
	}
	for _, k := range q.Type.Key {
		set(q.Type.Columns[k].Name, q.visibleExpr("r", k, q.Type.Columns[k]))
	}
	set("diff", "CASE WHEN l.k0 IS NULL THEN '"+kind+"' ELSE 'update' END")
	set("changed_fields", changed)
	set(catalog.FromPrefix+"commit_id", from+".c")
	set(catalog.ToPrefix+"commit_id", to+".c")
	for i, c := range q.Type.Columns {
		set(catalog.FromPrefix+c.Name, q.visibleExpr(from, i, c))
		set(catalog.ToPrefix+c.Name, q.visibleExpr(to, i, c))
	}
	for i, alias := range column.AliasesOf(out) {
		alias = duckdb.Ident(alias)
		if expr := exprs[out[i].Name]; expr == changed {
			outer = append(outer, changed+" AS "+alias)
		} else {
			inner, outer = append(inner, expr+" AS "+alias), append(outer, "d."+alias)
		}
	}
	return inner, outer
}

// newestAfterSince selects the newest version of each identity among those after Window.Since.
func (q *query) newestAfterSince() (string, error) {
	since := q.Window.Since
	fresh := *q
	fresh.Files = slices.Clone(q.Files)
	fresh.Files = slices.DeleteFunc(fresh.Files, func(f File) bool { return f.Max <= since })
	fresh.after = max(q.after, since)
	rows, err := fresh.rows()
	if err != nil {
		return "", err
	}
	if q.Mirror == nil {
		if rows == "" {
			return q.noVersions(), nil
		}
		return q.newest(rows), nil
	}
	var parts []string
	if at := q.mirrorUpper(); since < at {
		written := []string{fmt.Sprintf("t.c > %d", since), fmt.Sprintf("t.c <= %d", at)}
		parts = append(parts, q.mirrored(q.Mirror.Cur, q.order("t.o"), written...), q.mirrored(q.Mirror.Hist, q.order("t.o"), append(written, fmt.Sprintf("t.v > %d", at))...))
		if rows == "" {
			return strings.Join(parts, "\nUNION ALL\n"), nil
		}
	}
	if rows != "" {
		parts = append(parts, q.storedRows(rows))
	}
	if len(parts) == 0 {
		return q.noVersions(), nil
	}
	return q.newest(strings.Join(parts, "\nUNION ALL\n")), nil
}

// newestAtSince selects the version at Window.Since of each identity of the relation a.
func (q *query) newestAtSince() (string, error) {
	since := q.Window.Since
	past := *q
	past.Window.Upper = since
	past.Files = slices.Clone(q.Files)
	if q.Earlier != nil {
		past.Files = slices.Clone(q.Earlier)
	}
	past.Files = slices.DeleteFunc(past.Files, func(f File) bool { return f.Min > since })
	rows, err := past.rows()
	if err != nil {
		return "", err
	}
	var parts []string
	if rows != "" && q.Mirror == nil {
		parts = append(parts, rows)
	} else if rows != "" {
		parts = append(parts, q.storedRows(rows))
	}
	if q.Mirror != nil {
		at := past.mirrorUpper()
		written := fmt.Sprintf("t.c <= %d", at)
		superseded := []string{written, fmt.Sprintf("t.v > %d", at)}
		if q.hasNewVersions() {
			parts = append(parts, q.mirrored(q.Mirror.Cur, q.order("t.o"), written))
		} else {
			// The next version is one of a, so it is not after them.
			superseded = append(superseded, fmt.Sprintf("t.v <= %d", q.mirrorUpper()))
		}
		parts = append(parts, q.mirrored(q.Mirror.Hist, q.order("t.o"), superseded...))
	}
	if len(parts) == 0 {
		return q.noVersions(), nil
	}
	return q.newest("SELECT r.* FROM (\n" + strings.Join(parts, "\nUNION ALL\n") + "\n) AS r SEMI JOIN a ON " + q.sameKeys("r", "a")), nil
}

// newest selects the newest version of each identity.
func (q *query) newest(rows string) string {
	return "SELECT * FROM (\n" + rows + "\n) AS r QUALIFY row_number() OVER (" + q.versionWindow(" DESC") + ") = 1"
}

// order are the columns by which versions of one commit are ordered, if they are.
func (q *query) order(o string) string {
	if !q.ordered {
		return ""
	}
	return o + " AS o, CAST(0 AS BIGINT) AS n"
}

// storedRows gives rows of files the columns of the mirror's.
func (q *query) storedRows(rows string) string {
	cols := q.fileColumns("r")
	if q.ordered {
		cols += ", r.o, r.n"
	}
	return "SELECT " + cols + " FROM (\n" + rows + "\n) AS r"
}

// noVersions selects no row of the columns that diff reads.
func (q *query) noVersions() string {
	cols := StoredColumns(q.Type)
	list := make([]string, len(cols))
	for i, c := range cols {
		list[i] = "CAST(NULL AS " + duckdb.TypeName(c.Type) + ") AS " + c.Name
	}
	return "SELECT " + strings.Join(list, ", ") + " WHERE false"
}

// blame selects, for each identity and field, its value and the last version that changed it.
func (q *query) blame(rows string, out []column.Named) string {
	fields := q.fields()
	names := make([]string, len(fields))
	for i, c := range fields {
		names[i] = duckdb.Literal(c.Name)
	}
	keys := q.keyList("r")
	versions := "SELECT *, row_number() OVER (" + q.versionWindow(" DESC") + ") AS newest FROM (" + q.versionsAndBefore(rows) + ") AS r"
	// A value that was not set since the first version, of which last_c is NULL, was set by that.
	set := "SELECT " + keys + ", i.i, max(r.c) AS c FROM v AS r, (SELECT unnest(range(1, " + fmt.Sprint(len(fields)+1) + ")) AS i) AS i WHERE r.last_c IS NULL OR (" +
		differs("r.x[i.i]", "r.last_x[i.i]") + ") GROUP BY " + keys + ", i.i"
	own := map[string]string{
		"column_name": "CAST([" + strings.Join(names, ", ") + "] AS VARCHAR[])[s.i]", "value": q.valueOfText("r.x[s.i]"),
		"commit_id": q.commitExpr("s.c"), "committed_at": "m.created_at", "actor": "m.actor", "message": "m.message",
	}
	list, aliases := make([]string, len(out)), column.AliasesOf(out)
	for i, o := range out {
		expr := own[o.Name]
		if k := slices.IndexFunc(q.Type.Key, func(k int) bool { return q.Type.Columns[k].Name == o.Name }); k >= 0 {
			expr = q.visibleExpr("r", q.Type.Key[k], q.Type.Columns[q.Type.Key[k]])
		}
		list[i] = expr + " AS " + duckdb.Ident(aliases[i])
	}
	return "WITH v AS (" + versions + "), s AS (" + set + ")\nSELECT " + strings.Join(list, ", ") + " FROM s JOIN v AS r ON " + q.sameKeys("s", "r") +
		" AND r.newest = 1" + q.joinCommits("m", "s.c")
}
