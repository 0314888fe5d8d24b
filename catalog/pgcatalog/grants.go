package pgcatalog

import (
	"strings"

	"github.com/ontosql/ontosql/acl"
)

// DefaultGrants are the privileges on the objects of a kind that a role will create.
type DefaultGrants struct {
	Role   string
	Kind   byte // as pg_default_acl.defaclobjtype has it
	Grants acl.Grants
}

// defaultACL is a row of pg_default_acl.
type defaultACL struct {
	DefaultGrants
	oid    uint32
	schema string // "" for all schemas
}

func sameDefaults(a, b defaultACL) bool {
	return a.oid == b.oid && acl.Same(a.Grants, b.Grants) // the OID follows from the rest
}

// defaultACLs are the default privileges in all schemas.
func (l *layout) defaultACLs() (out []defaultACL) {
	add := func(schema string, all []DefaultGrants) {
		for _, d := range all {
			out = append(out, defaultACL{d, l.oids.of("default", schema, d.Role, string(d.Kind)), schema})
		}
	}
	add("", l.in.Defaults)
	for _, s := range l.in.Schemas {
		add(s.Name, s.Defaults)
	}
	return out
}

// addDefaultACLs adds default privileges.
func (f *filler) addDefaultACLs() {
	for _, d := range f.shared.defaults {
		f.add("pg_catalog.pg_default_acl", Row{
			"oid": d.oid, "defaclrole": f.shared.roleOID(d.Role), "defaclnamespace": f.shared.schemas[d.schema],
			"defaclobjtype": string(d.Kind), "defaclacl": aclItems(d.Grants),
		})
	}
}

// aclItems are grants as relacl and nspacl show them, NULL for nil.
func aclItems(grants acl.Grants) any {
	if grants == nil {
		return nil
	}
	items := make([]any, len(grants))
	for i, g := range grants {
		var b strings.Builder
		if g.Grantee != "" {
			b.WriteString(quoteIdent(g.Grantee))
		}
		b.WriteByte('=')
		for _, letter := range g.Privileges {
			b.WriteRune(letter)
			if strings.ContainsRune(g.Grantable, letter) {
				b.WriteByte('*')
			}
		}
		b.WriteString("/" + quoteIdent(g.Grantor))
		items[i] = b.String()
	}
	return items
}

// tablePrivileges are the names of the privileges of tables, by their letters.
var tablePrivileges = map[rune]string{
	'a': "INSERT", 'r': "SELECT", 'w': "UPDATE", 'd': "DELETE", 'D': "TRUNCATE", 'x': "REFERENCES", 't': "TRIGGER",
}

// addInfoGrants adds the privileges on an ordinary table or a view, and on a type where grants are required.
func (f *filler) addInfoGrants(o *object) {
	grants := o.grants
	if grants == nil {
		grants = acl.Grants{{Grantee: o.ownerName(), Grantor: o.ownerName(), Privileges: "arwdDxt"}}
	}
	for _, g := range grants {
		grantee := g.Grantee
		if grantee == "" {
			grantee = "PUBLIC"
		}
		for _, letter := range g.Privileges {
			f.add("information_schema.table_privileges", Row{
				"grantor": g.Grantor, "grantee": grantee, "table_catalog": f.database, "table_schema": o.schema, "table_name": o.name,
				"privilege_type": tablePrivileges[letter],
				"is_grantable":   yesNo(g.Grantee == o.ownerName() || strings.ContainsRune(g.Grantable, letter)),
				"with_hierarchy": yesNo(letter == 'r'),
			})
		}
	}
}
