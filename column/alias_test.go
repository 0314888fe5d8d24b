package column

import (
	"slices"
	"testing"
)

func TestAliases(t *testing.T) {
	for _, test := range []struct{ names, want []string }{
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"A", "a"}, []string{"A", "a_"}},
		{[]string{"a", "A", "a_", "A_"}, []string{"a", "A_", "a__", "A___"}},
		{[]string{"Straße", "STRASSE", "straße"}, []string{"Straße", "STRASSE", "straße_"}},
		{[]string{"Ä", "ä", "K", "k", "\u212a"}, []string{"Ä", "ä", "K", "k_", "\u212a"}},
	} {
		var cols []Named
		for _, name := range test.names {
			cols = append(cols, Named{Name: name})
		}
		if got := AliasesOf(cols); !slices.Equal(got, test.want) {
			t.Errorf("aliases of %q: got %q, want %q", test.names, got, test.want)
		}
	}
}

// TestAliasesOfMany picks for many columns of one name, as a join of many tables has them.
func TestAliasesOfMany(t *testing.T) {
	taken, seen := Aliases{}, map[string]bool{}
	for range 2000 {
		alias := taken.Pick("Id")
		if folded := foldASCII(alias); seen[folded] {
			t.Fatalf("%q was picked twice", alias)
		} else {
			seen[folded] = true
		}
	}
}
