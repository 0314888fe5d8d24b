package defaults_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/rewrite/defaults"
)

// TestReplaceColumns puts expressions where columns were, as wholes, and nowhere
// else.
func TestReplaceColumns(t *testing.T) {
	columns := map[string]string{"a": "b + 1", "n": "upper(n) -- loud", "Odd": "- a", "p": "x OR y", "é": "1"}
	for text, want := range map[string]string{
		"a * 2":                    "(b + 1) * 2",
		`s . "a" + t.a`:            "(b + 1) + (b + 1)",
		"n||n":                     "(upper(n) -- loud)||(upper(n) -- loud)",
		`-"Odd"`:                   "-(- a)",
		"'a' || b || A || /* a */": "",
		"'a' || b || A /* a */":    "'a' || b || (b + 1) /* a */",
		"a::text":                  "(b + 1)::text",
		"NOT p AND p IN (p)":       "NOT (x OR y) AND (x OR y) IN ((x OR y))",
		"a(1) + f(a)":              "a(1) + f((b + 1))",
		"'é' || é || a":            "'é' || (1) || (b + 1)",
		"(n).f[a]":                 "((upper(n) -- loud)).f[(b + 1)]",
		"c":                        "c",
	} {
		got, err := defaults.ReplaceColumns(text, columns)
		if want == "" {
			if err == nil {
				t.Errorf("%s: %q, want an error", text, got)
			}
			continue
		}
		if got = strings.ReplaceAll(got, "\n", ""); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
		if _, err := defaults.ParseExpression(got); err != nil && !strings.Contains(got, "--") {
			t.Errorf("%s: %q cannot be read: %v", text, got, err)
		}
	}
	long := "n" + strings.Repeat(" || n", 100)
	for range 3 {
		var err error
		if long, err = defaults.ReplaceColumns(long, map[string]string{"n": long}); err != nil {
			return
		}
	}
	t.Error("an expression grew without bound")
}
