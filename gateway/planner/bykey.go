package planner

import (
	"slices"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/keyquery"
)

// byKey is how the row store answers a plan, for the types that were last asked for.
type byKey struct {
	types []*catalog.Type // nil before some were asked for
	plan  *keyquery.Plan
}

// ByKey is how the row store answers the plan, whose references are to these types. It is nil if the
// engine has to answer.
func (p *Plan) ByKey(types []*catalog.Type) *keyquery.Plan {
	if p.byKey.types == nil || !slices.Equal(p.byKey.types, types) {
		sources := make([]keyquery.Source, len(types))
		for i, t := range types {
			sources[i] = keyquery.Source{Type: t, Mode: p.Relations[i].Mode}
		}
		p.byKey = byKey{slices.Clone(types), keyquery.New(p.Scoped.ByKey, sources)}
	}
	return p.byKey.plan
}
