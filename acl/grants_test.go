package acl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrants(t *testing.T) {
	owner := Grants{{"ontosql", "ontosql", "arwdDxt", ""}}
	for _, test := range []struct {
		what      string
		got, want Grants
	}{
		{"a second role", owner.Granted("ada", "bob", "wr", false), Grants{owner[0], {"bob", "ada", "rw", ""}}},
		{"more of one role", owner.Granted("ada", "bob", "r", false).Granted("ada", "bob", "a", true), Grants{owner[0], {"bob", "ada", "ar", "a"}}},
		{"of another grantor", Grants{{"bob", "ada", "r", ""}}.Granted("eve", "bob", "r", false), Grants{{"bob", "ada", "r", ""}, {"bob", "eve", "r", ""}}},
		{"revoked of every grantor", Grants{{"bob", "ada", "ar", "r"}, {"bob", "eve", "r", ""}}.Revoked("", "bob", "r", false), Grants{{"bob", "ada", "a", ""}}},
		{"revoked of one grantor", Grants{{"bob", "ada", "ar", "r"}, {"bob", "eve", "r", ""}}.Revoked("eve", "bob", "r", false), Grants{{"bob", "ada", "ar", "r"}}},
		{"the option alone", Grants{{"bob", "ada", "ar", "ar"}}.Revoked("", "bob", "r", true), Grants{{"bob", "ada", "ar", "a"}}},
		{"what nobody has", owner.Revoked("", "", "r", false), owner},
		{"the last one", Grants{{"", "ada", "r", ""}}.Revoked("", "", "r", false), Grants{}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
	}
}

// TestDependentGrants: what a role granted goes with its right to grant, unless it has that of another role too.
func TestDependentGrants(t *testing.T) {
	before := Grants{{"bob", "ada", "ar", "r"}, {"cid", "bob", "r", "r"}, {"dot", "cid", "r", ""}, {"eve", "ada", "r", ""}}
	after := before.Revoked("ada", "bob", "r", true)
	if diff := cmp.Diff(Grants{{"cid", "bob", "r", "r"}}, after.Dependent(before, after)); diff != "" {
		t.Errorf("dependent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Grants{{"bob", "ada", "ar", ""}, {"dot", "cid", "r", ""}, {"eve", "ada", "r", ""}}, after.Except(after.Dependent(before, after))); diff != "" {
		t.Errorf("without (-want +got):\n%s", diff)
	}
	twice := append(Grants{{"bob", "own", "r", "r"}}, before...)
	after = twice.Revoked("ada", "bob", "r", true)
	if got := after.Dependent(twice, after); got != nil {
		t.Errorf("bob may still grant, but %v depend", got)
	}
}
