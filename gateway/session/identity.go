package session

import (
	"net"
	"strings"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/pgerr"
)

// Who a session is has three names (PostgreSQL manual, SET ROLE and SET SESSION AUTHORIZATION): the user that
// logged in, Start.User; the session user; and the current user. The last two follow from the parameters
// session_authorization and role, so that transactions, SET LOCAL and RESET mean for them what they mean for
// every parameter.
const (
	sessionAuthorization = "session_authorization"
	currentRole          = "role"
	noRole               = "none"
)

// SessionUser is the role that the session was authorized as.
func (s *Session) SessionUser() string { return s.Settings.Value(sessionAuthorization) }

// CurrentUser is the role whose privileges the session has.
func (s *Session) CurrentUser() string {
	if role := s.Settings.Value(currentRole); role != noRole {
		return role
	}
	return s.SessionUser()
}

// IsSuperuser reports whether the current user is a superuser.
func (s *Session) IsSuperuser() bool { return s.Roles().IsSuperuser(s.CurrentUser()) }

// existingUser is a role of the session for the functions that show it. The error is that of one that
// was dropped meanwhile.
func (s *Session) existingUser(name string) (string, error) {
	if !s.Roles().Exists(name) {
		return "", noSuchRole(pgerr.UndefinedObject, name)
	}
	return name, nil
}

func noSuchRole(code, name string) *pgerr.Error {
	return pgerr.New(code, "role %q does not exist", name)
}

// sees reports whether the session may see the statements of a user.
func (s *Session) sees(user string) bool {
	r, me := s.Roles(), s.CurrentUser()
	return user == s.Start.User || r.Has(me, user) || r.Has(me, "pg_read_all_stats")
}

// isIdentity reports whether a setting is role or session_authorization.
func isIdentity(name string) bool {
	return strings.EqualFold(name, currentRole) || strings.EqualFold(name, sessionAuthorization)
}

// checkIdentity is the value that a SET ROLE or SET SESSION AUTHORIZATION gives, or why it may not.
func (s *Session) checkIdentity(name, value string) error {
	r := s.Roles()
	if strings.EqualFold(name, currentRole) {
		switch {
		case value == noRole:
			return nil
		case !r.Exists(value):
			return noSuchRole(pgerr.InvalidParameterValue, value)
		case !r.CanSet(s.SessionUser(), value):
			return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set role %q", value)
		}
		return nil
	}
	switch {
	case !r.Exists(value):
		return noSuchRole(pgerr.InvalidParameterValue, value)
	case value != s.Start.User && !s.beganSuperuser:
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set session authorization %q", value)
	}
	return nil
}

// setIdentity executes SET ROLE and SET SESSION AUTHORIZATION. The second ends the first.
func (s *Session) setIdentity(name, value string, local bool) error {
	if err := s.checkIdentity(name, value); err != nil {
		return err
	}
	if err := s.Settings.Set(name, value, local); err != nil {
		return err
	}
	if strings.EqualFold(name, sessionAuthorization) {
		if err := s.Settings.Set(currentRole, noRole, local); err != nil {
			return err
		}
	}
	s.FollowIdentity()
	return nil
}

// resetIdentity executes SET ... TO DEFAULT and RESET of them.
func (s *Session) resetIdentity(name string, local bool) error {
	if err := s.Settings.SetDefault(name, local); err != nil {
		return err
	}
	if strings.EqualFold(name, sessionAuthorization) {
		if err := s.Settings.SetDefault(currentRole, local); err != nil {
			return err
		}
	}
	s.FollowIdentity()
	return nil
}

// FollowIdentity makes is_superuser what it is for the current user.
func (s *Session) FollowIdentity() {
	if now := settings.OnOff(s.IsSuperuser()); now != s.Settings.Value("is_superuser") {
		s.Settings.SetFixed("is_superuser", now)
	}
}

// identity is what a session is from its beginning on.
type identity struct {
	trusting       bool // users that trust has let in are superusers in its eyes, as its own is
	beganSuperuser bool // its user was a superuser when it logged in
}

// startIdentity makes the user that logged in the session user. One that nobody has asked for a password
// and that the users file does not have becomes a role, and a superuser if the client is on this machine.
func (s *Session) startIdentity() error {
	s.trusting = !s.Start.Authenticated && isLocal(s.Start.Remote)
	if !s.Start.Authenticated || s.Peers.Users == nil { // who shows a certificate needs no users file
		s.Peers.trust(s.Start.User)
	}
	role, ok := s.Roles().Lookup(s.Start.User)
	if !ok { // dropped since it has logged in
		return noSuchRole(pgerr.InvalidAuthorizationSpec, s.Start.User)
	}
	s.beganSuperuser = role.Superuser
	return s.Settings.SetStart(sessionAuthorization, s.Start.User)
}

// isLocal reports whether a client is on the machine of the gateway, or in its process.
func isLocal(remote net.Addr) bool {
	tcp, ok := remote.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

// trustedRole is the role of a user that no file has, and that trust lets in.
func trustedRole(name string, superuser bool) roles.Role {
	role := roles.New(name)
	role.Login = true
	if superuser {
		role.Superuser, role.CreateRole, role.CreateDB, role.Replication, role.BypassRLS = true, true, true, true, true
	}
	return role
}
