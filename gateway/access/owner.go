package access

import (
	"cmp"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// Public is the schema of the types: only owners of the database create in it.
var Public = Object{Kind: "schema", Name: catalog.SchemaPublic, All: SchemaLetters}

// Owned is the owner of the object, by its name.
func (o Object) Owned() string { return cmp.Or(o.Owner, roles.Owner) }

// Given is the object with another owner: the privileges of the old one are the new one's.
func (o Object) Given(to string) Object {
	o.Grants, o.Owner = o.Grants.Given(o.Owned(), cmp.Or(to, roles.Owner)), to
	if to == roles.Owner {
		o.Owner = ""
	}
	return o
}

// Give is the outcome of OWNER TO by the role for an object in a schema (ATExecChangeOwner of PostgreSQL): whether the
// object gets the owner, or the error. A role that need not own the object, because grants are not required,
// cannot give it away: if it names itself, as the scripts of its own dumps do, the notice says that the
// owner stays.
func (r Role) Give(o Object, to string, in Object) (given bool, notice *pgerr.Error, err error) {
	switch {
	case o.Owned() == to:
		return false, nil, nil
	case !r.Owns(o.Owner) && to == r.Name:
		return false, sqlstate.Notice("owner of %s %q stays %q", o.Kind, o.Name, o.Owned()).
			WithDetail("Only a member of that role can give it to another one."), nil
	case !r.Owns(o.Owner):
		return false, nil, r.CheckOwner(o)
	case r.Roles.IsSuperuser(r.Name):
		return true, nil, nil
	}
	if err := r.CheckBecome(to); err != nil {
		return false, nil, err
	}
	if !r.As(to).May(acl.Create, in, nil) {
		return false, nil, in.Denied()
	}
	return true, nil, nil
}

// CheckBecome is the error of a role that is no member of another one.
func (r Role) CheckBecome(to string) error {
	if r.Roles.CanSet(r.Name, to) {
		return nil
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "must be member of role %q", to)
}
