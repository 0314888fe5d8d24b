package ddlstmt

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// NewOwners are the roles of ALTER ... OWNER TO: nil for a statement of another kind, and for an
// ALTER TABLE that has other actions as well.
func NewOwners(s *syntax.Statement) (owners []Role) {
	if n := s.Node.GetAlterOwnerStmt(); n != nil {
		return []Role{role(n.Newowner)}
	}
	for _, c := range s.Node.GetAlterTableStmt().GetCmds() {
		n := c.GetAlterTableCmd()
		if n.Subtype != pg.AlterTableType_AT_ChangeOwner {
			return nil
		}
		owners = append(owners, role(n.Newowner))
	}
	return owners
}

// OwnedSchema is the schema of ALTER SCHEMA OWNER TO, "" for another statement.
func OwnedSchema(s *syntax.Statement) string {
	if n := s.Node.GetAlterOwnerStmt(); n != nil && n.ObjectType == pg.ObjectType_OBJECT_SCHEMA {
		return n.Object.GetString_().GetSval()
	}
	return ""
}
