package resolver

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/format"
)

func TestPrune(t *testing.T) {
	facts := map[string]*format.Facts{
		"a-f":   {Rows: 1, KeyBounds: true, MinKey: "a", MaxKey: "f"},
		"g-z":   {Rows: 1, KeyBounds: true, MinKey: "g", MaxKey: "z"},
		"any":   {Rows: 1},
		"empty": {},
	}
	note := func(f File) (*format.Facts, bool) {
		n, ok := facts[f.Key]
		return n, ok
	}
	files := []File{{Key: "a-f"}, {Key: "g-z"}, {Key: "any"}, {Key: "empty"}, {Key: "unseen"}}
	for _, c := range []struct {
		keys []string
		want string
	}{
		{nil, "a-f g-z any empty unseen"},
		{[]string{"c"}, "a-f any unseen"},
		{[]string{"f", "g"}, "a-f g-z any unseen"},
		{[]string{"A", "zz"}, "any unseen"},
	} {
		var got []string
		for _, f := range Prune(files, c.keys, note) {
			got = append(got, f.Key)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("files for the keys %q: %v, want %s", c.keys, got, c.want)
		}
	}
}
