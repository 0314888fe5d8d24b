package storage

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/resolver"
)

// History is what the mirror reads of a Backend at a pin (mirror.History).
type History struct {
	Storage Backend
	Engine  *duckdb.Engine
	Pin     *resolver.Pin
}

var _ mirror.History = History{}

// Head is the commit of the pin's head (mirror.History).
func (p History) Head() ontosql.CommitID { return p.Pin.Head.Commit }

// Mark is the key of a commit's manifest, which identifies the commit (mirror.History).
func (p History) Mark(c ontosql.CommitID) string {
	if e := p.Pin.View.Commit(c); e != nil {
		return e.Path
	}
	return ""
}

// Type finds a type in the pin's catalog (mirror.History).
func (p History) Type(ref ontosql.TypeRef) (*catalog.Type, bool) { return p.Pin.Catalog.Type(ref) }

// Size sums up the files and rows that the manifests name (mirror.History).
func (p History) Size(t *catalog.Type, after, through ontosql.CommitID) (files int, rows int64) {
	return p.Pin.View.Count(t.Ref, max(after, 0), through)
}

// recentRows are the rows of a range of commits of this gateway that are remembered. It is
// nil if some are not, if they are too many for the text of a statement, or if the engine
// might read them in another way than from their files.
func (p History) recentRows(t *catalog.Type, after, through ontosql.CommitID) *mirror.Rows {
	after = max(after, 0)
	if _, n := p.Size(t, after, through); n > ingest.MaxTextRows || after+1 < t.Floor {
		return nil
	}
	rows, ok := p.Storage.Recent().files.rowsOf(p.Pin.View.Files(t.Ref, after, through))
	if !ok || len(rows) == 0 {
		return nil
	}
	for i := range rows {
		if !ingest.Plain(&rows[i]) {
			return nil
		}
	}
	files := []scan.File{{Rows: ingest.Values(t, rows), Facts: ingest.RowFacts(t), Min: after + 1, Max: through}}
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

// Rows are the rows of a range of commits: those that RecentCommits remembers, else those
// of the backend (mirror.History).
func (p History) Rows(ctx context.Context, t *catalog.Type, after, through ontosql.CommitID) (*mirror.Rows, error) {
	if rows := p.recentRows(t, after, through); rows != nil {
		return rows, nil
	}
	r := scan.Request{Type: t, Window: ontosql.Window{Lower: max(after, 0), Upper: through}}
	s := Search{Pin: p.Pin, Type: t, Window: r.Window, Warn: func(string, string) {}}
	if tables, ok := p.Storage.(*Tables); ok {
		if rows, err := tables.stream(ctx, p.Engine, s); rows != nil || err != nil {
			return rows, err
		}
	}
	f, err := p.Storage.Find(ctx, p.Engine, s)
	if err != nil {
		return nil, err
	}
	r.Files = f.Files
	rows := &mirror.Rows{Release: f.close}
	if f.size != nil {
		rows.Bytes = f.size()
	}
	if rows.SQL, rows.Duplicates, err = scan.Stored(r); err == nil {
		rows.Unreadable, err = scan.UnreadableByCommit(t, r.Files, r.Window.Lower, mirror.Versions)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return rows, nil
}
