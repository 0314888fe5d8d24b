package pgcatalog

import (
	"maps"
	"math"
	"time"

	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/pgfunc"
)

// addRoles fills pg_authid and the views of it, without password verifiers: these rows are the same for
// every user.
func (f *filler) addRoles() {
	for _, role := range f.shared.all.All() {
		oid := f.shared.roleOID(role.Name)
		f.facts.roles[oid] = role.Name
		f.name(classPgAuthID, oid, "", role.Name)
		if !roles.IsPredefined(role.Name) { // whose rows are PostgreSQL's own
			f.addRole(role, oid)
		}
		if !role.Login {
			f.addGroup(role.Name, oid)
		}
	}
	for _, m := range f.shared.all.Memberships() {
		if roles.IsPredefined(m.Member) {
			continue
		}
		f.add("pg_catalog.pg_auth_members", Row{
			"roleid": f.shared.roleOID(m.Role), "member": f.shared.roleOID(m.Member), "grantor": f.shared.roleOID(m.Grantor), "admin_option": m.Admin,
		})
	}
	for _, s := range f.shared.all.Scopes() {
		if oid, ok := f.shared.databases[s.Database]; ok || s.Database == "" { // of no other gateway's
			f.add("pg_catalog.pg_db_role_setting", Row{"setdatabase": oid, "setrole": f.shared.roleOID(s.Role), "setconfig": f.shared.config(s)})
		}
	}
}

func (f *filler) addRole(r roles.Role, oid uint32) {
	until, config := expiry(r), f.shared.config(roles.Scope{Role: r.Name})
	role := Row{
		"rolname": r.Name, "rolsuper": r.Superuser, "rolinherit": r.Inherit, "rolcreaterole": r.CreateRole, "rolcreatedb": r.CreateDB,
		"rolcanlogin": r.Login, "rolreplication": r.Replication, "rolconnlimit": int32(r.ConnectionLimit), "rolvaliduntil": until,
		"rolbypassrls": r.BypassRLS, "oid": oid,
	}
	f.add("pg_catalog.pg_authid", maps.Clone(role))
	role["rolpassword"], role["rolconfig"] = "********", config
	f.add("pg_catalog.pg_roles", role)
	if r.Login {
		user := Row{
			"usename": r.Name, "usesysid": oid, "usecreatedb": r.CreateDB, "usesuper": r.Superuser, "userepl": r.Replication,
			"usebypassrls": r.BypassRLS, "valuntil": until, "useconfig": config,
		}
		f.add("pg_catalog.pg_shadow", maps.Clone(user))
		user["passwd"] = "********"
		f.add("pg_catalog.pg_user", user)
	}
}

func (f *filler) addGroup(name string, oid uint32) {
	members := []any{}
	for _, m := range f.shared.all.Memberships() {
		if m.Role == name {
			members = append(members, f.shared.roleOID(m.Member))
		}
	}
	f.add("pg_catalog.pg_group", Row{"groname": name, "grosysid": oid, "grolist": members})
}

// config are the settings of a scope as setconfig has them, NULL for none.
func (s *shared) config(scope roles.Scope) any {
	list := s.all.Settings(scope)
	if len(list) == 0 {
		return nil
	}
	config := make([]any, len(list))
	for i, one := range list {
		config[i] = one.Name + "=" + one.Value
	}
	return config
}

// expiry is rolvaliduntil.
func expiry(r roles.Role) any {
	switch r.ValidUntil {
	case "":
		return nil
	case "infinity":
		return int64(math.MaxInt64)
	case "-infinity":
		return int64(-math.MaxInt64)
	}
	until, err := time.Parse(time.RFC3339Nano, r.ValidUntil)
	if err != nil {
		return nil // the users file has no such text
	}
	return until.UnixMicro()
}

// roleOID is the OID of a role, 0 for one that is not there.
func (s *shared) roleOID(name string) uint32 { return s.roles[name] }

// roleOIDs are the OIDs of all roles.
func (l *layout) roleOIDs() map[string]uint32 {
	all := map[string]uint32{}
	for _, row := range shape().rows["pg_roles"] {
		all[row[0].(string)] = row[len(row)-1].(uint32)
	}
	for _, role := range l.in.Roles.All() {
		switch {
		case role.Name == Owner:
			all[role.Name] = OwnerOID
		case !roles.IsPredefined(role.Name):
			all[role.Name] = l.oids.of("role", role.Name)
		}
	}
	return all
}

// RoleName is the name of a role with an OID that is given in decimal digits.
func (v *View) RoleName(digits string) (name string, known bool) {
	oid, ok := parseOID(digits)
	if !ok {
		return "", false
	}
	return find(v.facts, oid, func(f *facts) map[uint32]string { return f.roles }, oid)
}

// HasRole is the engine's function for pg_has_role: of the session, the user, "" for the current one, the
// role and the privilege.
func HasRole(has func(session int64, user, role, privilege string) (bool, error)) pgfunc.Function {
	return pgfunc.Function{
		Name: "ontosql_has_role", Args: []pgfunc.Kind{pgfunc.Int, pgfunc.Text, pgfunc.Text, pgfunc.Text}, Result: pgfunc.Int, Effect: true,
		New: func() pgfunc.Call {
			return func(args []pgfunc.Value) (v pgfunc.Value, err error) {
				yes, err := has(args[0].Int, args[1].Text, args[2].Text, args[3].Text)
				if yes {
					v.Int = 1
				}
				return v, err
			}
		},
	}
}
