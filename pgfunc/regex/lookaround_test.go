package regex

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestSearcherAgrees searches random texts for expressions that RE2 has, in both ways.
func TestSearcherAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, pattern := range []string{
		`a`, `ab|a`, `(a|ab)(c|bcd)?`, `a*`, `a*?b`, `(a+)(b*)`, `[ab]+c`, `^a`, `b$`, `a.c`, `(é|b)+`, `a{2,3}`, `\yab`, `(?i)A+`, `(?n)^b`,
	} {
		m, err := NewMatcher(pattern, "")
		if err != nil {
			t.Fatal(pattern, err)
		}
		s, err := m.expression.searcher()
		if err != nil {
			t.Fatal(pattern, err)
		}
		for range 300 {
			var text strings.Builder
			for range rng.IntN(12) {
				text.WriteString([]string{"a", "b", "c", "é", "\n", " ", "A"}[rng.IntN(7)])
			}
			want, err := m.Find(text.String(), 0, -1)
			if err != nil {
				t.Fatal(pattern, err)
			}
			got, err := s.find(text.String(), 0, -1)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s in %q: found %v, %v; RE2 finds %v", pattern, text.String(), got, err, want)
			}
		}
	}
}

// TestSearchEnds searches a long text for an expression of many states: it is given up.
func TestSearchEnds(t *testing.T) {
	m, err := NewMatcher(`(?=(x*y?){200})x`, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Find(strings.Repeat("x", 1<<21), 0, -1)
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.ProgramLimitExceeded {
		t.Errorf("a search of 400 states in 2 MiB ended with %v, want %s", err, pgerr.ProgramLimitExceeded)
	}
}
