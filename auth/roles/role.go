package roles

import (
	"slices"
	"time"
)

// Owner is the role that owns every object of every database, and the only superuser that is always
// there (BOOTSTRAP_SUPERUSERID of PostgreSQL).
const Owner = "ontosql"

// Role is one role with its attributes (PostgreSQL manual, CREATE ROLE).
type Role struct {
	Name            string
	Superuser       bool
	Inherit         bool
	CreateRole      bool
	CreateDB        bool
	Login           bool
	Replication     bool
	BypassRLS       bool
	ConnectionLimit int    // sessions at once; -1 for no limit
	ValidUntil      string // of the password: RFC 3339 in UTC, "infinity" or "-infinity"; "" for ever
	Password        string // its SCRAM-SHA-256 verifier, "" for none: such a role cannot log in with a password
}

// New is a role as CREATE ROLE without options makes it.
func New(name string) Role { return Role{Name: name, Inherit: true, ConnectionLimit: -1} }

// Expired reports whether the password is not valid any more at a time.
func (r Role) Expired(now time.Time) bool {
	switch r.ValidUntil {
	case "", "infinity":
		return false
	case "-infinity":
		return true
	}
	until, err := time.Parse(time.RFC3339Nano, r.ValidUntil)
	return err != nil || until.Before(now)
}

// CheckValidUntil is the error of a text that is no ValidUntil.
func CheckValidUntil(text string) error {
	if slices.Contains([]string{"", "infinity", "-infinity"}, text) {
		return nil
	}
	_, err := time.Parse(time.RFC3339Nano, text)
	return err
}

// Membership says that one role is a member of another. There is at most one of a pair.
type Membership struct {
	Role, Member string
	Grantor      string // the role that granted it; it may have been dropped since
	Admin        bool   // the member may grant and revoke memberships of Role
}

// Scope is where a setting of ALTER ROLE ... SET applies. The order is that in which sessions take
// settings over, a later one instead of an earlier one.
type Scope struct {
	Role     string // "" for all roles
	Database string // "" for all databases
}

// Setting is a parameter and its value at the beginning of a session.
type Setting struct{ Name, Value string }

// predefined are the roles that PostgreSQL 15 has from the beginning. None can log in or be changed.
var predefined = []string{
	"pg_checkpoint", "pg_database_owner", "pg_execute_server_program", "pg_monitor", "pg_read_all_data", "pg_read_all_settings",
	"pg_read_all_stats", "pg_read_server_files", "pg_signal_backend", "pg_stat_scan_tables", "pg_write_all_data", "pg_write_server_files",
}

// IsPredefined reports whether a role is one that PostgreSQL has from the beginning, such as
// pg_read_all_data.
func IsPredefined(name string) bool { return slices.Contains(predefined, name) }
