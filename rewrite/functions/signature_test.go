package functions

import (
	"strconv"
	"strings"
	"testing"
)

// TestTemplatesMentionOnce: what a template writes twice would double with each call
// within a call; a macro's arguments are bound where they grow.
func TestTemplatesMentionOnce(t *testing.T) {
	for _, table := range []map[string][]Signature{ByName, Operators, Catalog} {
		for name, overloads := range table {
			for _, s := range overloads {
				for i := range s.Args {
					place := "{" + strconv.Itoa(i+1) + "}"
					if n := strings.Count(s.Template, place); n > 1 && !s.ReturnsSet && !s.Window {
						t.Errorf("%s: %q mentions %s %d times", name, s.Template, place, n)
					}
				}
			}
		}
	}
}

// TestListOfNames: a line with several names stands for a line of each.
func TestListOfNames(t *testing.T) {
	table := parseSignatures("agg total|count(int4|int8) int8 = engine_{name}({1}) => CAST({agg} AS '{name}')\n||(text,text) text")
	for _, name := range []string{"total", "count"} {
		got := table[name]
		if len(got) != 2 || !got[1].Aggregate || got[1].Template != "engine_"+name+"({1})" || got[1].Wrap != "CAST({agg} AS '"+name+"')" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if len(table["||"]) != 1 {
		t.Errorf("the operator: %+v", table)
	}
}
