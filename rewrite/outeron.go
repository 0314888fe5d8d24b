package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"
)

// outerOn prints an outer join whose condition has a query within it, which the engine
// refuses there: the side whose rows may be missing becomes a LATERAL query with that
// condition. ok is false for any other join.
func (b *binder) outerOn(n *pg.JoinExpr, left, right, cond string, lns, rns namespace) (sql string, ok bool) {
	if n.Quals == nil || n.Jointype == pg.JoinType_JOIN_INNER {
		return "", false
	}
	link := firstSubLink(n.Quals)
	if link == nil {
		return "", false
	}
	if n.Jointype == pg.JoinType_JOIN_FULL {
		b.unsupported(link.Location, "a subquery in the condition of a FULL JOIN is not supported")
	}
	if n.Jointype == pg.JoinType_JOIN_RIGHT {
		left, right, rns = right, left, lns
	}
	if len(rns.rels) != 1 {
		b.unsupported(link.Location, "a subquery in the condition of an outer join of several relations is not supported")
	}
	return left + " LEFT JOIN LATERAL (SELECT * FROM " + right + " WHERE " + cond + ") AS " + quote(rns.rels[0].out) + " ON TRUE", true
}

// firstSubLink finds a query within an expression, nil for none.
func firstSubLink(n *pg.Node) *pg.SubLink {
	var found *pg.SubLink
	visit(n.ProtoReflect(), func(m any) bool {
		if s, ok := m.(*pg.SubLink); ok && found == nil {
			found = s
		}
		return found == nil
	})
	return found
}
