package rewrite

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TestSessionMarkKeepsArguments: the arguments of a session function are a
// client's text, whatever is in them.
func TestSessionMarkKeepsArguments(t *testing.T) {
	text := func(s string) Operand { return Operand{Text: s} }
	for _, args := range [][]Operand{
		nil,
		{text("")},
		{text(""), text("")},
		{text("a\x01b"), text("c\x02d")},
		{text(`"quoted\`)},
		{text("é\n")},
		{text("\xff")},
		{{Param: 1}, text("$1"), {Param: 65535}},
	} {
		ps := cut("SELECT " + sessionMark("current_setting", args, types.Text) + " AS x")
		if len(ps) != 3 || ps[1].kind != sessionHole || ps[1].name != "current_setting" || ps[1].oid != types.Text {
			t.Fatalf("%v became %+v", args, ps)
		}
		if diff := cmp.Diff(args, ps[1].args); diff != "" {
			t.Errorf("arguments %v came back changed (-want +got):\n%s", args, diff)
		}
	}
}
