package gateway

import (
	"context"
	"math"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/mirror"
)

// The mirror reads each row once and keeps what it makes of it. So the rows of a
// database flow through it without a table between, and with the commit that superseded
// each, if they can be read newest first.

// newestFirst is a Cursor that may be able to give its rows in the reverse order.
type newestFirst interface {
	// NewestFirst makes it do so before the first batch is asked for. It reports false
	// where that would not be the order of commits.
	NewestFirst() bool
}

// The columns of a flow beside those of a feed's table.
const (
	nextColumn  = "__next"
	orderColumn = "__order"
)

// flow is the rows of a window as the mirror reads them; nil where they are few, or not
// in order, or too many.
func (b *Tables) flow(ctx context.Context, on *duckdb.Engine, s search) (*mirror.Rows, error) {
	lower := max(s.window.Lower, s.typ.Floor-1, 0)
	_, count := s.pin.View.Count(s.typ.Ref, lower, s.window.Upper)
	if count <= mostOwnRows || count > mostSucceeded || s.window.Upper-lower > math.MaxUint32 {
		return nil, nil
	}
	s.window.Lower = lower
	cursor, err := b.versions(ctx, s.pin, s.typ, s.window, nil)
	if err != nil {
		return nil, err
	}
	reverse, ok := cursor.(newestFirst)
	if !ok || !reverse.NewestFirst() {
		cursor.Close()
		return nil, nil
	}
	rows := newFeed(cursor, s.typ)
	rows.refine.next = newSuccession(s.window.Lower, count)
	flowing, err := flowFrom(ctx, on, s, rows, count)
	if err != nil {
		rows.close()
		return nil, err
	}
	return flowing, nil
}

// flowFrom offers the rows of a feed, of which there are so many, to the engine.
func flowFrom(ctx context.Context, on *duckdb.Engine, s search, rows *feed, count int64) (*mirror.Rows, error) {
	if err := rows.one(ctx); err != nil {
		return nil, err
	}
	offer := on.RegisterRows(ctx, flowNamed(s.typ), rows, count)
	file := scan.File{
		Rows:  "(SELECT " + typedList(s.typ) + ", " + readColumn + ", " + nextColumn + ", " + orderColumn + " FROM " + offer.SQL() + ") AS own",
		Facts: typedFacts(s.typ), Read: readColumn, Min: s.window.Lower + 1, Max: s.window.Upper,
	}
	sql, err := scan.StoredNext(s.typ, file, nextColumn, orderColumn)
	if err != nil {
		offer.Unregister()
		return nil, err
	}
	read := rows.refine.rows
	m := &mirror.Rows{SQL: sql, Succeeded: true, Bytes: rows.refine.inFile() * count / max(read, 1)}
	m.Learn = func(err error) error {
		if failed := offer.Err(); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		m.Duplicates = rows.refine.next.twice
		m.Unreadable, err = rows.refine.unreadable(s.typ, s.window.Lower)
		return err
	}
	m.Release = func() {
		offer.Unregister()
		rows.close()
	}
	return m, nil
}

// unreadable counts the unreadable values of all rows (mirror.Rows).
func (r *refinery) unreadable(t *catalog.Type, after ontosql.CommitID) (string, error) {
	facts := typedFacts(t)
	if r.unread > 0 {
		facts = ownFacts(t)
		facts.Plain = !r.odd
	}
	return scan.UnreadableByCommit(t, []scan.File{{Facts: facts}}, after, mirror.Versions)
}

// flowNamed are the columns of a flow: ownNamed, nextColumn and orderColumn.
func flowNamed(t *catalog.Type) []column.Named {
	number := column.Type{Kind: column.Int64}
	return append(ownNamed(t), column.Named{Name: nextColumn, Type: number}, column.Named{Name: orderColumn, Type: number})
}

// succeed fills the columns behind the readColumn.
func (r *refinery) succeed(f *fed) error {
	last := len(f.batch.Cols)
	keys, commits := f.batch.Cols[:r.keys], f.batch.Cols[r.keys+1].I64
	if !r.next.fill(keys, commits, &f.batch.Cols[last-2], &f.batch.Cols[last-1]) {
		return ontosql.Corrupt(r.broken.table, "commit_id", "%d stands behind a greater one", commits[len(commits)-1])
	}
	return nil
}
