package scan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// Mirror is the native copy of a type (decision A26): two tables with the columns of
// StoredColumns. cur has the newest version of each identity; hist has all others with, as v,
// the commit that superseded them. If a commit has two rows of one identity, v of the earlier
// one is that commit (decision A15).
//
// DuckDB must plan and run the SQL over the same rows, because its plans use the minimum and
// maximum of columns. The SQL stays correct for tables extended after it was printed if Last
// is greater than Window.Upper; otherwise only while they have no row after Last.
type Mirror struct {
	Cur, Hist string // quoted for SQL
	// Type is the request's type with the column types of the tables, nil for the same. Only numerics
	// may have another type than in the request (decision A58).
	Type *catalog.Type
	// Through is the commit through which the tables are complete. Request.Files only need the
	// commits after it; rows up to it are not read from files.
	Through ontosql.CommitID
	// Last is the newest commit with a row in the tables.
	Last ontosql.CommitID
	// Duplicates is set if the tables have rows with the same identity and commit.
	Duplicates bool
	// Plain is set if fields_json of every row is JSON to PostgreSQL (Image).
	Plain bool
	// Version identifies the rows in the tables. It is part of the SQL, so that the text
	// changes with the rows.
	Version string
}

// curIsLatest reports whether the latest rows of the window are exactly the rows of cur. The
// tables must then have no row of a later commit when the SQL is run.
func (q *query) curIsLatest() bool { return q.Window.Upper >= q.Mirror.Last }

// StoredColumns are the internal columns of a stored row: k0.. are the identity, c the commit,
// s the schema version, j fields_json, f0.. the visible columns by position in the type
// (except text keys, which k0.. hold already), and o the order of rows with the same identity
// and commit.
func StoredColumns(t *catalog.Type) []column.Named {
	text, number := column.Type{Kind: column.Text}, column.Type{Kind: column.Int64}
	var cols []column.Named
	for i := range KeyColumns(t.Ref.Kind) {
		cols = append(cols, column.Named{Name: fmt.Sprintf("k%d", i), Type: text})
	}
	cols = append(cols, column.Named{Name: "c", Type: number}, column.Named{Name: "s", Type: number}, column.Named{Name: "j", Type: text})
	for i, c := range t.Columns {
		if c.Role == catalog.FromField || typedKey(c) {
			cols = append(cols, column.Named{Name: fmt.Sprintf("f%d", i), Type: c.Type})
		}
	}
	return append(cols, column.Named{Name: "o", Type: number})
}

// Signature is equal for two types whose StoredColumns have the same contents for the same
// rows: it changes with the columns and with the way values are read.
func Signature(t *catalog.Type) string {
	h := sha256.New()
	for i, c := range t.Columns {
		value := jsonValue(c, false)
		if c.Role != catalog.FromField {
			value = keyValue("k", c.Type)
		}
		declared, _ := c.DeclaredNumeric()
		fmt.Fprintf(h, "%d %d %q %q %s %s %s %v\n", i, c.Role, c.Field, c.Spelling, c.Type, declared, value, c.Past)
	}
	if len(t.Distrusted) > 0 {
		fmt.Fprintln(h, t.Distrusted)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Stored returns a SELECT of the versions in the request's files as StoredColumns. duplicates
// reports whether rows may share an identity and a commit; only then o differs. The files are
// those of the commits after Window.Lower.
func Stored(r Request) (sql string, duplicates bool, err error) {
	r.Window.Mode, r.Staged, r.Hidden, r.Mirror = ontosql.Latest, "", nil, nil
	q := &query{Request: r, keys: KeyColumns(r.Type.Ref.Kind), ordered: ordered(r), after: r.Window.Lower}
	if err := q.check(); err != nil {
		return "", false, err
	}
	rows, err := q.rows()
	if err != nil {
		return "", false, err
	}
	o := "CAST(0 AS BIGINT)"
	if q.ordered {
		o = "row_number() OVER (PARTITION BY " + q.keyList("r") + ", r.c ORDER BY r.o, r.n)"
	}
	return "SELECT " + q.fileColumns("r") + ", " + o + " AS o FROM (\n" + rows + "\n) AS r", q.ordered, nil
}

// StoredNext is Stored for a file whose Rows also have the column next (the commit of the next
// version of the row's identity, or NULL), which the SELECT returns as v, and the column
// order, which it returns as o. All rows of the file are read.
func StoredNext(t *catalog.Type, file File, next, order string) (string, error) {
	q := &query{Request: Request{Type: t, Window: ontosql.Window{Upper: file.Max}, Files: []File{file}}, keys: KeyColumns(t.Ref.Kind)}
	if err := q.check(); err != nil {
		return "", err
	}
	rows, err := q.readGroup(q.groups()[0], order+" AS o", next+" AS v")
	if err != nil {
		return "", err
	}
	return "SELECT " + q.fileColumns("r") + ", r.o, r.v FROM (\n" + rows + "\n) AS r", nil
}

// storedColumns lists the columns of a row r of the mirror without o, with the types of the
// request: "r.k0, r.c, r.s, ...".
func (q *query) storedColumns(r string) string {
	cols, have := StoredColumns(q.Type), StoredColumns(cmp.Or(q.Mirror.Type, q.Type))
	list := make([]string, len(cols)-1)
	for i := range list {
		list[i] = r + "." + cols[i].Name
		if otherNumeric(cols[i].Type, have[i].Type) {
			list[i] = "CAST(" + list[i] + " AS " + duckdb.TypeName(cols[i].Type) + ") AS " + cols[i].Name
		}
	}
	return strings.Join(list, ", ")
}

// otherNumeric reports whether two types of the same column are numerics of other digits.
func otherNumeric(a, b column.Type) bool { return a.Width != b.Width || a.Scale != b.Scale }

// fileColumns is storedColumns for a row r of files or of staged rows, which have keys as text
// only.
func (q *query) fileColumns(r string) string {
	list := []string{q.keyList(r), r + ".c", r + ".s", r + ".j"}
	for i, c := range q.Type.Columns {
		switch {
		case c.Role == catalog.FromField:
			list = append(list, fmt.Sprintf("%s.f%d", r, i))
		case typedKey(c):
			list = append(list, fmt.Sprintf("%s AS f%d", shownKey(r, c), i))
		}
	}
	return strings.Join(list, ", ")
}

// hasNewVersions reports whether there are versions that the mirror does not have.
func (q *query) hasNewVersions() bool { return len(q.Files) > 0 || q.Staged != "" }

// mirrorUpper is the newest commit whose rows are read from the mirror.
func (q *query) mirrorUpper() ontosql.CommitID { return min(q.Window.Upper, q.Mirror.Through) }

// mirrored selects the rows of one of the mirror's tables that satisfy the conditions and
// KeyEquals. expr, if not empty, is one more column.
func (q *query) mirrored(table, expr string, where ...string) string {
	sql := "SELECT " + q.storedColumns("t")
	if expr != "" {
		sql += ", " + expr
	}
	return sql + " FROM " + q.filtered(table, "t", where...)
}

// filtered is one of the mirror's tables, aliased t, restricted by conditions and KeyEquals,
// for a FROM clause.
func (q *query) filtered(table, t string, where ...string) string {
	from := q.aliased(table, t)
	found := false
	for i, key := range q.keys {
		for _, k := range q.KeyEquals {
			if k.Column != key {
				continue
			}
			equal := fmt.Sprintf("%s.k%d IN (%s)", t, i, strings.Join(k.Texts, ", "))
			if found {
				where = append(where, equal)
				continue
			}
			// DuckDB uses its index only if the table scan has no other filter. It pushes
			// filters down to the scan, but not through an OFFSET.
			from, found = "(SELECT * FROM "+from+" WHERE "+equal+" OFFSET 0) AS "+t, true
		}
	}
	if len(where) > 0 {
		from += " WHERE " + strings.Join(where, " AND ")
	}
	return from
}

// aliased is one of the mirror's tables with an alias.
func (q *query) aliased(table, t string) string {
	return table + " /* " + q.Mirror.Version + " */ AS " + t
}

// singleKeyCondition returns the condition on a row r if the request restricts exactly one key
// column; DuckDB's index is used if there is no other condition. Otherwise it returns "".
func (q *query) singleKeyCondition(r string) string {
	if len(q.KeyEquals) != 1 {
		return ""
	}
	k := q.KeyEquals[0]
	return fmt.Sprintf("%s.k%d IN (%s)", r, slices.Index(q.keys, k.Column), strings.Join(k.Texts, ", "))
}

// mirroredLatest selects the latest versions of the window among the mirror's.
func (q *query) mirroredLatest() string {
	if q.curIsLatest() {
		return q.mirrored(q.Mirror.Cur, "")
	}
	at := q.mirrorUpper()
	written := fmt.Sprintf("t.c <= %d", at)
	return q.mirrored(q.Mirror.Cur, "", written) + "\nUNION ALL\n" +
		q.mirrored(q.Mirror.Hist, "", written, fmt.Sprintf("t.v > %d", at))
}

// mirroredIdentities selects the identities that have a version in the window, among the
// mirror's. cur has every identity; hist, the longer table, is only read for identities whose
// newest version is after the window.
func (q *query) mirroredIdentities() string {
	if q.curIsLatest() {
		if key := q.singleKeyCondition("t"); key != "" {
			return "SELECT " + q.keyList("t") + " FROM " + q.aliased(q.Mirror.Cur, "t") + " WHERE " + key
		}
		return "SELECT " + q.keyList("t") + " FROM " + q.filtered(q.Mirror.Cur, "t")
	}
	at := q.mirrorUpper()
	return "SELECT " + q.keyList("t") + " FROM " + q.filtered(q.Mirror.Cur, "t", fmt.Sprintf("t.c <= %d", at)) +
		"\nUNION ALL\nSELECT " + q.keyList("h") + " FROM " + q.aliased(q.Mirror.Hist, "h") + " SEMI JOIN (SELECT " + q.keyList("t") +
		" FROM " + q.filtered(q.Mirror.Cur, "t", fmt.Sprintf("t.c > %d", at)) + ") AS s ON " + q.sameKeys("h", "s") + fmt.Sprintf(" WHERE h.c <= %d", at)
}

// mirroredVersions selects all of the mirror's versions in the window, with next_c, the commit
// that superseded each up to mirrorUpper, or with their order.
func (q *query) mirroredVersions(next bool) string {
	at := q.mirrorUpper()
	where := []string{fmt.Sprintf("t.c <= %d", at)}
	if q.Window.Lower > 0 {
		where = append(where, fmt.Sprintf("t.c > %d", q.Window.Lower))
	}
	cur, hist := "t.o AS o, CAST(0 AS BIGINT) AS n", "t.o AS o, CAST(0 AS BIGINT) AS n"
	switch {
	case next:
		cur, hist = "CAST(NULL AS BIGINT) AS next_c", fmt.Sprintf("CASE WHEN t.v <= %d THEN t.v END AS next_c", at)
	case !q.ordered:
		cur, hist = "", ""
	}
	return q.mirrored(q.Mirror.Cur, cur, where...) + "\nUNION ALL\n" + q.mirrored(q.Mirror.Hist, hist, where...)
}

// latestOverMirror is latest with a mirror: versions newer than the mirror are read first and
// hide the mirror's versions of the same identities.
func (q *query) latestOverMirror(fresh string, out []column.Named) string {
	commits := ""
	if q.wantsCommitTime() {
		commits = q.joinCommits("m", "r.c")
	}
	sql := "SELECT " + q.output(out, nil)
	switch {
	case q.hasNewVersions():
	case q.curIsLatest() && commits == "": // few subqueries: a lookup by key is mostly planning time
		if key := q.singleKeyCondition("r"); key != "" {
			return sql + " FROM " + q.aliased(q.Mirror.Cur, "r") + " WHERE " + key + " OFFSET 0" // see filtered
		}
		return sql + " FROM " + q.filtered(q.Mirror.Cur, "r")
	default:
		return sql + " FROM (\n" + q.mirroredLatest() + "\n) AS r" + commits
	}
	newest := "SELECT " + q.fileColumns("r") + " FROM (\n" + fresh + "\n) AS r"
	if !q.oneRowPerIdentity() {
		newest += " QUALIFY row_number() OVER (" + q.versionWindow(" DESC") + ") = 1"
	}
	return "WITH g AS MATERIALIZED (\n" + newest + "\n)\n" + sql + " FROM (SELECT " + q.storedColumns("g") + " FROM g\nUNION ALL\nSELECT " + q.storedColumns("b") +
		" FROM (\n" + q.mirroredLatest() + "\n) AS b ANTI JOIN g ON " + q.sameKeys("b", "g") + ") AS r" + commits
}

// historyOverMirror is history with a mirror: of the mirror's rows, only those without a next
// version can have been superseded by newer ones.
func (q *query) historyOverMirror(fresh string, out []column.Named) string {
	versions := q.mirroredVersions(true)
	with := ""
	if q.hasNewVersions() {
		with = "WITH g AS MATERIALIZED (\nSELECT *, lead(r.c) OVER (" + q.versionWindow("") + ") AS next_c FROM (\n" + fresh + "\n) AS r\n), " +
			"h AS MATERIALIZED (SELECT " + q.keyList("g") + ", min(g.c) AS c FROM g GROUP BY " + q.keyList("g") + ")\n"
		versions = "SELECT " + q.fileColumns("g") + ", g.next_c FROM g\nUNION ALL\nSELECT " + q.storedColumns("b") + ", coalesce(b.next_c, h.c) FROM (\n" + versions +
			"\n) AS b LEFT JOIN h ON " + q.sameKeys("b", "h")
	}
	return with + q.historyOf("(\n"+versions+"\n) AS r", out)
}

// allVersions selects the versions of the mirror and the newer ones.
func (q *query) allVersions(fresh string) string {
	versions := q.mirroredVersions(false)
	if !q.hasNewVersions() {
		return versions
	}
	cols := q.fileColumns("r")
	if q.ordered {
		cols += ", r.o, r.n"
	}
	return versions + "\nUNION ALL\nSELECT " + cols + " FROM (\n" + fresh + "\n) AS r"
}

// sameKeys is the condition that two rows have the same identity.
func (q *query) sameKeys(a, b string) string {
	on := make([]string, len(q.keys))
	for i := range on {
		on[i] = fmt.Sprintf("%s.k%d = %s.k%d", a, i, b, i)
	}
	return strings.Join(on, " AND ")
}

// hasRowsUpTo reports whether a file has rows of commits at or before n.
func (q *query) hasRowsUpTo(n ontosql.CommitID) bool {
	return slices.ContainsFunc(q.Files, func(f File) bool { return f.Min <= n })
}
