package psql

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// prompt is how a line of a page begins that is typed into psql, within a
// transaction or not.
var prompt = regexp.MustCompile(`^onto=\*?[#>] `)

// TestReadme runs the sessions of the README on a copy of the demo, and compares
// what psql prints with what the README says it does.
func TestReadme(t *testing.T) { runPage(t, "../../README.md") }

// TestSchemaPage does so for the page about schemas.
func TestSchemaPage(t *testing.T) { runPage(t, "../../docs/schema.md") }

func runPage(t *testing.T, page string) {
	t.Helper()
	runPageAt(t, page, serveCopy(t), "onto")
}

// runPageAt runs the sessions of a page in a database of a server.
func runPageAt(t *testing.T, page string, server *url.URL, database string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	input := []string{`\set QUIET off`}
	var want []string
	for i, block := range strings.Split(string(text), "```") {
		if i%2 == 0 || !strings.Contains(block, "\nonto=") {
			continue
		}
		for _, line := range strings.Split(block, "\n") {
			switch typed := prompt.FindString(line); {
			case typed != "":
				input = append(input, strings.TrimPrefix(line, typed))
			case !strings.HasPrefix(line, "$ psql "):
				want = append(want, line)
			}
		}
	}
	if len(input) < 6 {
		t.Fatalf("the sessions of %s have the lines %q only", page, input)
	}
	file := filepath.Join(t.TempDir(), "page.sql")
	if err := os.WriteFile(file, []byte("\\set ECHO none\n"+strings.Join(input, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := strings.TrimPrefix(psql(t, server, file, database), "\\set ECHO none\n")
	blank := regexp.MustCompile(`\n\n+`)
	tidy := func(s string) string { return blank.ReplaceAllString(strings.TrimSpace(s), "\n") }
	if diff := cmp.Diff(tidy(strings.Join(want, "\n")), tidy(got)); diff != "" {
		t.Errorf("the sessions of %s (-page +psql):\n%s", page, diff)
	}
}
