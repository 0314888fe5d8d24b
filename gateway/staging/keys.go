package staging

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// Keys are conditions that find identities in the store.
type Keys struct {
	Texts  []string        // values of the first stored key column; nil if there are too many
	Equals []scan.KeyEqual // conditions for the engine; they may find other identities too
	Args   []any           // parameters in equals
}

// MaxListed is the number of identities that are listed in a statement. More are joined as a
// relation.
const MaxListed = 256

// Keys are the conditions for the versions after number n. A single identity is a parameter,
// so that the next statement has the same text and is prepared already.
func (g *Rows) Keys(ctx context.Context, n int64) (s Keys, err error) {
	fresh, ok := g.after(n)
	if !ok || len(fresh) > MaxListed {
		return g.AllKeys(ctx, n)
	}
	if len(fresh) > 1 {
		return ListedKeys(g.Type.Ref.Kind, fresh), nil
	}
	keys := scan.KeyColumns(g.Type.Ref.Kind)
	s.Texts = []string{firstKey(&fresh[0])}
	s.Equals, s.Args = []scan.KeyEqual{{Column: keys[0], Texts: []string{"CAST($1 AS VARCHAR)"}}}, []any{s.Texts[0]}
	if g.Type.Ref.Kind == ontosql.Relation {
		// One key on the left may have any number on the right.
		s.Equals = append(s.Equals, scan.KeyEqual{Column: keys[1], Texts: []string{"CAST($2 AS VARCHAR)"}})
		s.Args = append(s.Args, fresh[0].Right)
	}
	return s, nil
}

// AllKeys is Keys for any number of identities.
func (g *Rows) AllKeys(ctx context.Context, n int64) (Keys, error) {
	relation, err := g.SQL(ctx, n)
	key := scan.KeyColumns(g.Type.Ref.Kind)[0]
	return Keys{Equals: []scan.KeyEqual{{Column: key, Texts: []string{"SELECT " + key + " FROM " + relation}}}}, err
}

// ListedKeys are the conditions for a few identities.
func ListedKeys(kind ontosql.Kind, rows []format.Row) Keys {
	s := Keys{Texts: make([]string, len(rows))}
	literals := make([]string, len(rows))
	for i := range rows {
		s.Texts[i] = firstKey(&rows[i])
		literals[i] = duckdb.Literal(s.Texts[i])
	}
	s.Equals = []scan.KeyEqual{{Column: scan.KeyColumns(kind)[0], Texts: literals}}
	return s
}

// Few are the rows after number n, if they are few and still in memory.
func (g *Rows) Few(n int64) ([]format.Row, bool) {
	fresh, ok := g.after(n)
	return fresh, ok && len(fresh) <= MaxListed && g.draft == nil
}

// after is the rows after number n, if all of them are still in memory.
func (g *Rows) after(n int64) ([]format.Row, bool) {
	fresh := int(g.last - n)
	if fresh > len(g.tail) {
		return nil, false
	}
	return g.tail[len(g.tail)-fresh:], true
}
