package branch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/format"
)

func TestMergeRow(t *testing.T) {
	for _, tc := range []struct {
		name               string
		bases              []string // "" for no row
		ours, theirs       string
		choice             Choice
		want, wantCollided string // want is "" if ours stays
	}{
		{"nothing changed", []string{`{"a":1}`}, `{"a":1}`, `{"a":1}`, Ask, ``, ``},
		{"theirs changed", []string{`{"a":1}`}, `{"a":1}`, `{"a":2}`, Ask, `{"a":2}`, ``},
		{"ours changed", []string{`{"a":1}`}, `{"a":2}`, `{"a":1}`, Ask, ``, ``},
		{"both to the same", []string{`{"a":1}`}, `{"a":2}`, `{"a":2.0}`, Ask, ``, ``},
		{"new in theirs", []string{``}, ``, `{"a":1}`, Ask, `{"a":1}`, ``},
		{"new in both, the same", []string{``}, `{"a":1}`, `{"a":1,"b":null}`, Ask, ``, ``},
		{"new in both, other fields", []string{``}, `{"a":1,"b":null}`, `{"a":1,"b":2}`, Ask, `{"a":1,"b":2}`, ``},
		{"new in both, another value", []string{``}, `{"a":1}`, `{"a":2}`, Ask, ``, `a null 1 2`},
		{"other fields", []string{`{"a":1,"b":1}`}, `{"a":2,"b":1}`, `{"a":1,"b":2}`, Ask, `{"a":2,"b":2}`, ``},
		{"a field that collides", []string{`{"a":1,"b":1}`}, `{"a":2,"b":1}`, `{"a":3,"b":2}`, Ask, `{"a":2,"b":2}`, `a 1 2 3`},
		{"ours", []string{`{"a":1,"b":1}`}, `{"a":2,"b":1}`, `{"a":3,"b":2}`, Ours, `{"a":2,"b":2}`, `a 1 2 3`},
		{"theirs", []string{`{"a":1,"b":1}`}, `{"a":2,"b":1}`, `{"a":3,"b":2}`, Theirs, `{"a":3,"b":2}`, `a 1 2 3`},
		{"only collisions, ours", []string{`{"a":1}`}, `{"a":2}`, `{"a":3}`, Ours, ``, `a 1 2 3`},
		{"removed value", []string{`{"a":1}`}, `{"a":1}`, `{"a":null}`, Ask, `{"a":null}`, ``},
		{"NaN stays NaN", []string{`{"a":NaN}`}, `{"a":1}`, `{"a":NaN}`, Ask, ``, ``},
		{"criss-cross, each kept", []string{`{"a":1,"b":0}`, `{"a":0,"b":2}`}, `{"a":1,"b":9}`, `{"a":8,"b":2}`, Ask, `{"a":8,"b":9}`, ``},
		{"criss-cross, theirs is a base", []string{`{"a":1}`, `{"a":2}`}, `{"a":5}`, `{"a":2}`, Ask, ``, ``},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var bases []*format.Value
			for _, text := range tc.bases {
				bases = append(bases, parse(t, text))
			}
			ours := parse(t, tc.ours)
			merged, write, collisions := mergeRow(bases, ours, parse(t, tc.theirs), tc.choice)
			got := ""
			if write {
				got = string(merged.Append(nil, format.Canonical))
			} else if merged != ours {
				t.Errorf("the row differs from ours, and is not written")
			}
			var collided []string
			for _, c := range collisions {
				collided = append(collided, fmt.Sprintf("%s %s %s %s", c.field, text(c.base), text(c.ours), text(c.theirs)))
			}
			if got != tc.want || strings.Join(collided, "; ") != tc.wantCollided {
				t.Errorf("got %q and collisions %q; want %q and %q", got, collided, tc.want, tc.wantCollided)
			}
		})
	}
}

func TestDecide(t *testing.T) {
	same := func(a, b int) bool { return a == b }
	for _, tc := range []struct {
		bases        []int
		ours, theirs int
		want         verdict
	}{
		{[]int{1}, 1, 1, keep},
		{[]int{1}, 2, 1, keep},
		{[]int{1}, 1, 2, take},
		{[]int{1}, 2, 2, keep},
		{[]int{1}, 2, 3, clash},
		{[]int{1, 2}, 2, 3, take},
		{[]int{1, 2}, 3, 2, keep},
	} {
		if got := decide(tc.bases, tc.ours, tc.theirs, same); got != tc.want {
			t.Errorf("bases %v, ours %d, theirs %d: got %d, want %d", tc.bases, tc.ours, tc.theirs, got, tc.want)
		}
	}
}

func parse(t *testing.T, text string) *format.Value {
	t.Helper()
	if text == "" {
		return nil
	}
	v, err := format.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

func text(v format.Value) string { return string(v.Append(nil, format.Canonical)) }
