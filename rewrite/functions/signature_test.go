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
