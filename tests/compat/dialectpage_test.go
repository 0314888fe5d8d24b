package compat

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewritePage = flag.Bool("rewrite", false, "write docs/dialect.md anew")

// TestDialectPage keeps docs/dialect.md what differences.txt says. TestCorpus sees to
// it that each statement of the list differs, and no other one of the corpus.
func TestDialectPage(t *testing.T) {
	const page = "../../docs/dialect.md"
	data, err := os.ReadFile("differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, pattern := range []string{"corpus/*.sql", "corpus/*/*.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			asked += len(statements(t, f))
		}
	}
	want := dialectPage(string(data), asked)
	if *rewritePage {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("docs/dialect.md is not what differences.txt says; go test ./tests/compat -run DialectPage -rewrite writes it (-want +got):\n%s", diff)
	}
}

// dialectPage is the page of a list of differences: paragraphs of a reason, in lines
// that begin with #, and the statements that differ for it.
func dialectPage(list string, asked int) string {
	var page strings.Builder
	fmt.Fprintf(&page, `# Where the dialect differs from PostgreSQL 15

The tests ask PostgreSQL 15 and ontosql more than %d,000 statements, and thousands of random ones, over the same tables, and compare names and types of columns, rows, command tags, SQLSTATEs and positions. What is listed here differs, and why. [sql.md](sql.md) has what ontosql adds, and what it has not yet.

<!-- Written by go test ./tests/compat -run DialectPage -rewrite from tests/compat/differences.txt. -->
`, asked/1000)
	for _, paragraph := range strings.Split(strings.TrimSpace(list), "\n\n")[1:] {
		var reason, sql []string
		for _, line := range strings.Split(paragraph, "\n") {
			if text, ok := strings.CutPrefix(line, "#"); ok {
				reason = append(reason, strings.TrimSpace(text))
			} else {
				sql = append(sql, line)
			}
		}
		fmt.Fprintf(&page, "\n%s\n", strings.Join(reason, "\n"))
		if len(sql) > 0 {
			fmt.Fprintf(&page, "\n```sql\n%s\n```\n", strings.Join(sql, "\n"))
		}
	}
	return page.String()
}
