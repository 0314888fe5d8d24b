package staging

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/temptable"
)

// columns are the columns of the table (scan.Request.Staged).
func (g *Rows) columns() []column.Named {
	var cols []column.Named
	for _, name := range append(scan.KeyColumns(g.Type.Ref.Kind), "fields_json") {
		cols = append(cols, column.Named{Name: name, Type: column.Type{Kind: column.Text}})
	}
	return append(cols, column.Named{Name: "seq", Type: column.Type{Kind: column.Int64}})
}

// flush moves the tail into the table.
func (g *Rows) flush(ctx context.Context) error {
	if len(g.tail) == 0 && g.table != "" {
		return nil
	}
	cols := g.columns()
	if g.conn == nil {
		var err error
		if g.conn, err = g.Temp.Conn(ctx); err != nil {
			return fmt.Errorf("stage rows: %w", err)
		}
	}
	if g.table == "" {
		name := g.Temp.Name("w")
		if err := g.conn.Load(ctx, temptable.Schema, name, cols, g.tailBatch(cols)); err != nil {
			return fmt.Errorf("stage rows: %w", err)
		}
		g.table = temptable.Schema + "." + name
	} else if err := g.conn.Append(ctx, temptable.Schema, strings.TrimPrefix(g.table, temptable.Schema+"."), g.tailBatch(cols)); err != nil {
		return fmt.Errorf("stage rows: %w", err)
	}
	g.tail, g.size = nil, 0
	return nil
}

// tailBatch is the tail with the columns of the table.
func (g *Rows) tailBatch(cols []column.Named) *column.Batch {
	b := &column.Batch{Len: len(g.tail), Cols: make([]column.Vector, len(cols))}
	for i, c := range cols {
		b.Cols[i].Type = c.Type
	}
	keys := []func(*format.Row) string{func(r *format.Row) string { return r.Key }}
	if g.Type.Ref.Kind == ontosql.Relation {
		keys = []func(*format.Row) string{
			func(r *format.Row) string { return r.Left }, func(r *format.Row) string { return r.Right }, func(r *format.Row) string { return r.Instance },
		}
	}
	fields, numbers := &b.Cols[len(keys)], &b.Cols[len(keys)+1]
	fields.Str, numbers.I64 = make([][]byte, b.Len), make([]int64, b.Len)
	for i := range g.tail {
		fields.Str[i], numbers.I64[i] = g.tail[i].Fields, g.last-int64(b.Len-1-i)
	}
	var texts []byte
	for k, key := range keys {
		b.Cols[k].Str = make([][]byte, b.Len)
		for i := range g.tail {
			start := len(texts)
			texts = append(texts, key(&g.tail[i])...)
			b.Cols[k].Str[i] = texts[start:len(texts):len(texts)]
		}
	}
	return b
}

// SQL is the newest versions of the identities that were written after number n, as a
// relation in SQL for scan.Request.Staged.
func (g *Rows) SQL(ctx context.Context, n int64) (string, error) {
	return g.newestSQL(ctx, n, g.last)
}

// SeenSQL is SQL for the identities that were written up to number n, as they were then.
func (g *Rows) SeenSQL(ctx context.Context, n int64) (string, error) { return g.newestSQL(ctx, 0, n) }

// newestSQL is the newest versions of identities, of those with numbers after the one and up to
// the other.
func (g *Rows) newestSQL(ctx context.Context, after, through int64) (string, error) {
	if err := g.flush(ctx); err != nil {
		return "", err
	}
	if after == 0 && through == g.last && len(g.replaced) == 0 {
		return g.table, nil
	}
	sql := fmt.Sprintf("SELECT * FROM %s WHERE seq > %d AND seq <= %d", g.table, after, through)
	if len(g.replaced) > 0 {
		sql += " QUALIFY row_number() OVER (PARTITION BY " + strings.Join(scan.KeyColumns(g.Type.Ref.Kind), ", ") + " ORDER BY seq DESC) = 1"
	}
	return "(" + sql + ")", nil
}

// Close frees the rows.
func (g *Rows) Close(ctx context.Context) {
	g.forgetDraft()
	if g.conn == nil {
		return
	}
	defer g.conn.Close()
	if err := g.dropTable(ctx); err != nil {
		g.Log.WarnContext(ctx, "staged rows stay in memory", "error", err)
	}
}

// dropTable drops the table.
func (g *Rows) dropTable(ctx context.Context) error {
	if g.table == "" {
		return nil
	}
	table := g.table
	g.table = ""
	return g.conn.Exec(ctx, "DROP TABLE IF EXISTS "+table)
}
