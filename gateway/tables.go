package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
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
type Versions func(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window, keys []string) (Cursor, error)

// Cursor gives versions of a type, those of an identity in the order in which they
// were stored, io.EOF behind the last: the texts of the identity's columns, commit_id
// and schema_version_id as Int64, the latter perhaps NULL, and fields_json as Text in
// whatever spelling it is stored; then perhaps the number of the row in its table, as
// Int64. A batch is valid until the third one behind it is asked for, or Close.
type Cursor interface {
	Next(ctx context.Context) (*column.Batch, error)
	Close()
}

// watchful is a Cursor that may see on its way whether the head has moved.
type watchful interface {
	// Newest is the pin of the newest head while rows were read, nil where that was not
	// seen. It is asked for behind the last batch.
	Newest() *resolver.Pin
}

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
	rows := s.feed(cursor)
	defer rows.close()
	f, err := b.bring(ctx, on, s, rows)
	if err != nil {
		return found{}, fmt.Errorf("read %s: %w", s.typ.Ref, err)
	}
	if text := rows.refine.broken.String(); text != "" {
		s.warn(pgerr.DataCorrupted, text)
	}
	if c, ok := cursor.(watchful); ok {
		f.newest = c.Newest()
	}
	f.report = report
	return f, nil
}

// feed reads the rows.
func (s *search) feed(cursor Cursor) *feed {
	if s.answers != nil {
		return s.answers.feed(cursor)
	}
	return newFeed(cursor, s.typ)
}

// none is what is found where there is nothing.
func (s *search) none(report foundReport) found {
	f := found{report: report}
	if s.answers != nil {
		f.answer = s.answers.answer(&column.Batch{})
	}
	return f
}

// bring is the rows of a feed, as a text or as a table.
func (b *Tables) bring(ctx context.Context, on *duckdb.Engine, s search, rows *feed) (found, error) {
	few, many, err := rows.few(ctx)
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
	clean := allReadable(s.typ, few)
	if s.answers != nil && clean {
		if answer := s.answers.answer(rows.lone()); answer != nil {
			return found{answer: answer, size: rows.refine.inFile, clean: true}, nil
		}
	}
	all := rows.refine
	facts := ownFacts(s.typ)
	facts.Rows = all.rows
	facts.Duplicates = all.doubles.found || all.doubles.mixed && repeated(few)
	file := scan.File{Facts: facts, Min: all.least, Max: all.most}
	f := found{size: all.inFile, clean: clean}
	if s.first > 0 && len(s.keys) > 0 && f.clean && len(few) <= mostParameterRows {
		// That they have the wanted keys need not be asked again: a parameter that is
		// named twice makes the engine plan anew.
		file.Rows, f.args = parameters(s.typ, few, s.first, facts)
		file.Keyed = true
	} else {
		file.Rows, f.once = values(s.typ, few), true
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
func (b *Tables) load(ctx context.Context, on *duckdb.Engine, s search, rows *feed) (_ found, err error) {
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
	if err := conn.LoadFrom(ctx, sessionSchema, name, ownNamed(s.typ), rows); err != nil {
		return found{}, err
	}
	all := rows.refine
	duplicates, err := all.doubles.among(ctx, conn, table, s.typ.Ref.Kind)
	if err != nil {
		return found{}, err
	}
	return found{files: b.tableFiles(s, table, all, duplicates), once: true, size: all.inFile, release: drop}, nil
}

// tableFiles are the rows of a table, as the engine is to read them: those whose
// typed columns tell all, and the others. Where the order of rows matters, because an
// identity has several in one commit, none are kept apart.
func (b *Tables) tableFiles(s search, table string, all *refinery, duplicates bool) []scan.File {
	file := scan.File{Facts: typedFacts(s.typ), Min: all.least, Max: all.most}
	file.Facts.Rows, file.Facts.Duplicates = all.rows-all.unread, duplicates
	if len(s.keys) == 0 {
		// What is found out about it is of use to other statements.
		file.Path = fmt.Sprintf("%s of %s after commit %d", s.typ.Ref, s.pin.View.Commit(min(s.window.Upper, s.pin.Head.Commit)).Path, s.window.Lower)
	}
	var files []scan.File
	others := " WHERE NOT " + readColumn
	if duplicates {
		others = ""
	} else if all.rows > all.unread {
		file.Rows = "(SELECT " + typedList(s.typ) + " FROM " + table + " WHERE " + readColumn + ") AS own"
		files = append(files, file)
	}
	if duplicates || all.unread > 0 {
		facts := ownFacts(s.typ)
		facts.Rows, facts.Duplicates, facts.Plain = all.unread, duplicates, !all.odd
		if duplicates {
			facts.Rows = all.rows
		}
		file.Facts = facts
		if file.Path != "" {
			file.Path += ", not read"
		}
		file.Rows = "(SELECT " + strings.Join(ownColumns(s.typ), ", ") + " FROM " + table + others + ") AS own"
		files = append(files, file)
	}
	return files
}

// ownNamed are the ownColumns, the typedNamed and the readColumn with their types.
func ownNamed(t *catalog.Type) []column.Named {
	var cols []column.Named
	for _, c := range ownFacts(t).Columns {
		kind := column.Text
		if c.Kind == format.KindInt64 {
			kind = column.Int64
		}
		cols = append(cols, column.Named{Name: c.Name, Type: column.Type{Kind: kind}})
	}
	cols = append(cols, typedNamed(t)...)
	return append(cols, column.Named{Name: readColumn, Type: column.Type{Kind: column.Bool}})
}
