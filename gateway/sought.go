package gateway

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
)

// sought are identities, as they are looked for in the store.
type sought struct {
	texts  []string        // of the first stored key column; nil where they are too many
	equals []scan.KeyEqual // those that the engine is to find, and perhaps others
	args   []any           // parameters in equals
}

// fewSought is how many identities are listed in a statement; more are a relation.
const fewSought = 256

// seek looks for the identities of the versions after number n. That of a single
// one is a parameter: the statement is the same for the next, and prepared.
func (g *staging) seek(ctx context.Context, n int64) (s sought, err error) {
	fresh, ok := g.after(n)
	if !ok || len(fresh) > fewSought {
		return g.seekAll(ctx, n)
	}
	if len(fresh) > 1 {
		return listed(g.typ.Ref.Kind, fresh), nil
	}
	keys := scan.KeyColumns(g.typ.Ref.Kind)
	s.texts = []string{firstKey(&fresh[0])}
	s.equals, s.args = []scan.KeyEqual{{Column: keys[0], Texts: []string{"CAST($1 AS VARCHAR)"}}}, []any{s.texts[0]}
	if g.typ.Ref.Kind == ontosql.Relation {
		// One key on the left may have any number on the right.
		s.equals = append(s.equals, scan.KeyEqual{Column: keys[1], Texts: []string{"CAST($2 AS VARCHAR)"}})
		s.args = append(s.args, fresh[0].Right)
	}
	return s, nil
}

// seekAll is seek for any number of identities.
func (g *staging) seekAll(ctx context.Context, n int64) (sought, error) {
	relation, err := g.relation(ctx, n)
	key := scan.KeyColumns(g.typ.Ref.Kind)[0]
	return sought{equals: []scan.KeyEqual{{Column: key, Texts: []string{"SELECT " + key + " FROM " + relation}}}}, err
}

// listed looks for a few identities.
func listed(kind ontosql.Kind, rows []format.Row) sought {
	s := sought{texts: make([]string, len(rows))}
	literals := make([]string, len(rows))
	for i := range rows {
		s.texts[i] = firstKey(&rows[i])
		literals[i] = duckdb.Literal(s.texts[i])
	}
	s.equals = []scan.KeyEqual{{Column: scan.KeyColumns(kind)[0], Texts: literals}}
	return s
}

// after are the rows after number n, if they are all still in memory.
func (g *staging) after(n int64) ([]format.Row, bool) {
	fresh := int(g.last - n)
	if fresh > len(g.tail) {
		return nil, false
	}
	return g.tail[len(g.tail)-fresh:], true
}
