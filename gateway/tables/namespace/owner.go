package namespace

import (
	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/gateway/access"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
	"github.com/ontosql/ontosql/workspace"
)

// Give executes OWNER TO for an object in a schema: set is called with the new owner and the privileges on the object then,
// for each role that the statement names, unless it owns the object already.
func Give(s *session.Session, o access.Object, schema string, to []ddlstmt.Role, set func(owner string, grants acl.Grants)) error {
	in := access.OfSchema(s.Tables.Shared().Schema(schema), schema)
	if schema == workspace.TempSchema { // everybody may create there
		in.Grants = acl.Grants{{Privileges: in.All}}
	}
	for _, r := range to {
		owner, err := s.RoleName(r)
		if err != nil {
			return err
		}
		given, notice, err := s.Role().Give(o, owner, in)
		switch {
		case err != nil:
			return err
		case notice != nil:
			s.Notice(notice)
		case given:
			o = o.Given(owner)
			set(o.Owner, o.Grants)
		}
	}
	return nil
}

// NoRole is the error of a role that does not exist.
func NoRole(name string) error {
	return pgerr.New(pgerr.UndefinedObject, "role %q does not exist", name)
}
