package staging

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/writepath"
)

// Rows are the versions of rows of one type that a transaction has written, numbered from 1 in
// the order of writing; the newest of each identity counts. They lie in a temporary table of
// the engine; the last ones, or few rows that no statement has read, may still be in memory.
// Rows belong to the session's goroutine.
type Rows struct {
	Options
	Type     *catalog.Type
	schema   *format.Schema
	migrated bool             // all rows are committed again under another schema
	low      string           // the least and
	high     string           // the greatest of the versions' first key texts
	last     int64            // the number of the newest version
	newest   map[string]int64 // the number of the newest version of each identity, except those of loads
	loads    []load           // versions too many for newest, in their order
	// Named says that the rows that arrive are not a load, because other queries of the
	// statement may write the same identities.
	Named bool
	// stored is the commit of the stored version that an identity's versions follow. A
	// new identity has no entry.
	stored   map[string]ontosql.CommitID
	replaced []replacement // versions that followed staged ones, oldest first
	conn     *duckdb.Conn  // of the table, because the session's may be in use while rows arrive; nil without a table
	table    string        // quoted for SQL; "" for none yet
	tail     []format.Row  // the newest versions, not in the table yet
	size     int           // of tail or batch, in bytes

	// draft has the versions if all are of one statement and are committed in their order.
	// The table is empty then, or has their identities only.
	draft    *writepath.Draft
	batch    *writepath.Batch   // the next batch for the draft, nil for none
	followed []ontosql.CommitID // the commits that the versions of a draft follow, unless they are a load
}

// replacement is a version that followed one that was staged before.
type replacement struct {
	identity       string
	number, before int64 // its own number and that of the version before, 0 for one of a load
}

// tailSize is the size in bytes of the rows that are kept in memory.
const tailSize = 16 << 20

// Options are what a staging needs of its session.
type Options struct {
	Temp *temptable.Tables // makes its table
	Log  *slog.Logger
	// Draft starts a draft of a commit for the rows of a type. It returns nil where they
	// may not go into one: other statements may read them before they are committed, or
	// the committer has no drafts.
	Draft func(writepath.Data) *writepath.Draft
}

// New makes an empty staging. schema is the version of the type's schema that rows
// are written with.
func New(typ *catalog.Type, schema *format.Schema, o Options) *Rows {
	return &Rows{Options: o, Type: typ, schema: schema, newest: map[string]int64{}, stored: map[string]ontosql.CommitID{}}
}

// Identity is the identity of a row as the committer spells it.
func (g *Rows) Identity(r *format.Row) string { return writepath.Identity(g.Type.Ref.Kind, r) }

// What the next version of an identity follows, if that is not a commit.
const (
	NoVersion ontosql.CommitID = 0  // the identity is new
	Staged    ontosql.CommitID = -1 // another staged version
)

// Put stages the next version of an identity. follows is the commit of the stored version
// before it, NoVersion or Staged.
func (g *Rows) Put(ctx context.Context, id string, r format.Row, follows ontosql.CommitID) error {
	if before, again := g.newest[id]; again || follows == Staged {
		g.replaced = append(g.replaced, replacement{id, g.last + 1, before})
	}
	g.newest[id] = g.last + 1
	if follows > 0 {
		g.stored[id] = follows
	}
	return g.add(ctx, r)
}

func (g *Rows) add(ctx context.Context, r format.Row) error {
	g.number(&r)
	if g.draft != nil {
		if g.batch == nil {
			g.batch = g.draft.Batch()
		}
		g.batch.Rows = append(g.batch.Rows, r)
		if g.size += rowSize(&r); g.size < draftSize && len(g.batch.Rows) < draftBatch {
			return nil
		}
		return g.FlushDraft()
	}
	g.tail = append(g.tail, r)
	g.size += rowSize(&r)
	if g.size > tailSize {
		return g.flush(ctx)
	}
	return nil
}

// number counts the next version and extends the range of keys.
func (g *Rows) number(r *format.Row) {
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

func rowSize(r *format.Row) int { return r.Size() + 64 }

// SetMigrated says that all rows of the type are written again under another schema.
// They are committed even if they are as stored.
func (g *Rows) SetMigrated() { g.migrated = true }

// Count is the number of versions.
func (g *Rows) Count() int64 { return g.last }

// NewestOf is the number of the newest version of an identity, 0 for none or for one of a
// load or a draft.
func (g *Rows) NewestOf(identity string) int64 { return g.newest[identity] }

// Version is a version by its number, if it is still in memory.
func (g *Rows) Version(number int64) (r format.Row, ok bool) {
	fresh, ok := g.after(number - 1)
	if !ok || len(fresh) == 0 {
		return r, false
	}
	return fresh[0], true
}

// StoredCommit is the commit of the stored version that an identity's versions follow, 0
// for a new identity.
func (g *Rows) StoredCommit(identity string) ontosql.CommitID { return g.stored[identity] }

// KeyRange is the least and the greatest first key text of the versions.
func (g *Rows) KeyRange() (low, high string) { return g.low, g.high }

// HasChanges reports whether there is a version to be committed besides those of the
// identities that are as stored.
func (g *Rows) HasChanges(unchanged map[string]bool) bool {
	return g.draft != nil || len(g.loads) > 0 || len(g.newest) > len(unchanged)
}

// Truncate removes the versions after number n.
func (g *Rows) Truncate(ctx context.Context, n int64) error {
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
		return fmt.Errorf("remove staged rows: %w", err)
	}
	return nil
}

// Identity is the identity of row i of a batch whose first columns are the stored key columns. The
// other fields of the row are empty.
func Identity(kind ontosql.Kind, b *column.Batch, i int) format.Row {
	text := func(k int) string { return string(b.Cols[k].Str[i]) }
	if kind == ontosql.Entity {
		return format.Row{Key: text(0)}
	}
	return format.Row{Left: text(0), Right: text(1), Instance: text(2)}
}

// firstKey is the text of the first stored key column.
func firstKey(r *format.Row) string { return r.Key + r.Left } // one of them is empty
