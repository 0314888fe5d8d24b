package session

import (
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// RoleName is the name of a role that a statement names where PUBLIC may not stand. One that does not
// exist is 42704.
func (s *Session) RoleName(r ddlstmt.Role) (string, error) {
	name := r.Name
	switch {
	case r.Session:
		name = s.SessionUser()
	case r.Current:
		name = s.CurrentUser()
	case name == "":
		name = "public"
	}
	if !s.Roles().Exists(name) {
		return "", noSuchRole(pgerr.UndefinedObject, name)
	}
	return name, nil
}

// RoleNames are the names of several roles.
func (s *Session) RoleNames(of []ddlstmt.Role) (names []string, err error) {
	for _, r := range of {
		name, err := s.RoleName(r)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}
