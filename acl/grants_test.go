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
		{"revoked of every grantor", Grants{{"bob", "ada", "ar", "r"}, {"bob", "eve", "r", ""}}.Revoked("bob", "r", false), Grants{{"bob", "ada", "a", ""}}},
		{"the option alone", Grants{{"bob", "ada", "ar", "ar"}}.Revoked("bob", "r", true), Grants{{"bob", "ada", "ar", "a"}}},
		{"what nobody has", owner.Revoked("", "r", false), owner},
		{"the last one", Grants{{"", "ada", "r", ""}}.Revoked("", "r", false), Grants{}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.what, diff)
		}
	}
}
