package rewrite

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSessionMarkKeepsArguments: the arguments of a session function are a
// client's text, whatever is in them.
func TestSessionMarkKeepsArguments(t *testing.T) {
	for _, args := range [][]string{nil, {""}, {"", ""}, {"a\x01b", "c\x02d"}, {`"quoted\`}, {"é\n"}, {"\xff"}} {
		ps := cut("SELECT " + sessionMark("current_setting", args, textOID) + " AS x")
		if len(ps) != 3 || ps[1].kind != sessionHole || ps[1].name != "current_setting" || ps[1].oid != textOID {
			t.Fatalf("%q became %+v", args, ps)
		}
		if diff := cmp.Diff(args, ps[1].args); diff != "" {
			t.Errorf("arguments %q came back changed (-want +got):\n%s", args, diff)
		}
	}
}
