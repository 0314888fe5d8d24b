package access

import (
	"cmp"
	"strings"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// Grantor is the role in whose name a role grants or revokes privileges on an object, and which of the
// wanted letters it may grant: the owner for whoever has the owner's rights, else the role itself with what
// it was granted WITH GRANT OPTION (select_best_grantor of PostgreSQL). warning says that these are not all,
// nil if they are. A role that has no privilege on the object gets an error.
func (r Role) Grantor(o Object, wanted string, revoke bool) (name, letters string, warning *pgerr.Error, err error) {
	if r.Owns(o.Owner) {
		return cmp.Or(o.Owner, roles.Owner), wanted, nil, nil
	}
	held, grantable := r.Privileges(o)
	letters = strings.Map(func(l rune) rune {
		if strings.ContainsRune(grantable, l) {
			return l
		}
		return -1
	}, wanted)
	switch {
	case letters == "" && held == "" && len(o.Columns) == 0:
		return "", "", nil, o.Denied()
	case letters == "":
		warning = notAll("no", o, revoke)
	case letters != wanted:
		warning = notAll("not all", o, revoke)
	}
	return r.Name, letters, warning, nil
}

func notAll(how string, o Object, revoke bool) *pgerr.Error {
	if revoke {
		return sqlstate.Warning(pgerr.WarningPrivilegeNotRevoked, "%s privileges could be revoked for %q", how, o.Name)
	}
	return sqlstate.Warning(pgerr.WarningPrivilegeNotGranted, "%s privileges were granted for %q", how, o.Name)
}

// Revoke takes privileges back from roles, "" for PUBLIC: as the owner of the object whoever granted them, else
// those that grantor granted. What the roles granted themselves goes with cascade, and is an error without.
func (r Role) Revoke(o Object, grants acl.Grants, grantor string, from []string, letters string, option, cascade bool) (acl.Grants, error) {
	if r.Owns(o.Owner) {
		grantor = ""
	}
	next := grants
	for _, name := range from {
		next = next.Revoked(grantor, name, letters, option)
	}
	for lost := next.Dependent(grants, next); len(lost) > 0; lost = next.Dependent(grants, next) {
		if !cascade {
			return nil, Dependent()
		}
		next = next.Except(lost)
	}
	return next, nil
}

// Dependent is the error of a REVOKE without CASCADE that leaves privileges which nobody may have granted.
func Dependent() error {
	return pgerr.New(pgerr.DependentObjectsStillExist, "dependent privileges exist").WithHint("Use CASCADE to revoke them too.")
}
