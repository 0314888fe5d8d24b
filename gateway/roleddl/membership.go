package roleddl

import (
	"slices"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// grant is GRANT and REVOKE of roles (GrantRole of PostgreSQL).
func grant(a actor, st *ddlstmt.GrantRole) change {
	return func(r *roles.Roles, tell func(*pgerr.Error)) (*roles.Roles, error) {
		grantor := a.current
		if st.Grantor != nil {
			role, err := a.existing(r, *st.Grantor)
			if err != nil {
				return nil, err
			}
			grantor = role.Name
		}
		for _, m := range st.Members {
			if _, err := a.existing(r, m); err != nil {
				return nil, err
			}
		}
		for _, name := range st.Roles {
			_, err := a.existing(r, ddlstmt.Role{Name: name})
			switch {
			case err != nil:
			case st.Revoke:
				r, err = a.removeMembers(r, tell, name, st.Members, st.Admin)
			default:
				r, err = a.addMembers(r, tell, name, st.Members, grantor, st.Admin)
			}
			if err != nil {
				return nil, err
			}
		}
		return r, nil
	}
}

// mayChange is the error of an actor who may not change the members of a role.
func (a actor) mayChange(r *roles.Roles, role string) error {
	switch {
	case r.IsSuperuser(role) && !r.IsSuperuser(a.current):
		return denied("must be superuser to alter superusers")
	case !a.creates(r) && !r.Administers(a.current, role):
		return denied("must have admin option on role %q", role)
	}
	return nil
}

// addMembers makes roles members of one (AddRoleMems of PostgreSQL).
func (a actor) addMembers(r *roles.Roles, tell func(*pgerr.Error), role string, members []ddlstmt.Role, grantor string, admin bool) (*roles.Roles, error) {
	if len(members) == 0 {
		return r, nil
	}
	if err := a.mayChange(r, role); err != nil {
		return nil, err
	}
	switch {
	case role == "pg_database_owner":
		return nil, pgerr.New(pgerr.FeatureNotSupported, "role %q cannot have explicit members", role)
	case grantor != a.current && !r.IsSuperuser(a.current):
		return nil, denied("must be superuser to set grantor")
	}
	for _, spec := range members {
		member, err := a.existing(r, spec)
		switch {
		case err != nil:
			return nil, err
		case member.Name == "pg_database_owner":
			return nil, pgerr.New(pgerr.FeatureNotSupported, "role %q cannot be a member of any role", member.Name)
		case r.Member(role, member.Name):
			return nil, pgerr.New(pgerr.InvalidGrantOperation, "role %q is a member of role %q", role, member.Name)
		}
		has := r.Of(member.Name)
		i := slices.IndexFunc(has, func(m roles.Membership) bool { return m.Role == role })
		if i >= 0 && (!admin || has[i].Admin) {
			tell(sqlstate.Notice("role %q is already a member of role %q", member.Name, role))
			continue
		}
		r = r.Granted(roles.Membership{Role: role, Member: member.Name, Grantor: grantor, Admin: admin})
	}
	return r, nil
}

// removeMembers ends memberships in a role, or their ADMIN OPTION alone (DelRoleMems of PostgreSQL).
func (a actor) removeMembers(r *roles.Roles, tell func(*pgerr.Error), role string, members []ddlstmt.Role, admin bool) (*roles.Roles, error) {
	if len(members) == 0 {
		return r, nil
	}
	if err := a.mayChange(r, role); err != nil {
		return nil, err
	}
	for _, spec := range members {
		member, err := a.existing(r, spec)
		if err != nil {
			return nil, err
		}
		has := r.Of(member.Name)
		i := slices.IndexFunc(has, func(m roles.Membership) bool { return m.Role == role })
		switch {
		case i < 0:
			tell(sqlstate.Warning(pgerr.Warning, "role %q is not a member of role %q", member.Name, role))
		case roles.IsPredefined(member.Name):
			return nil, pgerr.Unsupported("memberships of predefined roles cannot be revoked")
		case admin:
			has[i].Admin = false
			r = r.Granted(has[i])
		default:
			r = r.Revoked(role, member.Name)
		}
	}
	return r, nil
}
