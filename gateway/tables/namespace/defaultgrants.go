package namespace

import (
	"context"
	"slices"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// NewRights are the owner of an object of a kind that the session creates in a schema, "" for a schema, and
// the privileges on it: those of ALTER DEFAULT PRIVILEGES, nil for none. The owner is "", the owner of the
// database, where grants are not required.
func NewRights(ctx context.Context, s *session.Session, schema string, on ddlstmt.Granted) (owner string, grants acl.Grants, err error) {
	if owner, err = s.NewOwner(ctx); err != nil {
		return "", nil, err
	}
	own := access.OwnGrants(owner, on.Privileges())
	everywhere := s.Tables.Shared().Default("", s.CurrentUser(), on.Kind())
	if everywhere == nil {
		everywhere = own
	}
	if schema != "" {
		everywhere = everywhere.And(s.Tables.Shared().Default(schema, s.CurrentUser(), on.Kind()))
	}
	if slices.Equal(everywhere, own) {
		return owner, nil, nil
	}
	return owner, everywhere, nil
}
