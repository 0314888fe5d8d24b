// Package scan writes the SQL that reads one window of one type from its Parquet files
// (decision A27). It works on text only and opens no file; what it needs to know of a file is
// in format.Facts. The resolver decides which files a window needs, and rewrite prints the
// surrounding statement.
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

// File is one data file of the type, fetched and verified.
type File struct {
	Path     string // path of the local copy
	Facts    *format.Facts
	Min, Max ontosql.CommitID // range of its rows' commit ids
	// Rows is a relation, as SQL, to read instead of the file, with the columns in Facts. If
	// it is "", the rows are read from Path.
	Rows string
	// NoNUL is set if the text columns that a statement reads have no U+0000. It is found by
	// Unreadable, where Facts.Plain is false.
	NoNUL bool
	// KeyFiltered is set if Rows only has the rows that KeyEquals select.
	KeyFiltered bool
	// FactsHold is a column of Rows that is false in rows for which Facts do not hold: their
	// typed columns are not used, and all fields are read from fields_json. If it is "", Facts
	// hold for every row.
	FactsHold string
}

// Hidden is a system column that a statement names, or that a write needs to find the stored
// version: it follows the visible columns under a name that users cannot choose (decision A6).
type Hidden struct {
	Name string // a system column, a name of KeyColumns (the stored text), or StoredFields
	As   string
}

// StoredFields is the hidden column with the stored text of fields_json, which may not be
// valid JSON to DuckDB (COMPAT 2.1).
const StoredFields = "stored_fields"

// hidden are the columns that Hidden can name.
var hidden = map[string]column.Type{
	"commit_id":         {Kind: column.Int64},
	"schema_version_id": {Kind: column.Int64},
	"entity_key":        {Kind: column.Text},
	"left_key":          {Kind: column.Text},
	"right_key":         {Kind: column.Text},
	"instance_key":      {Kind: column.Text},
	"fields_json":       {Kind: column.JSON},
	"committed_at":      {Kind: column.TimestampTZ},
	StoredFields:        {Kind: column.Text},
}

// HiddenType is the type of a hidden column.
func HiddenType(name string) column.Type { return hidden[name] }

// KeyEqual restricts a window to identities, before versions are chosen.
type KeyEqual struct {
	Column string   // "entity_key", "left_key", "right_key" or "instance_key"
	Texts  []string // SQL expressions of type VARCHAR: canonical key texts (decision A18)
}

// Request describes one reference to one type.
type Request struct {
	Type   *catalog.Type
	Window ontosql.Window
	// Files hold at least the versions that the window needs, in the order of their commits.
	Files []File
	// Earlier are, of Diff, the files that hold the state at Window.Since of the identities with versions in
	// Files; nil if it is in Files too.
	Earlier []File
	// Mirror has the versions up to its Through; nil for none. If the window has a Lower,
	// columns that depend on other versions are undefined.
	Mirror *Mirror
	// Staged is a relation, as SQL, of versions that are not committed yet; "" for none. Its
	// columns are the identity's stored columns as VARCHAR, then fields_json VARCHAR and seq
	// BIGINT, with one row per identity. They are newer than every commit, whatever the end of
	// the window, and their commit_id and times are NULL.
	Staged    string
	Hidden    []Hidden
	KeyEquals []KeyEqual
	// Commits is a relation (commit_id BIGINT, created_at TIMESTAMPTZ, actor VARCHAR, message
	// VARCHAR), quoted for SQL, of the commits.
	Commits string
}

// SQL returns a SELECT of catalog.VisibleColumns of the type and mode, followed by the hidden
// columns, named by column.AliasesOf. A missing field, a null one and a value that does not
// have the column's type are NULL (decisions A16, A17).
func SQL(r Request) (string, error) {
	out := catalog.VisibleColumns(r.Type, r.Window.Mode)
	for _, h := range r.Hidden {
		t, ok := hidden[h.Name]
		if !ok {
			return "", fmt.Errorf("scan %s: no system column %q", r.Type.Ref, h.Name)
		}
		out = append(out, column.Named{Name: h.As, Type: t})
	}
	q := &query{Request: r, keys: KeyColumns(r.Type.Ref.Kind), ordered: ordered(r)}
	if !q.hasNewVersions() && r.Mirror == nil || r.Window.Mode == ontosql.Diff && r.Window.Since >= r.Window.Upper {
		return Empty(out), nil
	}
	if r.Mirror != nil {
		q.after = r.Mirror.Through
		q.ordered = q.ordered || r.Mirror.Duplicates && (r.Window.Mode == ontosql.Changes || r.Window.Mode == ontosql.Blame)
	}
	if err := q.check(); err != nil {
		return "", err
	}
	rows, err := q.rows()
	if err != nil {
		return "", err
	}
	switch over := r.Mirror != nil; r.Window.Mode {
	case ontosql.History:
		if over {
			return q.historyOverMirror(rows, out), nil
		}
		return q.history(rows, out), nil
	case ontosql.Changes:
		if over {
			rows = q.allVersions(rows)
		}
		return q.changes(rows, out), nil
	case ontosql.Blame:
		if over {
			rows = q.allVersions(rows)
		}
		return q.blame(rows, out), nil
	case ontosql.Diff:
		return q.diff(out)
	default:
		if over {
			return q.latestOverMirror(rows, out), nil
		}
		return q.latest(rows, out), nil
	}
}

// Identities returns a SELECT of the identities that have a version in the window, or in the
// mirror before it: their stored columns as VARCHAR, each identity once. Mode, Staged, Hidden
// and Commits of the request are ignored. The request must have a file or a mirror.
func Identities(r Request) (string, error) {
	r.Window.Mode, r.Staged, r.Hidden = ontosql.Latest, "", nil
	q := &query{Request: r, keys: KeyColumns(r.Type.Ref.Kind)}
	if r.Mirror != nil {
		q.after = r.Mirror.Through
	}
	if err := q.check(); err != nil {
		return "", err
	}
	rows, err := q.rows()
	if err != nil {
		return "", err
	}
	if r.Mirror != nil {
		mirrored := q.mirroredIdentities()
		if q.curIsLatest() && !q.hasNewVersions() {
			return mirrored, nil // cur has each identity once
		}
		if q.hasNewVersions() {
			mirrored += "\nUNION ALL\nSELECT " + q.keyList("r") + " FROM (\n" + rows + "\n) AS r"
		}
		rows = mirrored
	}
	return "SELECT DISTINCT " + q.keyList("r") + " FROM (\n" + rows + "\n) AS r", nil
}

// Empty returns a SELECT of no rows with the given columns, named by column.AliasesOf. It is
// used to describe a statement and to read a type without files.
func Empty(cols []column.Named) string {
	list, aliases := make([]string, len(cols)), column.AliasesOf(cols)
	for i, c := range cols {
		list[i] = fmt.Sprintf("CAST(NULL AS %s) AS %s", duckdb.TypeName(c.Type), duckdb.Ident(aliases[i]))
	}
	return "SELECT " + strings.Join(list, ", ") + " WHERE false"
}

// query is a Request with derived values.
type query struct {
	Request
	keys []string // the identity's stored columns; k0, k1, ... in the fragment
	// ordered is set if rows may share an identity and a commit, so that their order in the
	// files must be read (decision A15).
	ordered bool
	after   ontosql.CommitID // rows of files up to it are not read
}

func (q *query) check() error {
	for _, k := range q.KeyEquals {
		if !slices.Contains(q.keys, k.Column) || len(k.Texts) == 0 {
			return fmt.Errorf("scan %s: cannot restrict key column %q to %d texts", q.Type.Ref, k.Column, len(k.Texts))
		}
	}
	for _, f := range slices.Concat(q.Earlier, q.Files) {
		if f.Facts == nil {
			return fmt.Errorf("scan %s: file %s has no facts", q.Type.Ref, f.Path)
		}
	}
	if q.Commits == "" && (q.Window.Mode != ontosql.Latest || q.wantsCommitTime()) {
		return fmt.Errorf("scan %s: the request has no relation of commit times", q.Type.Ref)
	}
	return nil
}

func (q *query) wantsCommitTime() bool {
	return slices.ContainsFunc(q.Hidden, func(h Hidden) bool { return h.Name == "committed_at" })
}

// ordered reports whether two rows may share an identity and a commit: within a file with
// duplicates, or in two files of the same commit.
func ordered(r Request) bool {
	return commitsOverlap(r.Files) || commitsOverlap(r.Earlier) ||
		slices.ContainsFunc(slices.Concat(r.Earlier, r.Files), func(f File) bool { return f.Facts != nil && f.Facts.Duplicates })
}

// KeyColumns are the stored columns that identify a row of a type of the given kind.
func KeyColumns(kind ontosql.Kind) []string {
	if kind == ontosql.Entity {
		return []string{"entity_key"}
	}
	return []string{"left_key", "right_key", "instance_key"}
}

func commitsOverlap(files []File) bool {
	for i := 1; i < len(files); i++ {
		if files[i].Min <= files[i-1].Max {
			return true
		}
	}
	return false
}
