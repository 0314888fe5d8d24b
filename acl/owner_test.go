package acl_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/acl"
)

// TestGiven: the grants of the old owner are the new one's, and entries that become alike are one.
func TestGiven(t *testing.T) {
	before := acl.Grants{
		{Grantee: "a", Grantor: "a", Privileges: "arw"},
		{Grantee: "b", Grantor: "a", Privileges: "r", Grantable: "r"},
		{Grantee: "", Grantor: "a", Privileges: "r"},
		{Grantee: "c", Grantor: "b", Privileges: "r"},
	}
	want := acl.Grants{
		{Grantee: "b", Grantor: "b", Privileges: "arw", Grantable: "r"},
		{Grantee: "", Grantor: "b", Privileges: "r"},
		{Grantee: "c", Grantor: "b", Privileges: "r"},
	}
	if diff := cmp.Diff(want, before.Given("a", "b")); diff != "" {
		t.Errorf("given to b (-want +got):\n%s", diff)
	}
	if got := acl.Grants(nil).Given("a", "b"); got != nil {
		t.Errorf("no grants became %v", got)
	}
}

// TestWithout: what a role has granted by its grant option goes with it, along the whole chain, and what others
// have of somebody else stays.
func TestWithout(t *testing.T) {
	before := acl.Grants{
		{Grantee: "own", Grantor: "own", Privileges: "arw"},
		{Grantee: "a", Grantor: "own", Privileges: "ar", Grantable: "r"},
		{Grantee: "b", Grantor: "a", Privileges: "r", Grantable: "r"},
		{Grantee: "c", Grantor: "b", Privileges: "r"},
		{Grantee: "c", Grantor: "own", Privileges: "w"},
		{Grantee: "d", Grantor: "root", Privileges: "r"}, // where grants are not required, anybody grants
	}
	want := acl.Grants{
		{Grantee: "own", Grantor: "own", Privileges: "arw"},
		{Grantee: "c", Grantor: "own", Privileges: "w"},
		{Grantee: "d", Grantor: "root", Privileges: "r"},
	}
	if diff := cmp.Diff(want, before.Without("a", "arw")); diff != "" {
		t.Errorf("without a (-want +got):\n%s", diff)
	}
	kept := acl.Grants{{Grantee: "a", Grantor: "own", Privileges: "a"}}
	if diff := cmp.Diff(kept, before[1:2].Without("a", "r")); diff != "" {
		t.Errorf("without SELECT of a (-want +got):\n%s", diff)
	}
}
