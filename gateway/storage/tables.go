package storage

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/ingest"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
)

// Tables is the Backend of an ontology in a database whose tables have its rows. The rows
// of a window are read by a cursor and given to the engine.
type Tables struct {
	Store
	Versions   Versions
	recent     *RecentCommits
	converters converters
	loaded     atomic.Uint64 // tables so far
}

var _ Backend = (*Tables)(nil)

// Versions opens a cursor over the versions of a type in the commits of a window at a
// pin. If keys is not nil, it gives the versions whose first key column has one of these
// texts; if the window's Mode is Latest too, the newest version of each entity is enough.
type Versions func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error)

// TablesOptions is what Tables is built from. The caller closes the store.
type TablesOptions struct {
	Store    Store
	Versions Versions
	Own      *RecentCommits // called by the committer; nil if the committer calls none
}

// NewTables is the Backend of a database.
func NewTables(o TablesOptions) *Tables {
	return &Tables{Store: o.Store, Versions: o.Versions, recent: orNew(o.Own)}
}

// Source is SourceTable (Backend).
func (b *Tables) Source() string { return SourceTable }

// Recent remembers the last commits of this gateway (Backend).
func (b *Tables) Recent() *RecentCommits { return b.recent }

// Manifest is "": commits of a database have no objects (Backend).
func (b *Tables) Manifest(*chain.Entry) string { return "" }

// Warnings returns none: the only index is the database's own (Backend).
func (b *Tables) Warnings(context.Context, *resolver.Pin, *catalog.Type, ontosql.Window) ([]string, error) {
	return nil, nil
}

// IndexHealth is empty (Backend).
func (b *Tables) IndexHealth(context.Context, *resolver.Pin) ([]resolver.Health, error) {
	return nil, nil
}

// Recoveries returns none: a commit and its projections are one transaction (Backend).
func (b *Tables) Recoveries(context.Context) ([]format.Recovery, error) { return nil, nil }

// Ready is always nil (Backend).
func (b *Tables) Ready(context.Context) error { return nil }

// Doubt does nothing (Backend).
func (b *Tables) Doubt() {}

// Far is false (Backend).
func (b *Tables) Far() bool { return false }

// Wrote records nothing (Backend).
func (b *Tables) Wrote([]format.File, map[ontosql.TypeRef]KeyRange) {}

// Find reads the rows of the window (Backend). Few rows become part of the statement's
// text, many a table of the engine.
func (b *Tables) Find(ctx context.Context, on *duckdb.Engine, s Search) (Result, error) {
	if s.Empty() {
		return s.none(tablesReport(0, nil)), nil
	}
	s.Window.Lower = max(s.Window.Lower, s.Type.Floor-1, 0)
	_, count := s.Pin.View.Count(s.Type.Ref, s.Window.Lower, s.Window.Upper)
	report := tablesReport(count, s.Keys)
	if s.DryRun || count == 0 {
		return s.none(report), nil
	}
	cursor, err := b.Versions(ctx, s.Pin, s.Type, s.Window, s.Keys)
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", s.Type.Ref, err)
	}
	rows := s.reader(cursor)
	defer rows.Close()
	f, err := b.bring(ctx, on, s, rows)
	if err != nil {
		return Result{}, fmt.Errorf("read %s: %w", s.Type.Ref, err)
	}
	if text := rows.Damaged(); text != "" {
		s.Warn(pgerr.DataCorrupted, text)
	}
	if c, ok := cursor.(ingest.HeadWatcher); ok {
		f.Newest = c.Newest()
	}
	f.Report = report
	return f, nil
}

// reader reads the rows of a cursor for the search.
func (s *Search) reader(cursor ingest.Cursor) *ingest.Reader {
	if s.Lookup != nil {
		return s.Lookup.Reader(cursor)
	}
	return ingest.NewReader(cursor, s.Type)
}

// none is the result of a search that finds no rows.
func (s *Search) none(report Report) Result {
	f := Result{Report: report}
	if s.Lookup != nil {
		f.Answer = s.Lookup.AnswerNone()
	}
	return f
}

// bring makes the rows of a reader part of the statement or a table of the engine.
func (b *Tables) bring(ctx context.Context, on *duckdb.Engine, s Search, rows *ingest.Reader) (Result, error) {
	few, many, err := rows.Few(ctx)
	if err != nil {
		return Result{}, err
	}
	if many {
		return b.load(ctx, on, s, rows)
	}
	if s.Matches != nil {
		few = slices.DeleteFunc(few, func(r format.Row) bool { return !s.Matches(&r) })
	}
	if len(few) == 0 {
		return s.none(Report{}), nil
	}
	f := Result{size: rows.Size, Readable: ingest.AllReadable(s.Type, few)}
	if s.Lookup != nil && f.Readable {
		if f.Answer = s.Lookup.Answer(rows); f.Answer != nil {
			return f, nil
		}
	}
	var file scan.File
	if s.FirstParam > 0 && len(s.Keys) > 0 && f.Readable && len(few) <= ingest.MaxParameterRows {
		file, f.Args = rows.ParameterFile(few, s.FirstParam)
	} else {
		file, f.OneTime = rows.TextFile(few), true
	}
	f.Files = []scan.File{file}
	return f, nil
}

func tablesReport(count int64, keys []string) Report {
	return Report{Some: count > 0, Text: func() string {
		text := fmt.Sprintf("Rows: %d in the window", count)
		if len(keys) > 0 {
			text += ", read by key"
		}
		return text
	}}
}

// load makes a table of the engine with the rows. Releasing the result drops it.
func (b *Tables) load(ctx context.Context, on *duckdb.Engine, s Search, rows *ingest.Reader) (_ Result, err error) {
	conn, err := on.Conn(ctx)
	if err != nil {
		return Result{}, err
	}
	name := fmt.Sprintf("rows%d", b.loaded.Add(1))
	table := temptable.Schema + "." + name
	drop := func() {
		// If it fails, the table lives as long as the engine.
		_ = conn.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+table)
		conn.Close()
	}
	defer func() {
		if err != nil {
			drop()
		}
	}()
	path := ""
	if len(s.Keys) == 0 { // other statements read the same rows
		path = fmt.Sprintf("%s of %s after commit %d", s.Type.Ref, s.Pin.View.Commit(min(s.Window.Upper, s.Pin.Head.Commit)).Path, s.Window.Lower)
	}
	files, err := rows.Load(ctx, conn, temptable.Schema, name, path)
	if err != nil {
		return Result{}, err
	}
	return Result{Files: files, OneTime: true, size: rows.Size, Release: drop}, nil
}

// stream streams the rows of a window to the mirror. It returns nil if they are not
// suitable for that (ingest.Stream).
func (b *Tables) stream(ctx context.Context, on *duckdb.Engine, s Search) (*mirror.Rows, error) {
	s.Window.Lower = max(s.Window.Lower, s.Type.Floor-1, 0)
	_, count := s.Pin.View.Count(s.Type.Ref, s.Window.Lower, s.Window.Upper)
	if !ingest.Streams(s.Window, count) {
		return nil, nil
	}
	cursor, err := b.Versions(ctx, s.Pin, s.Type, s.Window, nil)
	if err != nil {
		return nil, err
	}
	return ingest.Stream(ctx, on, cursor, s.Type, s.Window, count)
}
