package roleddl

import (
	"strings"
	"time"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/ddlstmt"
)

// values are the values of options that take computation, which is done once.
type values struct {
	password   string // a verifier
	validUntil string
}

func readValues(s *session.Session, o *ddlstmt.RoleOptions) (v values, err error) {
	if o.SysID {
		s.Notice(sqlstate.Notice("SYSID can no longer be specified"))
	}
	if o.Password != nil {
		if v.password, err = readPassword(s, o); err != nil {
			return v, err
		}
	}
	if o.ValidUntil != nil {
		v.validUntil, err = readValidUntil(s, *o.ValidUntil)
	}
	return v, err
}

// readPassword is the verifier of a password, "" for none. What is a verifier already stays as it is.
func readPassword(s *session.Session, o *ddlstmt.RoleOptions) (string, error) {
	password := *o.Password
	switch {
	case password == "" && !o.NullPassword:
		s.Notice(sqlstate.Notice("empty string is not a valid password, clearing password"))
		return "", nil
	case password == "" || auth.IsVerifier(password):
		return password, nil
	case isMD5(password):
		return "", pgerr.Unsupported("MD5 passwords are not supported").
			WithHint("Give the password itself, or its SCRAM-SHA-256 verifier.")
	}
	return auth.NewVerifier(password)
}

// isMD5 reports whether a password has the form of a stored MD5 hash (get_password_type of PostgreSQL).
func isMD5(password string) bool {
	digits, ok := strings.CutPrefix(password, "md5")
	return ok && len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}

func readValidUntil(s *session.Session, text string) (string, error) {
	at, fault := datetime.ReadMoment(text, s.TimeInput(), s.Zone())
	switch {
	case fault != nil:
		return "", fault
	case at.Infinite > 0:
		return "infinity", nil
	case at.Infinite < 0:
		return "-infinity", nil
	case at.Time.Year() < 1 || at.Time.Year() > 9999:
		return "", pgerr.Unsupported("VALID UNTIL %s is not supported", text).WithDetail("The year must be between 1 and 9999.")
	}
	return at.Time.Format(time.RFC3339Nano), nil
}

// apply gives a role the options of a statement.
func (v values) apply(role *roles.Role, o *ddlstmt.RoleOptions) {
	for _, flag := range []struct {
		to    *bool
		given *bool
	}{
		{&role.Superuser, o.Superuser},
		{&role.Inherit, o.Inherit},
		{&role.CreateRole, o.CreateRole},
		{&role.CreateDB, o.CreateDB},
		{&role.Login, o.Login},
		{&role.Replication, o.Replication},
		{&role.BypassRLS, o.BypassRLS},
	} {
		if flag.given != nil {
			*flag.to = *flag.given
		}
	}
	if o.ConnectionLimit != nil {
		role.ConnectionLimit = *o.ConnectionLimit
	}
	if o.Password != nil {
		role.Password = v.password
	}
	if o.ValidUntil != nil {
		role.ValidUntil = v.validUntil
	}
}
