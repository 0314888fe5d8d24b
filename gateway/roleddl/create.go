package roleddl

import (
	"strings"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// create is CREATE ROLE (CreateRole of PostgreSQL).
func create(s *session.Session, a actor, st *ddlstmt.CreateRole) (change, error) {
	v, err := readValues(s, &st.RoleOptions)
	if err != nil {
		return nil, err
	}
	isSet := func(flag *bool) bool { return flag != nil && *flag }
	return func(r *roles.Roles, tell func(*pgerr.Error)) (*roles.Roles, error) {
		super := r.IsSuperuser(a.current)
		switch {
		case isSet(st.Superuser) && !super:
			return nil, denied("must be superuser to create superusers")
		case isSet(st.Replication) && !super:
			return nil, denied("must be superuser to create replication users")
		case isSet(st.BypassRLS) && !super:
			return nil, denied("must be superuser to create bypassrls users")
		case !a.creates(r):
			return nil, denied("permission denied to create role")
		case strings.HasPrefix(st.Name, "pg_"):
			return nil, reserved(st.Name, startsReserved)
		case r.Exists(st.Name):
			return nil, pgerr.New(pgerr.DuplicateObject, "role %q already exists", st.Name)
		}
		role := roles.New(st.Name)
		v.apply(&role, &st.RoleOptions)
		r = r.With(role)
		itself := []ddlstmt.Role{{Name: st.Name}}
		for _, in := range st.In {
			group, err := a.existing(r, in)
			if err != nil {
				return nil, err
			}
			if r, err = a.addMembers(r, tell, group.Name, itself, a.current, false); err != nil {
				return nil, err
			}
		}
		r, err := a.addMembers(r, tell, st.Name, st.Admins, a.current, true)
		if err != nil {
			return nil, err
		}
		return a.addMembers(r, tell, st.Name, st.Members, a.current, false)
	}, nil
}
