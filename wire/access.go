package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/hba"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/pgerr"
)

// Users are the roles that may log in; *auth.Users is one.
type Users interface {
	// Refresh brings Roles up to date.
	Refresh(ctx context.Context)
	Roles() *roles.Roles
	// Begin starts a SCRAM-SHA-256 exchange for a user with one of the endpoint's mechanisms. For
	// an unknown user it returns an exchange that fails like one with a wrong password.
	Begin(user, mechanism string, endpoint auth.Endpoint) *auth.Exchange
}

// Access says who may come in. The zero Access trusts every client.
type Access struct {
	Rules *hba.Rules // nil trusts every client
	Maps  hba.Maps   // that rules of method cert name
	// Users are needed by rules of method scram-sha-256. Without them any name may come in by
	// trust, as a superuser, or by a certificate.
	Users Users
	// Strangers says that a name that Users do not have may come in by trust all the same.
	Strangers bool
	// TLS is nil if SSLRequest is answered with N. Clients get the first certificate. Rules of
	// method cert need ClientAuth and ClientCAs.
	TLS *tls.Config
}

// access is an Access at work.
type access struct {
	Access
	endpoint auth.Endpoint // of the server's certificate, for channel binding
}

// SetAccess replaces the access of the server. Connections that have begun to log in go on under
// the old one; sessions are not touched.
func (s *Server) SetAccess(a Access) {
	if a.TLS != nil {
		a.TLS = a.TLS.Clone()
		// Direct TLS must negotiate this protocol (PostgreSQL manual, 55.2.10). Clients that
		// offer none can still use an SSLRequest.
		a.TLS.NextProtos = []string{alpnProtocol}
	}
	s.access.Store(&access{Access: a, endpoint: endpointOf(a.TLS)})
}

func endpointOf(config *tls.Config) auth.Endpoint {
	if config == nil || len(config.Certificates) == 0 {
		return auth.Endpoint{}
	}
	leaf, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		return auth.Endpoint{} // handshakes fail without a certificate
	}
	return auth.EndpointOf(leaf)
}

// rule is the rule for a client. The errors are those of ClientAuthentication of PostgreSQL.
func (c *conn) rule(start startupPacket) (hba.Rule, error) {
	if c.access.Rules == nil {
		return hba.Rule{Method: hba.Trust}, nil
	}
	var members hba.Membership = onlyThemselves{}
	if c.access.Users != nil {
		c.access.Users.Refresh(context.Background())
		members = c.access.Users.Roles()
	}
	connection := hba.Connection{Address: c.address, TLS: c.tls != nil, User: start.user, Database: start.database}
	rule, ok := c.access.Rules.Match(connection, members)
	encryption := "no encryption"
	if c.tls != nil {
		encryption = "SSL encryption"
	}
	where := fmt.Sprintf("host %q, user %q, database %q, %s", c.address, start.user, start.database, encryption)
	switch {
	case !ok:
		return rule, pgerr.New(pgerr.InvalidAuthorizationSpec, "no pg_hba.conf entry for %s", where)
	case rule.Method == hba.Reject:
		return rule, pgerr.New(pgerr.InvalidAuthorizationSpec, "pg_hba.conf rejects connection for %s", where)
	}
	return rule, nil
}

// onlyThemselves is the membership without users.
type onlyThemselves struct{}

func (onlyThemselves) Member(user, role string) bool { return user == role }

// role is the role of a user who has proved to be it by the method.
func (a *access) role(user string, method hba.Method) (roles.Role, error) {
	stranger := roles.New(user)
	stranger.Login, stranger.Superuser = true, method == hba.Trust
	if a.Users == nil {
		return stranger, nil
	}
	role, ok := a.Users.Roles().Lookup(user)
	switch {
	case !ok && a.Strangers && method == hba.Trust:
		return stranger, nil
	case !ok:
		return role, pgerr.New(pgerr.InvalidAuthorizationSpec, "role %q does not exist", user)
	case !role.Login:
		return role, pgerr.New(pgerr.InvalidAuthorizationSpec, "role %q is not permitted to log in", user)
	}
	return role, nil
}

// addressOf is the IP address of a client, invalid if it has none.
func addressOf(remote net.Addr) netip.Addr {
	if tcp, ok := remote.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
