package reading

import (
	"slices"

	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Repeats reports whether the answer of a plan at a pin depends on the data alone, so that it
// can be cached. That is false if the plan calls a volatile function, reads a relation of the
// moment or a point that the engine computes, if the transaction has written one of the types
// or changed the schema, if pg_catalog shows ordinary
// tables, and for SERIALIZABLE, which has to record its reads.
func Repeats(s *session.Session, p *planner.Plan, pin *resolver.Pin) bool {
	if p.Catalog && (s.Drafted(pin) || s.HasTables()) || p.Write != nil || !p.Scoped.Repeatable || s.Mode("isolation") == "serializable" {
		return false
	}
	for i := range p.Relations {
		r := &p.Relations[i]
		if r.View != nil {
			continue
		}
		if r.Catalog != nil {
			if !s.Recurs(r.Catalog) {
				return false
			}
			continue
		}
		if r.Type == nil || slices.ContainsFunc(r.Ref.Points(), isExpr) || s.Tx.StagingOf(r.Type.Ref) != nil {
			return false
		}
	}
	return true
}

func isExpr(p *syntax.Point) bool { return p.Expr }
