package drivers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// page is what the clients found, for people.
const page = "../../docs/clients.md"

const preamble = `# Clients

This page lists the cases that the tests run with each client. Every client connects with SCRAM-SHA-256 over TLS. Where it can, it uses channel binding and checks the server's certificate and name. The common cases are: read the schema, read and send every type, write, roll back, meet an error and continue, cancel a statement, and read the past in the [five ways](sql/time-travel.md#five-ways-to-name-the-past). Cases that only one client has are listed with that client.

` + "`go test ./tests/drivers -rewrite`" + ` runs the clients and writes this page. Do not edit it.

SQLAlchemy's own test suite for dialects runs, too, in a schema of the workspace, with the features that it states of PostgreSQL. What PostgreSQL 15 passes passes here, but for: enumerated types (CREATE TYPE is 0A000), columns that are arrays of several dimensions, and tables without columns. Two tests without ORDER BY get their rows in another order. For time the suite leaves out its tests that reflect several tables at once.
`

// section is what the page says of a client.
type section struct {
	client  client
	who     about
	results []result
}

func (s section) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", s.client.name)
	var passed []string
	var failed strings.Builder
	for _, r := range s.results {
		if known, ok := s.client.known[r.Case]; ok {
			fmt.Fprintf(&failed, "| %s | %s |\n", r.Case, known.reason)
		} else {
			passed = append(passed, r.Case)
		}
	}
	fmt.Fprintf(&b, "Version %s. Passes: %s.\n", s.who.Version, strings.Join(passed, "; "))
	if failed.Len() > 0 {
		fmt.Fprintf(&b, "\n| does not pass | because |\n|---|---|\n%s", failed.String())
	}
	return b.String()
}

// compare fails where the page says something else of the client.
func (s section) compare(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "## "+s.client.name+"\n")
	body, _, _ := strings.Cut(rest, "\n## ")
	if version, _, found := strings.Cut(strings.TrimPrefix(body, "\nVersion "), ". Passes: "); found && s.client.distro {
		s.who.Version = version
	}
	got := "## " + s.client.name + "\n" + strings.TrimSuffix(body, "\n") + "\n"
	if diff := cmp.Diff(got, s.String()); diff != "" {
		t.Errorf("%s says something else (-page +seen); -rewrite writes it:\n%s", page, diff)
	}
}

func writePage(t *testing.T, sections []section) {
	t.Helper()
	var b strings.Builder
	b.WriteString(preamble)
	b.WriteString("\n| client | version | cases | pass |\n|---|---|---|---|\n")
	for _, s := range sections {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %d | %d |\n", s.client.name, anchor(s.client.name), s.who.Version, len(s.results), len(s.results)-len(s.client.known))
	}
	for _, s := range sections {
		b.WriteString("\n" + s.String())
	}
	if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// anchor is how a page's viewer names a heading in links.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("/.:", r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(strings.ToLower(heading), " ", "-"))
}
