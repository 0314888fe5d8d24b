// Package scan writes the SQL that reads one window of one type from its
// Parquet files (decision A27). It is text in and text out: it opens no file,
// and what it must know of one stands in format.Facts. Which files a window
// needs is the resolver's, what stands around the fragment is rewrite's.
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
	Path     string // of the local copy
	Facts    *format.Facts
	Min, Max ontosql.CommitID // bounds of its rows' commit ids
	// Rows are the file's rows where they need not be read from it: a relation of the
	// columns in Facts, as SQL. "": they are read from Path.
	Rows string
	// NoNUL says that the columns of text which a statement reads have no U+0000: what
	// Unreadable has counted, where Facts.Plain does not say so.
	NoNUL bool
	// KeyFiltered says that Rows are only those to which KeyEquals restrict a window.
	KeyFiltered bool
	// FactsHold is a column of Rows that is false where Facts do not hold: the typed columns
	// say nothing, and fields_json says all. "": Facts hold for every row.
	FactsHold string
}

// Hidden is a system column that a statement named, or one by which a write finds
// the stored version again: it is added behind the visible columns under a name
// that no user can have chosen (decision A6).
type Hidden struct {
	Name string // one of those that a system column of public has, of KeyColumns (their stored text), or StoredFields
	As   string
}

// StoredFields is the hidden column of fields_json as it stands, which may be no
// JSON to the engine (COMPAT 2.1).
const StoredFields = "stored_fields"

// hidden are the columns that Hidden can name, by name.
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

// KeyEqual restricts a window to identities, before any version is chosen.
type KeyEqual struct {
	Column string   // "entity_key", "left_key", "right_key" or "instance_key"
	Texts  []string // SQL expressions of type VARCHAR: canonical key texts (decision A18)
}

// Request is one reference to one type.
type Request struct {
	Type   *catalog.Type
	Window ontosql.Window
	// Files hold every version that the window's columns need, in the order of
	// their commits. More is harmless.
	Files []File
	// Mirror is where the versions up to its Through are, nil for none. With a
	// window that has a Lower the columns that look at other versions mean nothing.
	Mirror *Mirror
	// Staged is a relation of versions that are not committed yet, as SQL: the
	// identity's stored columns as VARCHAR, then fields_json VARCHAR and seq
	// BIGINT, one row for each identity; "" for none. They are newer than every
	// commit, whatever the window's end, and belong to no commit: commit_id and
	// the times are NULL.
	Staged    string
	Hidden    []Hidden
	KeyEquals []KeyEqual
	// Commits is a relation (commit_id BIGINT, created_at TIMESTAMPTZ), quoted
	// for SQL, where the times of commits are looked up.
	Commits string
}

// SQL is a SELECT whose columns are catalog.VisibleColumns of the type and mode
// and then the hidden ones, named by column.AliasesOf. NULL stands for a missing field as for a null one, and for a
// value that is none of the column's type (decisions A16, A17).
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
	if !q.hasNewVersions() && r.Mirror == nil {
		return Empty(out), nil
	}
	if r.Mirror != nil {
		q.after = r.Mirror.Through
		q.ordered = q.ordered || r.Mirror.Duplicates && r.Window.Mode == ontosql.Changes
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
	default:
		if over {
			return q.latestOverMirror(rows, out), nil
		}
		return q.latest(rows, out), nil
	}
}

// Identities is a SELECT of the identities that have a version in the window, or
// in the mirror before it: their stored columns as VARCHAR, each identity once. Mode, Staged, Hidden and
// Commits of the request mean nothing to it. There is a file or a mirror.
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

// Empty is a SELECT of no rows with the given columns, named by column.AliasesOf: what a
// statement is described by, and what a type without files is.
func Empty(cols []column.Named) string {
	list, aliases := make([]string, len(cols)), column.AliasesOf(cols)
	for i, c := range cols {
		list[i] = fmt.Sprintf("CAST(NULL AS %s) AS %s", duckdb.TypeName(c.Type), duckdb.Ident(aliases[i]))
	}
	return "SELECT " + strings.Join(list, ", ") + " WHERE false"
}

// query is a Request with what follows from it.
type query struct {
	Request
	keys []string // the identity's stored columns; in the fragment k0, k1, ...
	// ordered says that rows of one identity and commit may exist, so that their
	// order in the files must be read too (decision A15).
	ordered bool
	after   ontosql.CommitID // rows of files up to it are not read
}

func (q *query) check() error {
	for _, k := range q.KeyEquals {
		if !slices.Contains(q.keys, k.Column) || len(k.Texts) == 0 {
			return fmt.Errorf("scan %s: no restriction of key column %q to %d texts", q.Type.Ref, k.Column, len(k.Texts))
		}
	}
	for _, f := range q.Files {
		if f.Facts == nil {
			return fmt.Errorf("scan %s: nothing is known of file %s", q.Type.Ref, f.Path)
		}
	}
	if q.Commits == "" && (q.Window.Mode != ontosql.Latest || q.wantsCommitTime()) {
		return fmt.Errorf("scan %s: no relation to look up the times of commits in", q.Type.Ref)
	}
	return nil
}

func (q *query) wantsCommitTime() bool {
	return slices.ContainsFunc(q.Hidden, func(h Hidden) bool { return h.Name == "committed_at" })
}

// ordered reports whether two rows of one identity and commit may exist: inside
// a file that says so, or in two files that hold the same commit.
func ordered(r Request) bool {
	return commitsOverlap(r.Files) || slices.ContainsFunc(r.Files, func(f File) bool { return f.Facts != nil && f.Facts.Duplicates })
}

// KeyColumns are the stored columns that identify a row of a type of the kind.
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
