package access

import (
	"cmp"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/workspace"
)

// Role is a role of a gateway, and what it may do by the roles that there are.
type Role struct {
	Name  string
	Roles *roles.Roles
}

// As is another role among the same ones; "" is the owner of the database.
func (r Role) As(name string) Role { return Role{cmp.Or(name, roles.Owner), r.Roles} }

// Owns reports whether the role has the rights of an owner; "" is the owner of the database.
func (r Role) Owns(owner string) bool { return r.Roles.Has(r.Name, cmp.Or(owner, roles.Owner)) }

// predefined are the privileges that a member of a predefined role has on every table and schema
// (PostgreSQL manual, 22.5).
var predefined = map[string]string{
	"pg_read_all_data":  acl.Select + acl.Usage,
	"pg_write_all_data": acl.Insert + acl.Update + acl.Delete + acl.Usage,
}

// Object is something that has an owner and privileges.
type Object struct {
	Kind    string // as errors name it: "table", "view", "schema"
	Name    string
	Owner   string     // "" for the owner of the database
	Grants  acl.Grants // nil for those of the owner alone
	All     string     // the letters of all privileges that there are on such an object
	Columns map[string]acl.Grants
}

// TableLetters are the privileges on tables and views, SequenceLetters those on sequences, SchemaLetters
// those on schemas.
const (
	TableLetters    = "arwdDxt"
	SequenceLetters = "rwU"
	SchemaLetters   = "UC"
)

// OfType is a type seen through a schema.
func OfType(t *catalog.Type, schema string) Object {
	o := Object{Kind: "table", Name: t.Table, Owner: t.Owner, All: TableLetters}
	o.Grants, o.Columns = t.GrantsOn(schema)
	return o
}

// EventsTable is the relation of the schema ontosql on which the privileges on the event bus are granted. They
// hold for all relations that show it.
const EventsTable = "events"

// OfEvents is the event bus, as one of the relations that show it. It belongs to the owner of the database.
func OfEvents(grants acl.Grants, name string) Object {
	return Object{Kind: "table", Name: name, Grants: grants, All: TableLetters}
}

// OfTable is an ordinary table.
func OfTable(t *workspace.Table) Object {
	o := Object{Kind: "table", Name: t.Name, Owner: t.Owner, Grants: t.Grants, All: TableLetters}
	if t.View != nil {
		o.Kind = "materialized view"
	}
	return o
}

// OfView is a view.
func OfView(v *workspace.View) Object {
	return Object{Kind: "view", Name: v.Name, Owner: v.Owner, Grants: v.Grants, All: TableLetters}
}

// OfSequence is a sequence.
func OfSequence(q *workspace.Sequence) Object {
	return Object{Kind: "sequence", Name: q.Name, Owner: q.Role, Grants: q.Grants, All: SequenceLetters}
}

// OfSchema is a schema of the workspace; nil is one of which nothing is declared.
func OfSchema(d *workspace.Schema, name string) Object {
	o := Object{Kind: "schema", Name: name, All: SchemaLetters}
	if d != nil {
		o.Owner, o.Grants = d.Owner, d.Grants
	}
	return o
}

// Privileges are the letters of what the role may do with the whole object, and of those that it may
// grant to others.
func (r Role) Privileges(o Object) (privileges, grantable string) {
	if r.Roles.IsSuperuser(r.Name) {
		return o.All, o.All
	}
	grants := o.Grants
	if grants == nil {
		grants = OwnGrants(o.Owner, o.All)
	}
	privileges, grantable = grants.Held(func(of string) bool { return r.Roles.Has(r.Name, of) })
	if r.Owns(o.Owner) { // the owner may grant what he has taken from himself
		grantable = o.All
	}
	for of, letters := range predefined {
		if o.Kind != "sequence" && r.Roles.Has(r.Name, of) {
			privileges += letters
		}
	}
	return privileges, grantable
}

// OwnGrants are the privileges of the owner that nobody has granted.
func OwnGrants(owner, letters string) acl.Grants {
	owner = cmp.Or(owner, roles.Owner)
	return acl.Grants{{Grantee: owner, Grantor: owner, Privileges: letters}}
}

// May reports whether the role has a privilege on the object, or on each of the columns. Without
// columns, the privilege on one of them is enough.
func (r Role) May(privilege string, o Object, columns []string) bool {
	if held, _ := r.Privileges(o); acl.Has(held, privilege) {
		return true
	}
	on := func(grants acl.Grants) bool {
		held, _ := grants.Held(func(of string) bool { return r.Roles.Has(r.Name, of) })
		return acl.Has(held, privilege)
	}
	if len(columns) == 0 {
		for _, grants := range o.Columns {
			if on(grants) {
				return true
			}
		}
		return false
	}
	for _, name := range columns {
		if !on(o.Columns[name]) {
			return false
		}
	}
	return true
}

// Denied is the error of a privilege that a role does not have.
func (o Object) Denied() *pgerr.Error {
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for %s %s", o.Kind, o.Name)
}

// CheckOwner is the error of a role that would have to own the object.
func (r Role) CheckOwner(o Object) error {
	if r.Owns(o.Owner) {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be owner of %s %s", o.Kind, o.Name)
}
