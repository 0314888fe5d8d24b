package writepath_test

import (
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

// TestIdentified takes identities apart again. Two that differ in any key have
// different texts.
func TestIdentified(t *testing.T) {
	odd := []string{"a", "b", "", " ", `"`, `\`, `\"`, `","`, `["a","b"]`, "[]", "a,b", "\x00", "\n\t\r", "\u2028", "é", "e\u0301", "日本", "🦆", "\u007f", "</script>", "null", "1", "1.0"}
	seen := map[string]format.Row{}
	check := func(kind ontosql.Kind, r format.Row) {
		t.Helper()
		text := writepath.Identity(kind, &r)
		got := writepath.RowOfIdentity(kind, text)
		if got.Key != r.Key || got.Left != r.Left || got.Right != r.Right || got.Instance != r.Instance {
			t.Errorf("%s %+v has the identity %q, which is read as %+v", kind, r, text, got)
		}
		if other, twice := seen[text]; twice {
			t.Errorf("%+v and %+v have the same identity %q", other, r, text)
		}
		seen[text] = r
	}
	for _, key := range odd {
		check(ontosql.Entity, format.Row{Key: key})
	}
	clear(seen)
	for _, left := range odd {
		for _, right := range odd {
			for _, instance := range odd { // "" means none
				check(ontosql.Relation, format.Row{Left: left, Right: right, Instance: instance})
			}
		}
	}
}
