package gateway

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/mirror"
)

// mostOwnRows bounds the rows that are given to the engine in the text of a
// statement: those of a busy moment, each from a file of its own.
const mostOwnRows = 1024

// ownRows are the rows of commits of this gateway that it still remembers, nil
// where it does not know all of them, or the engine might read them in another way
// than from their files. A file costs the cache and the engine more than a
// statement of a few hundred rows does.
func (p pinned) ownRows(t *catalog.Type, after, through ontosql.CommitID) *mirror.Rows {
	after = max(after, 0)
	if _, n := p.Size(t, after, through); n > mostOwnRows || after+1 < t.Floor {
		return nil
	}
	rows, ok := p.db.own.files.takeRows(p.pin.View.Files(t.Ref, after, through))
	if !ok || len(rows) == 0 {
		return nil
	}
	for i := range rows {
		if !plain(&rows[i]) {
			return nil
		}
	}
	files := []scan.File{{Rows: values(t, rows), Facts: ownFacts(t), Min: after + 1, Max: through}}
	sql, _, err := scan.Stored(scan.Request{Type: t, Window: ontosql.Window{Lower: after, Upper: through}, Files: files})
	if err != nil {
		return nil // the files will tell
	}
	unreadable, err := scan.UnreadableByCommit(t, files, after, mirror.Versions)
	if err != nil {
		return nil
	}
	return &mirror.Rows{SQL: sql, Unreadable: unreadable, Bytes: int64(len(sql)), Release: func() {}}
}

// plain reports whether a row's fields are read the same from their JSON and from
// the typed columns of a file: the engine's JSON has neither NaN nor infinities, no
// lone surrogate and no NUL.
func plain(r *format.Row) bool {
	return format.PlainJSON(r.Fields) && !strings.Contains(r.Key+r.Left+r.Right+r.Instance, "\x00")
}

// ownColumns are the columns of a data file that a row is read from, but the typed
// ones, which say nothing that fields_json does not.
func ownColumns(t *catalog.Type) []string {
	return append(scan.KeyColumns(t.Ref.Kind), "fields_json", "commit_id", "schema_version_id")
}

// ownFacts are the facts of rows with ownColumns that are plain.
func ownFacts(t *catalog.Type) *format.Facts {
	facts := &format.Facts{Plain: true}
	for _, name := range ownColumns(t) {
		kind := format.KindString
		if name == "commit_id" || name == "schema_version_id" {
			kind = format.KindInt64
		}
		facts.Columns = append(facts.Columns, format.ColumnFact{Name: name, Kind: kind})
	}
	return facts
}

// values is a relation of ownColumns.
func values(t *catalog.Type, rows []format.Row) string {
	var b strings.Builder
	b.WriteString("(VALUES ")
	for i := range rows {
		r := &rows[i]
		if i > 0 {
			b.WriteString(", ")
		}
		keys := []string{r.Key}
		if t.Ref.Kind == ontosql.Relation {
			keys = []string{r.Left, r.Right, r.Instance}
		}
		b.WriteByte('(')
		for _, key := range keys {
			b.WriteString(duckdb.Literal(key) + ", ")
		}
		version := "NULL"
		if r.SchemaVersionID != 0 {
			version = fmt.Sprint(r.SchemaVersionID)
		}
		fmt.Fprintf(&b, "%s, %d::BIGINT, %s::BIGINT)", duckdb.Literal(string(r.Fields)), r.Commit, version)
	}
	b.WriteString(") AS own (" + strings.Join(ownColumns(t), ", ") + ")")
	return b.String()
}
