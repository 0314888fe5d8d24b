package planner

import (
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/keyquery"
)

// byKey is how the row store answers a plan, for the type that was last asked for.
type byKey struct {
	typ  *catalog.Type // nil before one was asked for
	plan *keyquery.Plan
}

// ByKey is how the row store answers the plan, whose reference to t is its only one. It is nil if the
// engine has to answer.
func (p *Plan) ByKey(t *catalog.Type) *keyquery.Plan {
	if p.byKey.typ != t {
		p.byKey = byKey{t, keyquery.New(p.Scoped.ByKey, t, p.Relations[0].Mode)}
	}
	return p.byKey.plan
}
