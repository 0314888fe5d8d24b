package roleddl

import (
	"strings"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// alter is ALTER ROLE and ALTER GROUP (AlterRole of PostgreSQL).
func alter(s *session.Session, a actor, st *ddlstmt.AlterRole) (change, error) {
	v, err := readValues(s, &st.RoleOptions)
	if err != nil {
		return nil, err
	}
	return func(r *roles.Roles, tell func(*pgerr.Error)) (*roles.Roles, error) {
		role, err := a.altered(r, st.Role)
		if err != nil {
			return nil, err
		}
		super := r.IsSuperuser(a.current)
		switch {
		case (role.Superuser || st.Superuser != nil) && !super:
			return nil, denied("must be superuser to alter superuser roles or change superuser attribute")
		case (role.Replication || st.Replication != nil) && !super:
			return nil, denied("must be superuser to alter replication roles or change replication attribute")
		case st.BypassRLS != nil && !super:
			return nil, denied("must be superuser to change bypassrls attribute")
		case !a.creates(r) && (role.Name != a.current || !st.OnlyPassword()):
			return nil, denied("permission denied")
		case role.Name == roles.Owner && st.Superuser != nil && !*st.Superuser:
			return nil, denied("permission denied to alter role").WithDetail("The bootstrap user must have the SUPERUSER attribute.")
		}
		v.apply(&role, &st.RoleOptions)
		r = r.With(role)
		if st.Drop {
			return a.removeMembers(r, tell, role.Name, st.Members, false)
		}
		return a.addMembers(r, tell, role.Name, st.Members, a.current, false)
	}, nil
}

// altered is the role that an ALTER ROLE names.
func (a actor) altered(r *roles.Roles, spec ddlstmt.Role) (roles.Role, error) {
	if name := a.name(spec); roles.IsPredefined(name) {
		return roles.Role{}, reserved(name, "Cannot alter reserved roles.")
	}
	return a.existing(r, spec)
}

// rename is ALTER ROLE ... RENAME TO (RenameRole of PostgreSQL).
func rename(s *session.Session, a actor, st *ddlstmt.RenameRole) change {
	return func(r *roles.Roles, _ func(*pgerr.Error)) (*roles.Roles, error) {
		role, err := a.existing(r, ddlstmt.Role{Name: st.Name})
		if err != nil {
			return nil, err
		}
		switch {
		case st.Name == a.session:
			return nil, pgerr.Unsupported("session user cannot be renamed")
		case st.Name == a.current:
			return nil, pgerr.Unsupported("current user cannot be renamed")
		case strings.HasPrefix(st.Name, "pg_"):
			return nil, reserved(st.Name, startsReserved)
		case strings.HasPrefix(st.To, "pg_"):
			return nil, reserved(st.To, startsReserved)
		case r.Exists(st.To):
			return nil, pgerr.New(pgerr.DuplicateObject, "role %q already exists", st.To)
		case role.Superuser && !r.IsSuperuser(a.current):
			return nil, denied("must be superuser to rename superusers")
		case !a.creates(r):
			return nil, denied("permission denied to rename role")
		case st.Name == roles.Owner:
			return nil, pgerr.Unsupported("the role %s, which owns all objects, cannot be renamed", roles.Owner)
		}
		if found := dependents(s, st.Name); len(found) > 0 {
			return nil, pgerr.Unsupported("role %q cannot be renamed because some objects depend on it", st.Name).
				WithDetail("%s", strings.Join(found, "\n"))
		}
		return r.Renamed(st.Name, st.To), nil
	}
}
