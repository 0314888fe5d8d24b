package gateway

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
	"github.com/ontosql/ontosql/mirror"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
)

// Tables is the Storage of an ontology in a database whose tables hold its rows:
// those of a window are read by a cursor and loaded into the engine.
type Tables struct {
	Store
	versions Versions
	ours     *OwnCommits
	loaded   atomic.Uint64 // tables so far
}

var _ Storage = (*Tables)(nil)

// Versions opens a cursor over the versions of a type in the commits of a window, as
// a pin has them: all of them or, where keys is not nil, those whose first identity
// column has one of these texts. Of an entity's the newest is enough then if Mode is
// Latest.
type Versions func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (ingest.Cursor, error)

// TablesOptions is what Tables is built from. Closing the store is the caller's.
type TablesOptions struct {
	Store    Store
	Versions Versions
	Own      *OwnCommits // told by the committer; nil when it is told of nothing
}

// NewTables is the storage of a database.
func NewTables(o TablesOptions) *Tables {
	return &Tables{Store: o.Store, versions: o.Versions, ours: orNew(o.Own)}
}

func (b *Tables) source() string { return sourceTable }

func (b *Tables) own() *OwnCommits { return b.ours }

func (b *Tables) manifest(*chain.Entry) string { return "" }

// warnings are none: there is no index but the database's own.
func (b *Tables) warnings(context.Context, *resolver.Pin, *catalog.Type, ontosql.Window) ([]string, error) {
	return nil, nil
}

func (b *Tables) health(context.Context, *resolver.Pin) ([]resolver.Health, error) { return nil, nil }

// recoveries are none: a commit and what follows from it are one transaction.
func (b *Tables) recoveries(context.Context) ([]format.Recovery, error) { return nil, nil }

func (b *Tables) ready(context.Context) error { return nil }

func (b *Tables) far() bool { return false }

func (b *Tables) wrote([]format.File, []*staging) {}

// find reads the rows of the window. Few become a part of the statement's text, many
// a table of the engine.
func (b *Tables) find(ctx context.Context, on *duckdb.Engine, s search) (found, error) {
	if s.empty() {
		return s.none(tablesReport(0, nil)), nil
	}
	s.window.Lower = max(s.window.Lower, s.typ.Floor-1, 0)
	_, count := s.pin.View.Count(s.typ.Ref, s.window.Lower, s.window.Upper)
	report := tablesReport(count, s.keys)
	if s.dry || count == 0 {
		return s.none(report), nil
	}
	cursor, err := b.versions(ctx, s.pin, s.typ, s.window, s.keys)
	if err != nil {
		return found{}, fmt.Errorf("read %s: %w", s.typ.Ref, err)
	}
	rows := s.reader(cursor)
	defer rows.Close()
	f, err := b.bring(ctx, on, s, rows)
	if err != nil {
		return found{}, fmt.Errorf("read %s: %w", s.typ.Ref, err)
	}
	if text := rows.Damaged(); text != "" {
		s.warn(pgerr.DataCorrupted, text)
	}
	if c, ok := cursor.(ingest.HeadWatcher); ok {
		f.newest = c.Newest()
	}
	f.report = report
	return f, nil
}

// reader reads the rows of a cursor for the search.
func (s *search) reader(cursor ingest.Cursor) *ingest.Reader {
	if s.answers != nil {
		return s.answers.Reader(cursor)
	}
	return ingest.NewReader(cursor, s.typ)
}

// none is the result of a search that finds no rows.
func (s *search) none(report foundReport) found {
	f := found{report: report}
	if s.answers != nil {
		f.answer = s.answers.AnswerNone()
	}
	return f
}

// bring makes the rows of a reader part of the statement or a table of the engine.
func (b *Tables) bring(ctx context.Context, on *duckdb.Engine, s search, rows *ingest.Reader) (found, error) {
	few, many, err := rows.Few(ctx)
	if err != nil {
		return found{}, err
	}
	if many {
		return b.load(ctx, on, s, rows)
	}
	few = slices.DeleteFunc(few, func(r format.Row) bool { return !s.bounds.of(&r) })
	if len(few) == 0 {
		return s.none(foundReport{}), nil
	}
	f := found{size: rows.Size, clean: ingest.AllReadable(s.typ, few)}
	if s.answers != nil && f.clean {
		if f.answer = s.answers.Answer(rows); f.answer != nil {
			return f, nil
		}
	}
	var file scan.File
	if s.first > 0 && len(s.keys) > 0 && f.clean && len(few) <= ingest.MaxParameterRows {
		file, f.args = rows.ParameterFile(few, s.first)
	} else {
		file, f.once = rows.TextFile(few), true
	}
	f.files = []scan.File{file}
	return f, nil
}

func tablesReport(count int64, keys []string) foundReport {
	return foundReport{some: count > 0, text: func() string {
		text := fmt.Sprintf("Rows: %d in the window", count)
		if len(keys) > 0 {
			text += ", read by key"
		}
		return text
	}}
}

// load is rows as a table of the engine, dropped when they are released.
func (b *Tables) load(ctx context.Context, on *duckdb.Engine, s search, rows *ingest.Reader) (_ found, err error) {
	conn, err := on.Conn(ctx)
	if err != nil {
		return found{}, err
	}
	name := fmt.Sprintf("rows%d", b.loaded.Add(1))
	table := sessionSchema + "." + name
	drop := func() {
		// Nobody names it any more; it goes with the engine at the latest.
		_ = conn.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+table)
		conn.Close()
	}
	defer func() {
		if err != nil {
			drop()
		}
	}()
	path := ""
	if len(s.keys) == 0 { // other statements read the same rows
		path = fmt.Sprintf("%s of %s after commit %d", s.typ.Ref, s.pin.View.Commit(min(s.window.Upper, s.pin.Head.Commit)).Path, s.window.Lower)
	}
	files, err := rows.Load(ctx, conn, sessionSchema, name, path)
	if err != nil {
		return found{}, err
	}
	return found{files: files, once: true, size: rows.Size, release: drop}, nil
}

// stream streams the rows of a window to the mirror, if they are suitable: nil if not.
func (b *Tables) stream(ctx context.Context, on *duckdb.Engine, s search) (*mirror.Rows, error) {
	s.window.Lower = max(s.window.Lower, s.typ.Floor-1, 0)
	_, count := s.pin.View.Count(s.typ.Ref, s.window.Lower, s.window.Upper)
	if !ingest.Streams(s.window, count) {
		return nil, nil
	}
	cursor, err := b.versions(ctx, s.pin, s.typ, s.window, nil)
	if err != nil {
		return nil, err
	}
	return ingest.Stream(ctx, on, cursor, s.typ, s.window, count)
}
