package gateway

import (
	"context"
	"fmt"
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
// (decision A31): new versions of identities, numbered from 1 in the order in
// which they were written, of which the newest of each counts. They lie in a
// table of the engine, which spills; the last of them may still be in memory,
// where they stay as long as nobody reads them and they are few.
type staging struct {
	session *Session
	typ     *catalog.Type
	schema  *format.Schema
	low     string           // the least and
	high    string           // the greatest of the versions' first key texts
	last    int64            // the number of the newest version
	newest  map[string]int64 // the identities and the number of each one's newest version, save for loads
	loads   []load           // versions that are too many for newest, in their order
	// stored is the commit of the stored version that an identity's versions follow;
	// absent for a new identity.
	stored   map[string]ontosql.CommitID
	replaced []replacement // versions that followed staged ones, oldest first
	conn     *duckdb.Conn  // of the table: the session's may be reading while rows arrive; nil without one
	table    string        // quoted for SQL; "" before rows went there
	tail     []format.Row  // not in the table yet, the newest
	size     int           // of the tail in bytes
}

// replacement is a version that followed one that was staged before.
type replacement struct {
	identity       string
	number, before int64 // its own, and that of the version before, 0 for one of a load
}

// load is a run of versions of new identities that one statement inserted. Only
// the table knows their identities.
type load struct{ after, through int64 }

// tailSize is how many bytes of rows are kept out of the table.
const tailSize = 1 << 20

// stagingFor is where the transaction keeps the rows of a type.
func (s *Session) stagingFor(typ *catalog.Type, schema *format.Schema) *staging {
	if g := s.tx.stagingOf(typ.Ref); g != nil {
		return g
	}
	g := &staging{session: s, typ: typ, schema: schema, newest: map[string]int64{}, stored: map[string]ontosql.CommitID{}}
	s.tx.staged = append(s.tx.staged, g)
	return g
}

// identity is how errors and the commit know a row.
func (g *staging) identity(r *format.Row) string { return writepath.Identity(g.typ.Ref.Kind, r) }

// What the next version of an identity follows, where that is no commit.
const (
	nothing       ontosql.CommitID = 0
	stagedVersion ontosql.CommitID = -1
)

// put stages the next version of an identity. follows is the commit of the stored
// version before it, or one of the constants.
func (g *staging) put(ctx context.Context, id string, r format.Row, follows ontosql.CommitID) error {
	if before, again := g.newest[id]; again || follows == stagedVersion {
		g.replaced = append(g.replaced, replacement{id, g.last + 1, before})
	}
	g.newest[id] = g.last + 1
	if follows > 0 {
		g.stored[id] = follows
	}
	return g.append(ctx, r)
}

// mostNamed is how many rows a statement inserts before it is left to the table to
// tell which of them are of one identity.
const mostNamed = 1 << 16

// insert stages a row of the statement whose versions come after number n and are
// all inserts. It reports an identity that is staged already; of a load, existing
// does.
func (g *staging) insert(ctx context.Context, r format.Row, n int64) (twice bool, err error) {
	if g.last-n == mostNamed {
		g.startLoad(n)
	}
	if g.loading(n) {
		g.loads[len(g.loads)-1].through++
		return false, g.append(ctx, r)
	}
	id := g.identity(&r)
	if g.newest[id] > 0 {
		return true, nil
	}
	return false, g.put(ctx, id, r, nothing)
}

// startLoad makes a load of the versions after number n.
func (g *staging) startLoad(n int64) {
	for id, at := range g.newest {
		if at > n {
			delete(g.newest, id)
		}
	}
	g.loads = append(g.loads, load{n, g.last})
}

func (g *staging) append(ctx context.Context, r format.Row) error {
	first := firstKey(&r)
	if g.last == 0 {
		g.low, g.high = first, first
	}
	g.low, g.high = min(g.low, first), max(g.high, first)
	g.last++
	g.tail = append(g.tail, r)
	g.size += rowSize(&r)
	if g.size > tailSize {
		return g.flush(ctx)
	}
	return nil
}

func rowSize(r *format.Row) int {
	return len(r.Fields) + len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance) + 64
}

// cut takes back the versions after number n.
func (g *staging) cut(ctx context.Context, n int64) error {
	if g.last == n {
		return nil
	}
	for i := len(g.replaced) - 1; i >= 0 && g.replaced[i].number > n; i-- {
		r := g.replaced[i]
		g.replaced = g.replaced[:i]
		if g.newest[r.identity] = r.before; r.before == 0 {
			delete(g.newest, r.identity)
		}
	}
	for i := len(g.loads) - 1; i >= 0 && g.loads[i].through > n; i-- {
		if g.loads[i].through = n; g.loads[i].after >= n {
			g.loads = g.loads[:i]
		}
	}
	for id, at := range g.newest {
		if at > n {
			delete(g.newest, id)
			delete(g.stored, id)
		}
	}
	inTable := g.last - int64(len(g.tail))
	for _, r := range g.tail[max(n-inTable, 0):] {
		g.size -= rowSize(&r)
	}
	g.tail, g.last = g.tail[:max(n-inTable, 0)], n
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
	seq := g.last - int64(len(g.tail))
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

// relation is the newest versions of the identities that were written after
// number n as SQL, for scan.Request.Staged.
func (g *staging) relation(ctx context.Context, n int64) (string, error) {
	if err := g.flush(ctx); err != nil {
		return "", err
	}
	if n == 0 && len(g.replaced) == 0 {
		return g.table, nil
	}
	sql := fmt.Sprintf("SELECT * FROM %s WHERE seq > %d", g.table, n)
	if len(g.replaced) > 0 {
		sql += " QUALIFY row_number() OVER (PARTITION BY " + strings.Join(scan.KeyColumns(g.typ.Ref.Kind), ", ") + " ORDER BY seq DESC) = 1"
	}
	return "(" + sql + ")", nil
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
