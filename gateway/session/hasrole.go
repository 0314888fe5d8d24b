package session

import (
	"strings"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/pgerr"
)

// HasRole is pg_has_role (database.Caller, PostgreSQL manual, 9.26.2).
func (c caller) HasRole(user, role, privilege string) (bool, error) {
	s := c.session
	r := s.Roles()
	user, known := s.roleGiven(user)
	if user == "" {
		user = s.CurrentUser()
	}
	target, there := s.roleGiven(role)
	switch {
	case !known:
		return false, noSuchRole(pgerr.UndefinedObject, user)
	case !there:
		return false, noSuchRole(pgerr.UndefinedObject, target)
	}
	has := false
	for _, one := range strings.Split(privilege, ",") {
		answer, err := hasRole(r, user, target, strings.ToUpper(strings.TrimSpace(one)))
		if err != nil {
			return false, err
		}
		has = has || answer
	}
	return has, nil
}

func hasRole(r *roles.Roles, user, target, privilege string) (bool, error) {
	for _, option := range []string{" WITH GRANT OPTION", " WITH ADMIN OPTION"} {
		if kind, ok := strings.CutSuffix(privilege, option); ok && (kind == "USAGE" || kind == "MEMBER") {
			return r.Administers(user, target), nil
		}
	}
	switch privilege {
	case "USAGE":
		return r.Has(user, target), nil
	case "MEMBER":
		return r.CanSet(user, target), nil
	}
	return false, pgerr.New(pgerr.InvalidParameterValue, "unrecognized privilege type: %q", privilege)
}

// roleGiven is the name of a role that is given by its name or its OID; "" stays "". known is false for one
// that is not there.
func (s *Session) roleGiven(given string) (name string, known bool) {
	if given == "" || s.Roles().Exists(given) {
		return given, true
	}
	if found, ok := s.view.RoleName(given); ok {
		return found, true
	}
	return given, false
}
