package scope

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/types"
)

// TestSessionMarkKeepsArguments: the arguments of a session function keep all characters of a
// client's text.
func TestSessionMarkKeepsArguments(t *testing.T) {
	text := func(s string) enginesql.Operand { return enginesql.Operand{Text: s} }
	for _, args := range [][]enginesql.Operand{
		nil,
		{text("")},
		{text(""), text("")},
		{text("a\x01b"), text("c\x02d")},
		{text(`"quoted\`)},
		{text("é\n")},
		{text("\xff")},
		{{Param: 1}, text("$1"), {Param: 65535}},
	} {
		ps := enginesql.Pieces("SELECT " + enginesql.SessionPlaceholder("current_setting", args, types.Text) + " AS x")
		if len(ps) != 3 || ps[1].Kind != enginesql.SessionValue || ps[1].Name != "current_setting" || ps[1].OID != types.Text {
			t.Fatalf("%v became %+v", args, ps)
		}
		if diff := cmp.Diff(args, ps[1].Args); diff != "" {
			t.Errorf("arguments %v came back changed (-want +got):\n%s", args, diff)
		}
	}
}
