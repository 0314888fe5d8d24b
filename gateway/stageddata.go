package gateway

import (
	"context"
	"io"
	"iter"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// data is what is to be committed: the newest version of each identity, but for
// those that are as they were. Its rows are read by the committer while the
// session waits for it.
func (g *staging) data(ctx context.Context, asBefore map[string]bool) writepath.Data {
	return writepath.Data{
		Type: g.typ.Ref, Fields: g.schema.Fields, SchemaVersion: g.typ.SchemaID, Draft: g.draft,
		Rows: func(yield func(writepath.Row, error) bool) {
			for number, r := range g.versions(ctx) {
				if r.err != nil {
					yield(writepath.Row{}, r.err)
					return
				}
				out := writepath.Row{Row: r.Row}
				switch {
				case g.followed != nil:
					out.Expected = g.followed[number-1]
				case len(g.newest) > 0: // else they are all of loads
					id := g.identity(&r.Row)
					if at, named := g.newest[id]; named && at != number || asBefore[id] {
						continue
					}
					out.Expected = g.stored[id]
				}
				if !yield(out, nil) {
					return
				}
			}
		},
	}
}

// stagedRow is a version, or why the others cannot be read.
type stagedRow struct {
	format.Row
	err error
}

// versions are all versions by their numbers, in their order, of a draft their
// identities alone. Fields of one may change when the next one is asked for.
func (g *staging) versions(ctx context.Context) iter.Seq2[int64, stagedRow] {
	return func(yield func(int64, stagedRow) bool) {
		if g.draft != nil {
			g.inDraft(yield)
			return
		}
		for number, r := range g.inTable(ctx) {
			if !yield(number, r) {
				return
			}
		}
		for i, r := range g.tail {
			if !yield(g.last-int64(len(g.tail)-1-i), stagedRow{Row: r}) {
				return
			}
		}
	}
}

// inDraft gives the identities of the versions in the draft.
func (g *staging) inDraft(yield func(int64, stagedRow) bool) {
	number := int64(0)
	for r, err := range g.draft.Identities() {
		if number++; !yield(number, stagedRow{r, err}) {
			return
		}
	}
}

// inTable are the versions in the table, which keeps the order in which they came.
func (g *staging) inTable(ctx context.Context) iter.Seq2[int64, stagedRow] {
	return func(yield func(int64, stagedRow) bool) {
		if g.table == "" {
			return
		}
		st, err := g.conn.Prepare(ctx, "SELECT * FROM "+g.table)
		if err != nil {
			yield(0, stagedRow{err: err})
			return
		}
		defer st.Close()
		rows, err := st.Query(ctx, nil)
		if err != nil {
			yield(0, stagedRow{err: err})
			return
		}
		defer rows.Close()
		for {
			b, err := rows.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(0, stagedRow{err: err})
				return
			}
			for i := range b.Len {
				if !yield(b.Cols[len(b.Cols)-1].I64[i], stagedRow{Row: g.row(b, i)}) {
					return
				}
			}
		}
	}
}

func (g *staging) row(b *column.Batch, i int) format.Row {
	r := keyed(g.typ.Ref.Kind, b, i)
	r.SchemaVersionID, r.Fields = g.typ.SchemaID, b.Cols[len(b.Cols)-2].Str[i]
	return r
}
