package namespace

import (
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// CheckOwners is the outcome of OWNER TO for the roles that it names. All objects belong to one
// role and every user may change them, so that the role of the session is an owner already.
func CheckOwners(s *session.Session, owners []ddlstmt.Role) error {
	for _, r := range owners {
		switch {
		case r.Current || r.Name == s.CurrentUser() || r.Name == pgcatalog.Owner:
		case !s.Roles().Exists(r.Name):
			return NoRole(r.Name)
		default:
			return pgerr.Unsupported("OWNER TO another role is not supported").
				WithDetail("All tables belong to role %q, and every user may change them.", pgcatalog.Owner)
		}
	}
	return nil
}

// NoRole is the error of a role that does not exist.
func NoRole(name string) error {
	return pgerr.New(pgerr.UndefinedObject, "role %q does not exist", name)
}
