package gateway

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// staging is what a transaction has written of one type and not committed yet
// (decision A31): new versions of identities, numbered from 1 in the order in
// which they were written, of which the newest of each counts. They lie in a
// table of the engine, which spills; the last of them may still be in memory,
// where they stay as long as nobody reads them and they are few.
type staging struct {
	session  *Session
	typ      *catalog.Type
	schema   *format.Schema
	migrated bool             // its rows are written again under another schema, whatever they were
	low      string           // the least and
	high     string           // the greatest of the versions' first key texts
	last     int64            // the number of the newest version
	newest   map[string]int64 // the identities and the number of each one's newest version, save for loads
	loads    []load           // versions that are too many for newest, in their order
	// stored is the commit of the stored version that an identity's versions follow;
	// absent for a new identity.
	stored   map[string]ontosql.CommitID
	replaced []replacement // versions that followed staged ones, oldest first
	conn     *duckdb.Conn  // of the table: the session's may be reading while rows arrive; nil without one
	table    string        // quoted for SQL; "" before rows went there
	tail     []format.Row  // not in the table yet, the newest
	size     int           // of the tail, or the batch, in bytes

	// draft has the versions where they are all of one statement and will be committed
	// as they come; the table has none of them, or their identities.
	draft    *writepath.Draft
	batch    *writepath.Batch   // the next for the draft, nil for none
	followed []ontosql.CommitID // what stored has, of the versions of a draft that are no load
}

// replacement is a version that followed one that was staged before.
type replacement struct {
	identity       string
	number, before int64 // its own, and that of the version before, 0 for one of a load
}

// tailSize is how many bytes of rows are kept out of the table: about as many as
// become a load.
const tailSize = 16 << 20

// stagingFor is where the transaction keeps the rows of a type.
func (s *Session) stagingFor(typ *catalog.Type, schema *format.Schema) *staging {
	if g := s.tx.stagingOf(typ.Ref); g != nil {
		return g
	}
	g := s.newStaging(typ, schema)
	s.tx.staged = append(s.tx.staged, g)
	return g
}

func (s *Session) newStaging(typ *catalog.Type, schema *format.Schema) *staging {
	return &staging{session: s, typ: typ, schema: schema, newest: map[string]int64{}, stored: map[string]ontosql.CommitID{}}
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

func (g *staging) append(ctx context.Context, r format.Row) error {
	g.number(&r)
	if g.draft != nil {
		if g.batch == nil {
			g.batch = g.draft.Batch()
		}
		g.batch.Rows = append(g.batch.Rows, r)
		if g.size += rowSize(&r); g.size < draftSize && len(g.batch.Rows) < draftBatch {
			return nil
		}
		return g.sendBatch()
	}
	g.tail = append(g.tail, r)
	g.size += rowSize(&r)
	if g.size > tailSize {
		return g.flush(ctx)
	}
	return nil
}

// number counts the next version.
func (g *staging) number(r *format.Row) {
	first := firstKey(r)
	if g.last == 0 {
		g.low, g.high = first, first
	}
	if first < g.low {
		g.low = first
	} else if first > g.high {
		g.high = first
	}
	g.last++
}

func rowSize(r *format.Row) int {
	return len(r.Fields) + len(r.Key) + len(r.Left) + len(r.Right) + len(r.Instance) + 64
}

// cut takes back the versions after number n.
func (g *staging) cut(ctx context.Context, n int64) error {
	if g.last == n {
		return nil
	}
	g.forgetDraft() // it cannot go back
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
	if n >= inTable || g.table == "" {
		return nil
	}
	if err := g.conn.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE seq > %d", g.table, n)); err != nil {
		return fmt.Errorf("take staged rows back: %w", err)
	}
	return nil
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
