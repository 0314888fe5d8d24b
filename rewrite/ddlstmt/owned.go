package ddlstmt

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// Owned is what REASSIGN OWNED or DROP OWNED asks for.
type Owned struct {
	By      []Role
	To      *Role // nil for DROP OWNED
	Cascade bool  // of DROP OWNED
}

// ParseOwned reads a REASSIGN OWNED or DROP OWNED.
func ParseOwned(s *syntax.Statement) *Owned {
	n := s.Node.GetReassignOwnedStmt()
	if n == nil {
		drop := s.Node.GetDropOwnedStmt()
		return &Owned{By: namedRoles(drop.GetRoles()), Cascade: drop.GetBehavior() == pg.DropBehavior_DROP_CASCADE}
	}
	to := role(n.Newrole)
	return &Owned{By: namedRoles(n.Roles), To: &to}
}

func namedRoles(nodes []*pg.Node) (out []Role) {
	for _, n := range nodes {
		out = append(out, role(n.GetRoleSpec()))
	}
	return out
}
