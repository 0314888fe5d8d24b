package staging

import (
	"context"
	"io"
	"iter"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// Data is what to commit: the newest version of each identity, except those in unchanged,
// whose newest version is as stored. The committer reads the rows while the session waits
// for it.
func (g *Rows) Data(ctx context.Context, unchanged map[string]bool) writepath.Data {
	return writepath.Data{
		Type: g.Type.Ref, Fields: g.fields(), SchemaVersion: g.Type.SchemaID, Draft: g.draft,
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
					id := g.Identity(&r.Row)
					if at, named := g.newest[id]; named && at != number || unchanged[id] {
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

// fields are the fields of the rows.
func (g *Rows) fields() []format.DataField {
	return g.Type.DataFields(g.Type.SchemaID, g.schema.Fields)
}

// version is a version, or the error of reading the next ones.
type version struct {
	format.Row
	err error
}

// versions gives all versions by number, in their order. Those of a draft have their identity
// only. A version is valid until the next one.
func (g *Rows) versions(ctx context.Context) iter.Seq2[int64, version] {
	return func(yield func(int64, version) bool) {
		if g.draft != nil {
			g.eachInDraft(yield)
			return
		}
		for number, r := range g.inTable(ctx) {
			if !yield(number, r) {
				return
			}
		}
		for i, r := range g.tail {
			if !yield(g.last-int64(len(g.tail)-1-i), version{Row: r}) {
				return
			}
		}
	}
}

// eachInDraft gives the identities of the versions in the draft.
func (g *Rows) eachInDraft(yield func(int64, version) bool) {
	number := int64(0)
	for r, err := range g.draft.Identities() {
		if number++; !yield(number, version{r, err}) {
			return
		}
	}
}

// inTable gives the versions in the table, in the order in which they were written.
func (g *Rows) inTable(ctx context.Context) iter.Seq2[int64, version] {
	return func(yield func(int64, version) bool) {
		if g.table == "" {
			return
		}
		st, err := g.conn.Prepare(ctx, "SELECT * FROM "+g.table)
		if err != nil {
			yield(0, version{err: err})
			return
		}
		defer st.Close()
		rows, err := st.Query(ctx, nil)
		if err != nil {
			yield(0, version{err: err})
			return
		}
		defer rows.Close()
		for {
			b, err := rows.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(0, version{err: err})
				return
			}
			for i := range b.Len {
				if !yield(b.Cols[len(b.Cols)-1].I64[i], version{Row: g.row(b, i)}) {
					return
				}
			}
		}
	}
}

func (g *Rows) row(b *column.Batch, i int) format.Row {
	r := Identity(g.Type.Ref.Kind, b, i)
	r.SchemaVersionID, r.Fields = g.Type.SchemaID, b.Cols[len(b.Cols)-2].Str[i]
	return r
}
