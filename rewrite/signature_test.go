package rewrite

import (
	"strconv"
	"strings"
	"testing"
)

// TestTemplatesMentionOnce: what a template writes twice would double with each call
// within a call; a macro's arguments are bound where they grow.
func TestTemplatesMentionOnce(t *testing.T) {
	for _, table := range []map[string][]signature{functionsByName, operators, catalogFunctions} {
		for name, overloads := range table {
			for _, s := range overloads {
				for i := range s.args {
					place := "{" + strconv.Itoa(i+1) + "}"
					if n := strings.Count(s.template, place); n > 1 && !s.set && !s.window {
						t.Errorf("%s: %q mentions %s %d times", name, s.template, place, n)
					}
				}
			}
		}
	}
}
