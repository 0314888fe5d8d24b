package roleddl

import (
	"slices"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// set is ALTER ROLE ... SET and RESET (AlterRoleSet of PostgreSQL). Names and values are checked as SET
// does.
func set(s *session.Session, a actor, st *ddlstmt.SetRole) (change, error) {
	if st.Database != "" && !isServed(s, st.Database) {
		return nil, pgerr.New(pgerr.InvalidCatalogName, "database %q does not exist", st.Database)
	}
	stored, err := s.StoredSetting(st.Setting, st.Current)
	if err != nil {
		return nil, err
	}
	return func(r *roles.Roles, _ func(*pgerr.Error)) (*roles.Roles, error) {
		scope := roles.Scope{Database: st.Database}
		super := r.IsSuperuser(a.current)
		if st.Role != nil {
			role, err := a.altered(r, *st.Role)
			switch {
			case err != nil:
				return nil, err
			case role.Superuser && !super:
				return nil, denied("must be superuser to alter superusers")
			case !a.creates(r) && role.Name != a.current:
				return nil, denied("permission denied")
			}
			scope.Role = role.Name
		} else if st.Database != "" && !r.Has(a.current, roles.Owner) {
			return nil, denied("must be owner of database %s", st.Database)
		} else if st.Database == "" && !super {
			return nil, denied("must be superuser to alter settings globally")
		}
		list := r.Settings(scope)
		switch {
		case stored.All:
			list = nil
		case stored.Reset:
			list = roles.Reset(list, stored.Name)
		default:
			list = roles.Set(list, roles.Setting{Name: stored.Name, Value: stored.Value})
		}
		return r.WithSettings(scope, list), nil
	}, nil
}

// isServed reports whether the gateway has a database of a name.
func isServed(s *session.Session, name string) bool {
	others, _ := s.DB.Others()
	return name == s.DB.Name || slices.Contains(others, name)
}
