package ingest

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

// The mirror reads each row once and stores what it makes of it. If the rows can be read
// newest first, they are streamed to the mirror without a table between, each with the
// commit that superseded it.

// The columns of a stream in addition to the tableColumns.
const (
	nextColumn  = "__next"
	orderColumn = "__order"
)

// Streams reports whether so many rows of a window are streamed: fewer are faster as text,
// and more would fill too much memory.
func Streams(w ontosql.Window, count int64) bool {
	return count > MaxTextRows && count <= maxNextRows && w.Upper-w.Lower <= math.MaxUint32
}

// Stream registers the rows of a window with the engine, which are so many (Streams). It returns
// nil if the cursor cannot give them newest first. The cursor is closed by Stream or by
// Release of the result.
func Stream(ctx context.Context, on *duckdb.Engine, cursor Cursor, t *catalog.Type, w ontosql.Window, count int64) (*mirror.Rows, error) {
	reverse, ok := cursor.(Reverser)
	if !ok || !reverse.NewestFirst() {
		cursor.Close()
		return nil, nil
	}
	r := NewReader(cursor, t)
	r.conv.next = newNextCommits(w.Lower, count)
	rows, err := r.stream(ctx, on, w, count)
	if err != nil {
		r.Close()
		return nil, err
	}
	return rows, nil
}

func (r *Reader) stream(ctx context.Context, on *duckdb.Engine, w ontosql.Window, count int64) (*mirror.Rows, error) {
	if err := r.readAhead(ctx); err != nil {
		return nil, err
	}
	registered := on.RegisterRows(ctx, streamColumns(r.typ), r, count)
	file := scan.File{
		Rows:  "(SELECT " + typedSelectList(r.typ) + ", " + completeColumn + ", " + nextColumn + ", " + orderColumn + " FROM " + registered.SQL() + ") AS own",
		Facts: typedFacts(r.typ), FactsHold: completeColumn, Min: w.Lower + 1, Max: w.Upper,
	}
	sql, err := scan.StoredNext(r.typ, file, nextColumn, orderColumn)
	if err != nil {
		registered.Unregister()
		return nil, err
	}
	read := r.conv.rows
	m := &mirror.Rows{SQL: sql, HasNextCommit: true, Bytes: r.Size() * count / max(read, 1)}
	m.AfterRun = func(err error) error {
		if failed := registered.Err(); failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
		m.Duplicates = r.conv.next.twice
		m.Unreadable, err = r.unreadable(w.Lower)
		return err
	}
	m.Release = func() {
		registered.Unregister()
		r.Close()
	}
	return m, nil
}

// unreadable is the SQL that counts the unreadable values of all rows (mirror.Rows).
func (r *Reader) unreadable(after ontosql.CommitID) (string, error) {
	facts := typedFacts(r.typ)
	if r.conv.incomplete > 0 {
		facts = RowFacts(r.typ)
		facts.Plain = !r.conv.odd
	}
	return scan.UnreadableByCommit(r.typ, []scan.File{{Facts: facts}}, after, mirror.Versions)
}

// streamColumns are the columns of a stream: tableColumns, nextColumn and orderColumn.
func streamColumns(t *catalog.Type) []column.Named {
	number := column.Type{Kind: column.Int64}
	return append(tableColumns(t), column.Named{Name: nextColumn, Type: number}, column.Named{Name: orderColumn, Type: number})
}

// fillNext sets nextColumn and orderColumn of a batch.
func (c *converter) fillNext(b *rowBatch) error {
	last := len(b.batch.Cols)
	keys, commits := b.batch.Cols[:c.keys], b.batch.Cols[c.keys+1].I64
	if !c.next.fill(keys, commits, &b.batch.Cols[last-2], &b.batch.Cols[last-1]) {
		return ontosql.Corrupt(c.damaged.table, "commit_id", "%d stands behind a greater one", commits[len(commits)-1])
	}
	return nil
}
