package psql

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// session heads a column of an example, step is a cell of it: a statement and
// what is answered to it.
var (
	session = regexp.MustCompile(`^[A-Z]$`)
	step    = regexp.MustCompile("^`([^`]+)`(?: → (.+))?$")
)

// example is a table of docs/transactions.md: a column for each session, its
// steps from above.
type example struct {
	name     string // the heading it stands under
	sessions []string
	rows     [][]string
}

// examples are the tables of a document whose columns are sessions.
func examples(text string) (found []example) {
	heading, inTable := "", false
	for line := range strings.SplitSeq(text, "\n") {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			heading = title
		}
		if !strings.HasPrefix(line, "|") {
			inTable = false
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		strange := func(cell string) bool { return !session.MatchString(cell) }
		switch {
		case !inTable && !slices.ContainsFunc(cells, strange):
			found, inTable = append(found, example{name: heading, sessions: cells}), true
		case inTable && !strings.HasPrefix(cells[0], "---"):
			last := &found[len(found)-1]
			last.rows = append(last.rows, cells)
		}
	}
	return found
}

// TestTransactionExamples runs the tables of docs/transactions.md, each on a copy
// of the demo, and compares what is answered with what the page says.
func TestTransactionExamples(t *testing.T) {
	text, err := os.ReadFile("../../docs/transactions.md")
	if err != nil {
		t.Fatal(err)
	}
	all := examples(string(text))
	if len(all) < 10 {
		t.Fatalf("docs/transactions.md has %d examples only", len(all))
	}
	var databases []string
	for i := range all {
		databases = append(databases, fmt.Sprintf("example%d=%s", i, copyStore(t)))
	}
	address := serveStores(t, databases...)
	for i, e := range all {
		t.Run(e.name, func(t *testing.T) { e.run(t, address, fmt.Sprintf("example%d", i)) })
	}
}

func (e *example) run(t *testing.T, address *url.URL, database string) {
	at := *address
	at.User, at.Path, at.RawQuery = url.User("tester"), "/"+database, "sslmode=disable&timezone=UTC"
	conns := make([]*pgconn.PgConn, len(e.sessions))
	for i := range conns {
		c, err := pgconn.Connect(t.Context(), at.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		conns[i] = c
	}
	for n, row := range e.rows {
		for i, cell := range row {
			if cell == "" {
				continue
			}
			parts := step.FindStringSubmatch(cell)
			if parts == nil {
				t.Fatalf("row %d, %s: the cell %q is no statement with its answer", n+1, e.sessions[i], cell)
			}
			results, err := conns[i].Exec(t.Context(), parts[1]).ReadAll()
			if got := answer(results, err); !slices.Contains(got, parts[2]) {
				t.Errorf("row %d, %s: %s\nanswered: %s\nthe page: %s", n+1, e.sessions[i], parts[1], got[len(got)-1], parts[2])
			}
		}
	}
}

// answer is what a page may say that a string was answered, from the shortest to
// the longest: of an error DETAIL and HINT may be left out, of a statement without
// rows its tag.
func answer(results []*pgconn.Result, err error) (forms []string) {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		text := e.Code + " " + e.Message
		forms = append(forms, text)
		if e.Detail != "" {
			text += " DETAIL " + e.Detail
			forms = append(forms, text)
		}
		if e.Hint != "" {
			forms = append(forms, text+" HINT "+e.Hint)
		}
		return forms
	}
	if err != nil {
		return []string{err.Error()}
	}
	var all []string
	told := false
	for _, r := range results {
		var rows []string
		for _, row := range r.Rows {
			var values []string
			for _, v := range row {
				if v == nil {
					v = []byte("NULL")
				}
				values = append(values, string(v))
			}
			rows = append(rows, strings.Join(values, ", "))
		}
		switch {
		case len(rows) > 0:
			all = append(all, strings.Join(rows, "; "))
		case len(r.FieldDescriptions) > 0:
			all = append(all, "no rows")
		default:
			all = append(all, r.CommandTag.String())
			continue
		}
		told = true
	}
	if !told {
		forms = append(forms, "")
	}
	return append(forms, strings.Join(all, ", then "))
}
