package keyquery

import (
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rowstore"
)

// Plan is how a statement is answered from the tables of the row store. It is immutable.
type Plan struct {
	typ     *catalog.Type
	keys    [][]scope.KeyCondition // on each of the first key columns
	columns []int                  // stored columns that are read, in the order of the outputs
	places  []int                  // of columns of the type, and of its key, that are used
}

// New plans a statement over a type, in a mode. It is nil if the engine has to answer.
func New(q *scope.KeyQuery, t *catalog.Type, mode ontosql.Mode) *Plan {
	if mode != ontosql.Latest {
		return nil
	}
	p := &Plan{typ: t, places: slices.Clone(t.Key)}
	for _, out := range q.Outputs {
		place := t.ColumnIndex(out.Name)
		if out.System || place < 0 {
			return nil
		}
		column := rowstore.TypeColumn(t, place)
		if column < 0 {
			return nil
		}
		p.columns = append(p.columns, column)
		p.places = append(p.places, place)
	}
	for _, k := range q.Keys {
		for len(p.keys) <= k.Place {
			p.keys = append(p.keys, nil)
		}
		p.keys[k.Place] = append(p.keys[k.Place], k)
	}
	if slices.ContainsFunc(p.keys, func(of []scope.KeyCondition) bool { return of == nil }) {
		return nil
	}
	return p
}

// KeyTexts are the texts that the statement looks for with some arguments, by key column, the first
// columns first. An empty list means no row.
func (p *Plan) KeyTexts(args [][]byte) [][]string {
	var texts [][]string
	for _, of := range p.keys {
		texts = append(texts, textsOf(of, args))
	}
	return texts
}
