package staging

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// Insert is a staged insert of an identity that another row has.
type Insert struct {
	format.Row       // only its identity is set
	Number     int64 // of the version
}

// Before reports whether t is before first, or first is nil.
func (t *Insert) Before(first *Insert) bool { return first == nil || t.Number < first.Number }

// inserted reports whether an identity was new when it was staged.
func (g *Rows) inserted(id string) bool { return g.stored[id] == 0 }

// FirstInsert is the first insert after number n of an identity for which is returns true,
// nil for none.
func (g *Rows) FirstInsert(n int64, is func(identity string) bool) *Insert {
	if fresh, ok := g.after(n); ok {
		for i := range fresh {
			if id := g.Identity(&fresh[i]); g.inserted(id) && is(id) {
				return &Insert{fresh[i], n + 1 + int64(i)}
			}
		}
		return nil
	}
	first, least := "", g.last+1
	for id, at := range g.newest {
		if at > n && at < least && g.inserted(id) && is(id) {
			first, least = id, at
		}
	}
	if least > g.last {
		return nil
	}
	return &Insert{writepath.RowOfIdentity(g.Type.Ref.Kind, first), least}
}

// ChangedAgain are the identities of stored rows that have several versions here, and the
// fields of the newest one. The last version may be what is stored.
func (g *Rows) ChangedAgain(ctx context.Context) (map[string][]byte, error) {
	if g.migrated {
		return nil, nil
	}
	changed := map[string][]byte{}
	for _, r := range g.replaced {
		if g.stored[r.identity] > 0 {
			changed[r.identity] = nil
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	for number, r := range g.versions(ctx) {
		if r.err != nil {
			return nil, r.err
		}
		id := g.Identity(&r.Row)
		if _, several := changed[id]; several && g.newest[id] == number {
			changed[id] = bytes.Clone(r.Fields)
		}
	}
	return changed, nil
}

// FirstDuplicate is the first insert after number n whose identity an earlier version has, nil for
// none. It is read from the table.
func (g *Rows) FirstDuplicate(ctx context.Context, n int64) (first *Insert, err error) {
	if err := g.flush(ctx); err != nil {
		return nil, err
	}
	updates := map[int64]bool{}
	for i := len(g.replaced) - 1; i >= 0 && g.replaced[i].number > n; i-- {
		updates[g.replaced[i].number] = true
	}
	keys := strings.Join(scan.KeyColumns(g.Type.Ref.Kind), ", ")
	sql := fmt.Sprintf("WITH several AS (SELECT %s FROM %s GROUP BY ALL HAVING count(*) > 1 AND max(seq) > %d)\n"+
		"SELECT %s, seq FROM %s SEMI JOIN several USING (%s) QUALIFY row_number() OVER (PARTITION BY %s ORDER BY seq) > 1 AND seq > %d",
		keys, g.table, n, keys, g.table, keys, keys, n)
	err = g.conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		t := Insert{Identity(g.Type.Ref.Kind, b, i), b.Cols[len(b.Cols)-1].I64[i]}
		if !updates[t.Number] && t.Before(first) {
			first = &t
		}
	})
	return first, err
}

// InsertOf is the number of the version that inserts the identity of a row, 0 for none.
func (g *Rows) InsertOf(row *format.Row) int64 {
	if id := g.Identity(row); g.inserted(id) {
		return g.newest[id]
	}
	return 0
}

// FirstOfSQL is a query for the first version after number n of the identities that another query
// gives.
func (g *Rows) FirstOfSQL(identities string, n int64) string {
	var same []string
	keys := scan.KeyColumns(g.Type.Ref.Kind)
	for i, key := range keys {
		same = append(same, fmt.Sprintf("s.%s = f.k%d", key, i))
	}
	return fmt.Sprintf("SELECT s.%s, s.seq FROM (%s) AS f JOIN %s AS s ON %s WHERE s.seq > %d ORDER BY s.seq LIMIT 1",
		strings.Join(keys, ", s."), identities, g.table, strings.Join(same, " AND "), n)
}

// DraftHas reports whether the draft has one of the identities of a batch.
func (g *Rows) DraftHas(b *column.Batch) bool {
	if g.Type.Ref.Kind != ontosql.Relation {
		for _, key := range b.Cols[0].Str[:b.Len] {
			if g.draft.Has(key) {
				return true
			}
		}
		return false
	}
	var identity []byte
	for i := range b.Len {
		identity = writepath.AppendRelationIdentity(identity[:0], b.Cols[0].Str[i], b.Cols[1].Str[i], b.Cols[2].Str[i])
		if g.draft.Has(identity) {
			return true
		}
	}
	return false
}
