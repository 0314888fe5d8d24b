package scan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
)

// Names inside the fragment are short and cannot collide with field names: k0..k2 are the key
// texts, c the commit, s the schema version, j fields_json, f0.. the visible columns, o and n
// the order of files and of rows in a file.

// group is a set of files that one read_parquet reads.
type group struct {
	facts       *format.Facts // equal for all files as far as columns go
	paths       []string
	rows        string // File.Rows, if the group has one file
	keyFiltered bool   // File.KeyFiltered, likewise
	factsHold   string // File.FactsHold, likewise
	noNUL       bool   // File.NoNUL of each
	order       int
}

// from is the relation of the rows, read with options.
func (g *group) from(options string) string {
	if g.rows != "" {
		return g.rows
	}
	// A path with "=" must not add partition columns.
	return "read_parquet([" + strings.Join(g.paths, ", ") + "], hive_partitioning = false" + options + ")"
}

// groups groups files with the same columns. If files share a commit each file is a group of
// its own, so that its rows can be ordered by file.
func (q *query) groups() []group {
	var out []group
	apart := commitsOverlap(q.Files)
	byColumns := map[string]int{}
	for i, f := range q.Files {
		key := fmt.Sprint(signature(f.Facts), f.Facts.Plain, f.NoNUL)
		at, known := byColumns[key]
		if !known || apart || f.Rows != "" {
			at = len(out)
			if f.Rows == "" {
				byColumns[key] = at
			}
			out = append(out, group{facts: f.Facts, rows: f.Rows, keyFiltered: f.KeyFiltered, factsHold: f.FactsHold, noNUL: f.NoNUL, order: i})
		}
		out[at].paths = append(out[at].paths, duckdb.Literal(f.Path))
	}
	return out
}

func signature(f *format.Facts) string {
	cols := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		cols[i] = fmt.Sprintf("%q:%s", c.Name, c.Kind)
	}
	slices.Sort(cols)
	return strings.Join(cols, " ")
}

// hasColumn reports whether DuckDB matches one of a file's columns with name.
func hasColumn(f *format.Facts, name string) bool {
	return slices.ContainsFunc(f.Columns, func(c format.ColumnFact) bool { return strings.EqualFold(c.Name, name) })
}

// rows is the relation of all versions up to the end of the window.
func (q *query) rows() (string, error) {
	var parts []string
	for _, g := range q.groups() {
		part, err := q.readGroup(g)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	if q.Staged != "" {
		parts = append(parts, q.readStaged())
	}
	return strings.Join(parts, "\nUNION ALL\n"), nil
}

func (q *query) readGroup(g group, more ...string) (string, error) {
	var list []string
	add := func(expr, name string) { list = append(list, expr+" AS "+name) }
	for i, key := range q.keys {
		text, err := q.keyText(key, g.facts)
		if err != nil {
			return "", err
		}
		add(text, fmt.Sprintf("k%d", i))
	}
	var where []string
	if !g.keyFiltered {
		var err error
		if where, err = q.wantedKeys(g.facts); err != nil {
			return "", err
		}
	}
	add("CAST(commit_id AS BIGINT)", "c")
	version := versionOf(g.facts)
	if version != "" {
		add(version, "s")
	} else {
		add("CAST(NULL AS BIGINT)", "s")
	}
	add("fields_json", "j")
	for i, c := range q.Type.Columns {
		if c.Role == catalog.FromField {
			typed := func(c catalog.Column) string { return fieldValue(c, g.facts, g.noNUL) }
			value := ""
			if g.factsHold != "" { // the typed columns have current names
				value = "CASE WHEN " + g.factsHold + " THEN " + typed(c) + " ELSE " + caseByVersion(c, version, "NULL", jsonOfAnyRow) + " END"
			} else {
				value = caseByVersion(c, version, "NULL", typed)
			}
			add(value, fmt.Sprintf("f%d", i))
		}
	}
	list = append(list, more...)
	options := ""
	if q.ordered {
		add(fmt.Sprint(g.order), "o")
		if g.rows != "" || hasColumn(g.facts, "file_row_number") {
			// The option fails if a column has its name. DuckDB preserves the order of rows,
			// so that row_number() is equivalent.
			add("row_number() OVER ()", "n")
		} else {
			add("file_row_number", "n")
			options += ", file_row_number = true"
		}
	}
	if slices.ContainsFunc(q.Files, func(f File) bool { return f.Max > q.Window.Upper }) {
		where = append(where, fmt.Sprintf("commit_id <= %d", q.Window.Upper))
	}
	if q.after > 0 && q.hasRowsUpTo(q.after) {
		where = append(where, fmt.Sprintf("commit_id > %d", q.after))
	}
	// Rows of the commit that dropped the type were written after the drop (A14).
	if slices.ContainsFunc(q.Files, func(f File) bool { return f.Min < q.Type.Floor }) {
		where = append(where, fmt.Sprintf("commit_id >= %d", q.Type.Floor))
	}
	sql := "SELECT " + strings.Join(list, ", ") + " FROM " + g.from(options)
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	return sql, nil
}

// versionOf returns the column of a file with the schema versions of its rows, or "".
func versionOf(facts *format.Facts) string {
	if kind, present := facts.Column("schema_version_id"); present && kind == format.KindInt64 {
		return "schema_version_id"
	}
	return ""
}

// wantedKeys are the conditions of KeyEquals on the rows of a file.
func (q *query) wantedKeys(facts *format.Facts) ([]string, error) {
	var where []string
	for _, key := range q.keys {
		for _, k := range q.KeyEquals {
			if k.Column != key {
				continue
			}
			text, err := q.keyText(key, facts)
			if err != nil {
				return nil, err
			}
			where = append(where, fmt.Sprintf("%s IN (%s)", text, strings.Join(k.Texts, ", ")))
		}
	}
	return where, nil
}

// stagedCommit is the commit of staged rows inside the fragment, greater than all others. It
// is shown as NULL.
const stagedCommit = "CAST(9223372036854775807 AS BIGINT)"

func (q *query) readStaged() string {
	var list, where []string
	for i, key := range q.keys {
		list = append(list, fmt.Sprintf("%s AS k%d", key, i))
		for _, k := range q.KeyEquals {
			if k.Column == key {
				where = append(where, fmt.Sprintf("%s IN (%s)", key, strings.Join(k.Texts, ", ")))
			}
		}
	}
	list = append(list, stagedCommit+" AS c", fmt.Sprintf("CAST(%d AS BIGINT) AS s", q.Type.SchemaID), "fields_json AS j")
	for i, c := range q.Type.Columns {
		if c.Role == catalog.FromField {
			list = append(list, fmt.Sprintf("%s AS f%d", jsonOfAnyRow(c), i))
		}
	}
	if q.ordered {
		list = append(list, fmt.Sprintf("%d AS o", len(q.Files)), "seq AS n")
	}
	sql := "SELECT " + strings.Join(list, ", ") + " FROM " + q.Staged
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	return sql
}

// commitExpr is the SQL of a commit id as it is shown.
func (q *query) commitExpr(c string) string {
	if q.Staged == "" {
		return c
	}
	return "nullif(" + c + ", " + stagedCommit + ")"
}

// keyText is a stored key as text: originals may have written integers as left_key (COMPAT
// 2.3). The missing instance key of a relation is the empty text.
func (q *query) keyText(name string, facts *format.Facts) (string, error) {
	kind, present := facts.Column(name)
	switch {
	case present && kind == format.KindString:
		return name, nil
	case name == "instance_key" && (!present || kind == format.KindNull):
		return "''", nil
	case !present || kind == format.KindOther || kind == format.KindNull:
		return "", fmt.Errorf("scan %s: a file has no scalar key column %s", q.Type.Ref, name)
	case kind == format.KindBool:
		return "CASE WHEN " + name + " THEN 'True' ELSE 'False' END", nil
	}
	return "CAST(" + name + " AS VARCHAR)", nil
}

// visibleExpr is the SQL of a visible column of a row. The mirror has the values of typed
// keys; for files they are computed here, after the versions are chosen.
func (q *query) visibleExpr(row string, i int, c catalog.Column) string {
	value := fmt.Sprintf("%s.f%d", row, i)
	switch {
	case c.Role != catalog.FromField && (!typedKey(c) || q.Mirror == nil):
		return shownKey(row, c)
	case q.Mirror != nil && q.Mirror.Type != nil && otherNumeric(q.Mirror.Type.Columns[i].Type, c.Type):
		return "CAST(" + value + " AS " + duckdb.TypeName(c.Type) + ")"
	}
	return value
}

// typedKey reports whether a key column has another type than text.
func typedKey(c catalog.Column) bool {
	return c.Role != catalog.FromField && c.Type.Kind != column.Text
}

// shownKey is the SQL of a key column, from the key text of a row r.
func shownKey(r string, c catalog.Column) string {
	key := 0
	switch c.Role {
	case catalog.FromRightKey:
		key = 1
	case catalog.FromInstanceKey:
		key = 2
	}
	return keyValue(fmt.Sprintf("%s.k%d", r, key), c.Type)
}

// systemExpr is the SQL of a system column of a row r. Times come from the commit m.
func (q *query) systemExpr(name string) string {
	switch name {
	case "commit_id":
		return q.commitExpr("r.c")
	case "schema_version_id":
		return "r.s"
	case "entity_key", "left_key":
		return "r.k0"
	case "right_key":
		return "r.k1"
	case "instance_key":
		return "r.k2"
	case StoredFields:
		return "r.j"
	case "fields_json":
		return q.imageAsJSON("r.j")
	}
	return "m.created_at" // committed_at, and valid_from
}

// imageAsJSON is the SQL of an image as JSON; NULL if it is not valid for PostgreSQL.
func (q *query) imageAsJSON(image string) string {
	if q.allPlain() {
		return "TRY_CAST(" + image + " AS JSON)"
	}
	return jsonOrNull(image)
}

// allPlain reports whether all images are known to be JSON to PostgreSQL.
func (q *query) allPlain() bool {
	odd := func(f File) bool { return !f.Facts.Plain }
	return !slices.ContainsFunc(q.Files, odd) && !slices.ContainsFunc(q.Earlier, odd) && q.Staged == "" && (q.Mirror == nil || q.Mirror.Plain)
}

// output is the select list of the columns out. own has the expressions of a mode's own
// columns.
func (q *query) output(out []column.Named, own map[string]string) string {
	list, aliases := make([]string, len(out)), column.AliasesOf(out)
	for i, o := range out {
		expr := ""
		switch visible := len(out) - len(q.Hidden); {
		case i < len(q.Type.Columns):
			expr = q.visibleExpr("r", i, q.Type.Columns[i])
		case i >= visible:
			expr = q.systemExpr(q.Hidden[i-visible].Name)
		case own[o.Name] != "":
			expr = own[o.Name]
		default:
			expr = q.systemExpr(o.Name)
		}
		list[i] = expr + " AS " + duckdb.Ident(aliases[i])
	}
	return strings.Join(list, ", ")
}

// keyList is "r.k0, r.k1, r.k2" for a row r.
func (q *query) keyList(r string) string {
	list := make([]string, len(q.keys))
	for i := range list {
		list[i] = fmt.Sprintf("%s.k%d", r, i)
	}
	return strings.Join(list, ", ")
}

// versionWindow is the window definition over the versions of an identity, oldest first.
func (q *query) versionWindow(descending string) string {
	order := "r.c" + descending
	if q.ordered {
		order += ", r.o" + descending + ", r.n" + descending
	}
	return "PARTITION BY " + q.keyList("r") + " ORDER BY " + order
}

func (q *query) joinCommits(alias, commit string) string {
	return fmt.Sprintf("\nLEFT JOIN %s AS %s ON %s.commit_id = %s", q.Commits, alias, alias, commit)
}

// lowerBound restricts versions to those after the window's exclusive lower bound.
func (q *query) lowerBound() string {
	if q.Window.Lower == 0 {
		return ""
	}
	return fmt.Sprintf("\nWHERE r.c > %d", q.Window.Lower)
}

// oneRowPerIdentity reports whether each identity has at most one row: all rows are staged, or
// all are of one commit, in one file without duplicates.
func (q *query) oneRowPerIdentity() bool {
	if q.Staged != "" {
		return len(q.Files) == 0
	}
	return len(q.Files) == 1 && !q.ordered && q.Files[0].Min == q.Files[0].Max
}
