package compat

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/tests/compat/corpus"
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
	byReason := map[string][]string{}
	for _, pattern := range []string{"corpus/*.sql", "corpus/*/*.sql", "corpus/bi/*/*.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			all := statements(t, f)
			asked += len(all)
			for _, st := range all {
				if tool := filepath.Base(filepath.Dir(f)); st.Differs != "" && !slices.Contains(byReason[st.Differs], tool) {
					byReason[st.Differs] = append(byReason[st.Differs], tool)
				}
			}
		}
	}
	for _, c := range psqlCommands(t) {
		asked++
		if c.differs != "" && !slices.Contains(byReason[c.differs], "psql") {
			byReason[c.differs] = append(byReason[c.differs], "psql")
		}
	}
	want := dialectPage(string(data), asked) + toolsPage(byReason)
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

// toolsPage tells what psql and the tools of corpus/bi are answered otherwise: reasons, with
// the tools whose statements differ for them.
func toolsPage(byReason map[string][]string) string {
	var page strings.Builder
	page.WriteString(`
## What tools ask when they connect

The tests also send both servers the statements that these tools send when they start and read the schema: Metabase, Grafana, DBeaver, DataGrip, pgAdmin, Superset, Tableau, Power BI, Looker, pgcli, pg_dump, pgjdbc, SQLAlchemy, ActiveRecord, Sequel, Laravel and sqlx. They also run psql's describe commands. The known differences:

`)
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		fmt.Fprintf(&page, "* %s (%s)\n", reason, strings.Join(byReason[reason], ", "))
	}
	return page.String()
}

// dialectPage is the page of a list of differences: paragraphs of a reason, in lines
// that begin with #, and the statements that differ for it.
func dialectPage(list string, asked int) string {
	var page strings.Builder
	fmt.Fprintf(&page, `# Where the dialect differs from PostgreSQL 15

The tests run more than %d,000 fixed statements, and thousands of random ones, on PostgreSQL 15 and on ontosql over the same tables. They compare column names, column types, rows, command tags, SQLSTATEs and error positions. This page lists every known difference and its reason. [sql/](sql/README.md) describes what ontosql adds, [sql/limits.md](sql/limits.md) what it does not support yet.

<!-- Written by go test ./tests/compat -run DialectPage -rewrite from tests/compat/differences.txt. -->
`, asked/1000)
	for _, paragraph := range strings.Split(strings.TrimSpace(list), "\n\n")[1:] {
		var reason, sql []string
		for _, line := range strings.Split(paragraph, "\n") {
			if strings.HasPrefix(line, corpus.Held) {
				continue
			}
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
