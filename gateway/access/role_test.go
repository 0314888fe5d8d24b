package access_test

import (
	"testing"

	"github.com/ontosql/ontosql/acl"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/access"
)

// people are the owner of the database, a superuser, ann who is a member of readers, and bob who is one
// without INHERIT.
func people() *roles.Roles {
	r := roles.Initial()
	for _, name := range []string{"boss", "ann", "bob", "readers"} {
		role := roles.New(name)
		role.Superuser, role.Inherit = name == "boss", name != "bob"
		r = r.With(role)
	}
	return r.Granted(roles.Membership{Role: "readers", Member: "ann"}).Granted(roles.Membership{Role: "readers", Member: "bob"})
}

// TestMay: a privilege comes from ownership, from grants to the role, its roles and PUBLIC, from columns, and
// from the predefined roles.
func TestMay(t *testing.T) {
	all := people()
	own := access.OwnGrants("ann", access.TableLetters)
	table := func(owner string, grants acl.Grants) access.Object {
		return access.Object{Kind: "table", Name: "t", Owner: owner, Grants: grants, All: access.TableLetters}
	}
	columns := table("", nil)
	columns.Columns = map[string]acl.Grants{"a": {{Grantee: "readers", Grantor: "x", Privileges: "r"}}, "b": {{Grantee: "ann", Grantor: "x", Privileges: "rw"}}}
	for _, c := range []struct {
		what, role, privilege string
		object                access.Object
		columns               []string
		want                  bool
	}{
		{"the owner of the database", roles.Owner, acl.Delete, table("", nil), nil, true},
		{"a superuser", "boss", acl.Delete, table("ann", nil), nil, true},
		{"the owner", "ann", acl.Delete, table("ann", nil), nil, true},
		{"nobody", "bob", acl.Select, table("ann", nil), nil, false},
		{"an owner who took it from himself", "ann", acl.Delete, table("ann", own.Revoked("", "ann", "d", false)), nil, false},
		{"by a role", "ann", acl.Select, table("", own.Granted("x", "readers", "r", false)), nil, true},
		{"by a role, without INHERIT", "bob", acl.Select, table("", own.Granted("x", "readers", "r", false)), nil, false},
		{"another privilege", "ann", acl.Insert, table("", acl.Grants{{Grantee: "readers", Grantor: "x", Privileges: "r"}}), nil, false},
		{"by PUBLIC", "bob", acl.Select, table("ann", own.Granted("ann", "", "r", false)), nil, true},
		{"all columns", "ann", acl.Select, columns, []string{"a", "b"}, true},
		{"a column that is not granted", "ann", acl.Select, columns, []string{"a", "c"}, false},
		{"any column", "ann", acl.Update, columns, nil, true},
		{"any column, none", "bob", acl.Update, columns, nil, false},
		{"a role that does not exist", "gone", acl.Select, table("ann", nil), nil, false},
	} {
		if got := (access.Role{Name: c.role, Roles: all}).May(c.privilege, c.object, c.columns); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	reader := access.Role{Name: "ann", Roles: all.Granted(roles.Membership{Role: "pg_read_all_data", Member: "ann"})}
	for privilege, want := range map[string]bool{acl.Select: true, acl.Insert: false} {
		if got := reader.May(privilege, table("", nil), nil); got != want {
			t.Errorf("pg_read_all_data, %s: %v", acl.Names[privilege], got)
		}
	}
}

// TestWindowsOfAType: a window has the privileges of the table until it has some of its own.
func TestWindowsOfAType(t *testing.T) {
	typ := &catalog.Type{Table: "t", Columns: []catalog.Column{{Name: "n", Field: "n"}}}
	role := access.Role{Name: "ann", Roles: people()}
	may := func(schema string) bool { return role.May(acl.Select, access.OfType(typ, schema), []string{"n"}) }
	if may("public") || may("history") {
		t.Error("what nobody granted is allowed")
	}
	typ.Grants = []format.TypeGrants{{Schema: "public", Field: "n", Grants: acl.Grants{{Grantee: "ann", Grantor: "x", Privileges: "r"}}}}
	if !may("public") || !may("history") || !may("as_of") {
		t.Error("a grant on the table does not hold for its windows")
	}
	typ.Grants = append(typ.Grants, format.TypeGrants{Schema: "history", Grants: acl.Grants{}})
	if !may("public") || may("history") || !may("changes") {
		t.Error("a window with privileges of its own has those of the table")
	}
}

// TestGrantor: who grants, and what of it, when the role is the owner, has grant options, or has neither.
func TestGrantor(t *testing.T) {
	all := people()
	o := access.Object{Kind: "table", Name: "t", Owner: "readers", All: access.TableLetters}
	o.Grants = access.OwnGrants("readers", o.All).Granted("readers", "bob", "r", true).Granted("readers", "bob", "a", false)
	for _, c := range []struct {
		role, name, letters string
		warns, fails        bool
	}{
		{"ann", "readers", "raw", false, false},  // has the rights of the owner
		{"boss", "readers", "raw", false, false}, // a superuser grants for the owner
		{"bob", "bob", "r", true, false},
		{"gone", "", "", false, true},
	} {
		name, letters, warning, err := access.Role{Name: c.role, Roles: all}.Grantor(o, "raw", false)
		if name != c.name || letters != c.letters || (warning != nil) != c.warns || (err != nil) != c.fails {
			t.Errorf("%s: %s grants %q, warning %v, error %v", c.role, name, letters, warning, err)
		}
	}
}
