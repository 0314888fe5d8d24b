package namespace

import (
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// OwnGrants are the privileges of the owner of an object that nobody has granted.
func OwnGrants(on ddlstmt.Granted) acl.Grants {
	return acl.Grants{{Grantee: pgcatalog.Owner, Grantor: pgcatalog.Owner, Privileges: on.Privileges()}}
}

// DefaultGrants are the privileges on an object of a kind that the session creates in a schema,
// "" for a schema: those of ALTER DEFAULT PRIVILEGES, nil for none.
func DefaultGrants(s *session.Session, schema string, on ddlstmt.Granted) acl.Grants {
	everywhere, own := s.Tables.Shared().Default("", s.CurrentUser(), on.Kind()), OwnGrants(on)
	if everywhere == nil {
		everywhere = own
	}
	if schema != "" {
		everywhere = everywhere.And(s.Tables.Shared().Default(schema, s.CurrentUser(), on.Kind()))
	}
	if slices.Equal(everywhere, own) {
		return nil
	}
	return everywhere
}
