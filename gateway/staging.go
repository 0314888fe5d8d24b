package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// staging is what a transaction has written of one type and not committed yet
// (decision A31). The rows lie in a table of the engine, which spills; the last
// of them may still be in memory, where they stay as long as nobody reads them
// and they are few.
type staging struct {
	session *Session
	typ     *catalog.Type
	schema  *format.Schema
	low     string           // the least and
	high    string           // the greatest of the rows' first key texts
	rows    map[string]int64 // the identities and the number of each one's row, from 1
	conn    *duckdb.Conn     // of the table: the session's may be reading while rows arrive; nil without one
	table   string           // quoted for SQL; "" before rows went there
	tail    []format.Row     // not in the table yet, the newest
	size    int              // of the tail in bytes
}

// tailSize is how many bytes of rows are kept out of the table.
const tailSize = 1 << 20

// count is the number of rows.
func (g *staging) count() int64 { return int64(len(g.rows)) }

// identity is how errors and the commit know a row.
func (g *staging) identity(r *format.Row) string { return writepath.Identity(g.typ.Ref.Kind, r) }

// add stages a row. An identity comes once; the second time is reported.
func (g *staging) add(ctx context.Context, r format.Row) (twice bool, err error) {
	id := g.identity(&r)
	if _, twice := g.rows[id]; twice {
		return true, nil
	}
	first := firstKey(&r)
	if len(g.rows) == 0 {
		g.low, g.high = first, first
	}
	g.low, g.high = min(g.low, first), max(g.high, first)
	g.rows[id] = g.count() + 1
	g.tail = append(g.tail, r)
	g.size += len(r.Fields) + len(id) + 64
	if g.size > tailSize {
		return false, g.flush(ctx)
	}
	return false, nil
}

// cut takes back the rows after number n.
func (g *staging) cut(ctx context.Context, n int64) error {
	if g.count() == n {
		return nil
	}
	inTable := g.count() - int64(len(g.tail))
	for id, at := range g.rows {
		if at > n {
			delete(g.rows, id)
		}
	}
	g.tail = g.tail[:max(n-inTable, 0)]
	if n >= inTable {
		return nil
	}
	if err := g.conn.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE seq > %d", g.table, n)); err != nil {
		return fmt.Errorf("take staged rows back: %w", err)
	}
	return nil
}

// columns are those of the table (scan.Request.Staged).
func (g *staging) columns() []column.Named {
	var cols []column.Named
	for _, name := range append(scan.KeyColumns(g.typ.Ref.Kind), "fields_json") {
		cols = append(cols, column.Named{Name: name, Type: column.Type{Kind: column.Text}})
	}
	return append(cols, column.Named{Name: "seq", Type: column.Type{Kind: column.Int64}})
}

// flush moves the tail into the table.
func (g *staging) flush(ctx context.Context) error {
	if len(g.tail) == 0 && g.table != "" {
		return nil
	}
	s, cols := g.session, g.columns()
	b := column.NewBuilder(cols)
	seq := g.count() - int64(len(g.tail))
	for _, r := range g.tail {
		seq++
		if g.typ.Ref.Kind == ontosql.Entity {
			b.Append(r.Key, string(r.Fields), seq)
		} else {
			b.Append(r.Left, r.Right, r.Instance, string(r.Fields), seq)
		}
	}
	if g.conn == nil {
		var err error
		if g.conn, err = s.db.engine.Conn(ctx); err != nil {
			return fmt.Errorf("stage rows: %w", err)
		}
	}
	if g.table == "" {
		s.temps++
		name := fmt.Sprintf("w%d_%d", s.serial, s.temps)
		if err := g.conn.Load(ctx, sessionSchema, name, cols, b.Batch()); err != nil {
			return fmt.Errorf("stage rows: %w", err)
		}
		g.table = sessionSchema + "." + name
	} else if err := g.conn.Append(ctx, sessionSchema, strings.TrimPrefix(g.table, sessionSchema+"."), b.Batch()); err != nil {
		return fmt.Errorf("stage rows: %w", err)
	}
	g.tail, g.size = nil, 0
	return nil
}

// relation is the rows after number n as SQL, for scan.Request.Staged.
func (g *staging) relation(ctx context.Context, n int64) (string, error) {
	if err := g.flush(ctx); err != nil {
		return "", err
	}
	if n == 0 {
		return g.table, nil
	}
	return fmt.Sprintf("(SELECT * FROM %s WHERE seq > %d ORDER BY seq)", g.table, n), nil
}

// drop forgets the rows.
func (g *staging) drop(ctx context.Context) {
	if g.conn == nil {
		return
	}
	defer g.conn.Close()
	if g.table == "" {
		return
	}
	if err := g.conn.Exec(ctx, "DROP TABLE IF EXISTS "+g.table); err != nil {
		g.session.log.WarnContext(ctx, "staged rows stay in memory", "error", err)
	}
}

// data is what is to be committed. Its rows are read by the committer while the
// session waits for it.
func (g *staging) data(ctx context.Context) writepath.Data {
	return writepath.Data{
		Type: g.typ.Ref, Fields: g.schema.Fields, SchemaVersion: g.typ.SchemaID,
		Rows: func(yield func(writepath.Row, error) bool) {
			for r, err := range g.stored(ctx) {
				if !yield(writepath.Row{Row: r}, err) {
					return
				}
			}
			for _, r := range g.tail {
				if !yield(writepath.Row{Row: r}, nil) {
					return
				}
			}
		},
	}
}

// stored are the rows in the table, in their order.
func (g *staging) stored(ctx context.Context) iter.Seq2[format.Row, error] {
	return func(yield func(format.Row, error) bool) {
		if g.table == "" {
			return
		}
		st, err := g.conn.Prepare(ctx, "SELECT * FROM "+g.table+" ORDER BY seq")
		if err != nil {
			yield(format.Row{}, err)
			return
		}
		defer st.Close()
		rows, err := st.Query(ctx, nil)
		if err != nil {
			yield(format.Row{}, err)
			return
		}
		defer rows.Close()
		for {
			b, err := rows.Next(ctx)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(format.Row{}, err)
				return
			}
			for i := range b.Len {
				if !yield(g.row(b, i), nil) {
					return
				}
			}
		}
	}
}

func (g *staging) row(b *column.Batch, i int) format.Row {
	r := keyed(g.typ.Ref.Kind, b, i)
	r.SchemaVersionID, r.Fields = g.typ.SchemaID, bytes.Clone(b.Cols[len(b.Cols)-2].Str[i])
	return r
}

// keyed is row i of a batch that begins with the stored key columns, without
// anything but its identity.
func keyed(kind ontosql.Kind, b *column.Batch, i int) format.Row {
	text := func(k int) string { return string(b.Cols[k].Str[i]) }
	if kind == ontosql.Entity {
		return format.Row{Key: text(0)}
	}
	return format.Row{Left: text(0), Right: text(1), Instance: text(2)}
}

// firstKey is the text of the first stored key column.
func firstKey(r *format.Row) string { return r.Key + r.Left } // one of them is empty

// after are the rows after number n, if they are all still in memory.
func (g *staging) after(n int64) ([]format.Row, bool) {
	fresh := int(g.count() - n)
	if fresh > len(g.tail) {
		return nil, false
	}
	return g.tail[len(g.tail)-fresh:], true
}

// sought are the identities of rows, as they are looked for in the store.
type sought struct {
	texts  []string        // of the first stored key column; nil where they are too many
	equals []scan.KeyEqual // those that the engine is to find, and perhaps others
	args   []any           // parameters in equals
}

// seek looks for the identities of the rows after number n. That of a single row
// is a parameter: the statement is the same for the next row, and prepared.
func (g *staging) seek(ctx context.Context, n int64) (s sought, err error) {
	const few = 256
	keys := scan.KeyColumns(g.typ.Ref.Kind)
	fresh, ok := g.after(n)
	if !ok || len(fresh) > few {
		relation, err := g.relation(ctx, n)
		s.equals = []scan.KeyEqual{{Column: keys[0], Texts: []string{"SELECT " + keys[0] + " FROM " + relation}}}
		return s, err
	}
	for i := range fresh {
		s.texts = append(s.texts, firstKey(&fresh[i]))
	}
	if len(fresh) > 1 {
		first := make([]string, len(fresh))
		for i, key := range s.texts {
			first[i] = duckdb.Literal(key)
		}
		s.equals = []scan.KeyEqual{{Column: keys[0], Texts: first}}
		return s, nil
	}
	s.equals, s.args = []scan.KeyEqual{{Column: keys[0], Texts: []string{"CAST($1 AS VARCHAR)"}}}, []any{s.texts[0]}
	if g.typ.Ref.Kind == ontosql.Relation {
		// One key on the left may have any number on the right.
		s.equals = append(s.equals, scan.KeyEqual{Column: keys[1], Texts: []string{"CAST($2 AS VARCHAR)"}})
		s.args = append(s.args, fresh[0].Right)
	}
	return s, nil
}
