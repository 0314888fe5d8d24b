package compat

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// breach says how the answers differ beyond what their paragraph of differences.txt
// allows (corpus.Held), "" if they do not.
func breach(held string, want, got answer, ordered bool) string {
	switch held {
	case "":
		return ""
	case "numbers":
		return compare(want.byValue(), got.byValue(), ordered)
	}
	if got.code == held {
		return ""
	}
	return fmt.Sprintf("  postgres: %s\n  ontosql:  %s, not %s", want.brief(), got.brief(), held)
}

var decimalNumber = regexp.MustCompile(`-?[0-9]+\.[0-9]+`)

// byValue writes the numbers with a point in all cells as fractions, so that zeros at
// their end do not count.
func (a answer) byValue() answer {
	rows := make([][]string, len(a.rows))
	for i, row := range a.rows {
		for _, cell := range row {
			rows[i] = append(rows[i], decimalNumber.ReplaceAllStringFunc(cell, func(s string) string {
				n, _ := new(big.Rat).SetString(s)
				return n.RatString()
			}))
		}
	}
	a.rows = rows
	return a
}

// TestHeld: what a paragraph holds its statements to is found to be broken.
func TestHeld(t *testing.T) {
	numeric := func(cells ...string) answer {
		a := answer{tag: "SELECT 1"}
		for range cells {
			a.oids = append(a.oids, 1700)
		}
		a.rows = [][]string{cells}
		return a
	}
	refused := func(code string) answer { return answer{code: code, err: code} }
	for _, c := range []struct {
		held      string
		want, got answer
		broken    bool
	}{
		{"", numeric("1"), refused("XX000"), false},
		{"numbers", numeric("1.50", "-3"), numeric("1.5", "-3.000"), false},
		{"numbers", numeric("{1.50,2}"), numeric("{1.50,2.00}"), false},
		{"numbers", numeric("1.50"), numeric("1.51"), true},
		{"numbers", numeric("NULL"), numeric("0.0"), true},
		{"numbers", numeric("1.50"), refused("22003"), true},
		{"22003", numeric("1"), refused("22003"), false},
		{"22003", numeric("1"), refused("XX000"), true},
		{"22003", numeric("1"), numeric("2"), true},
	} {
		if diff := breach(c.held, c.want, c.got, false); (diff != "") != c.broken {
			t.Errorf("held to %q, PostgreSQL %s, ontosql %s: broken is %v, want %v: %s",
				c.held, c.want.brief(), c.got.brief(), diff != "", c.broken, strings.TrimSpace(diff))
		}
	}
}
