package databaseddl

import (
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// checkOwners is the outcome of OWNER and OWNER TO for the roles that they name: all databases belong to one
// role, and the role of the session is let through as in the scripts of other databases.
func checkOwners(s *session.Session, owners []ddlstmt.Role) error {
	for _, r := range owners {
		name, err := s.RoleName(r)
		switch {
		case err != nil:
			return err
		case name != s.CurrentUser() && name != roles.Owner:
			return pgerr.Unsupported("another owner of a database is not supported").
				WithDetail("All databases belong to role %q.", roles.Owner)
		}
	}
	return nil
}
