package compat

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/testenv"
)

// command is a line of corpus/psql/commands.txt.
type command struct {
	text    string
	differs string // why the answers are to differ
}

// TestPsqlCommands lets psql describe the shop and PostgreSQL's own objects, here and in
// PostgreSQL. Rows about ontosql's own schemas are left out, and the numbers of rows.
func TestPsqlCommands(t *testing.T) {
	theirs, ours := postgresTools(t), serveShop(t)
	fillShop(t, connectClient(t, ours))
	commands := psqlCommands(t)
	want, got := psqlSays(t, theirs, commands), psqlSays(t, ours, commands)
	for i, c := range commands {
		switch diff := cmp.Diff(want[i], got[i]); {
		case c.differs != "" && diff == "":
			t.Errorf("%s is said to differ and does not: %s", c.text, c.differs)
		case c.differs == "" && diff != "":
			t.Errorf("%s (-PostgreSQL +ontosql):\n%s", c.text, diff)
		}
	}
}

func psqlCommands(t *testing.T) (all []command) {
	t.Helper()
	text, err := os.ReadFile("corpus/psql/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var next command
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if reason, ok := strings.CutPrefix(line, "# differs: "); ok {
			next.differs = reason
		}
		if strings.HasPrefix(line, `\`) {
			next.text = line
			all, next = append(all, next), command{}
		}
	}
	return all
}

// psql puts next between the answers of two commands, and record behind each row: a
// cell may have several lines.
const next, record = "-- the next command --\n", "\x1e"

// psqlSays is what psql prints for each command.
func psqlSays(t *testing.T, dsn string, commands []command) (answers [][]string) {
	t.Helper()
	server, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&in, "%s\n\\echo '%s'\n\\warn '%[2]s'\n", c.text, strings.TrimSuffix(next, "\n"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, testenv.Psql(t), "-X", "-q", "-A", "-R", record, "-d", dsn)
	cmd.Env = append(os.Environ(), "PGCLIENTENCODING=UTF8", "PAGER=cat", "LC_ALL=C.UTF-8", "PGOPTIONS=")
	cmd.Stdin = strings.NewReader(in.String())
	var out, warned strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &warned
	if err := cmd.Run(); err != nil {
		t.Fatalf("psql: %v\n%s", err, warned.String())
	}
	said, complained := strings.Split(out.String(), next), strings.Split(warned.String(), next)
	for i := range commands {
		answers = append(answers, described(said[i]+complained[i], server.Port()))
	}
	return answers
}

// ownSchemas begin the rows about what only ontosql has.
var ownSchemas = []string{"ontosql", "history", "changes", "diff", "blame", "as_of"}

var (
	rowCount  = regexp.MustCompile(`^\(\d+ rows?\)$`)
	sizeShown = regexp.MustCompile(`\|\d+ (bytes|kB|MB)\|`)
)

// described are the rows and lines of an answer but for those about ontosql's own
// schemas and the numbers of rows. The port of the server, and the sizes of files,
// which each server has its own of, are left out.
func described(answer, port string) (lines []string) {
	answer = strings.ReplaceAll(answer, `"`+port+`"`, `"PORT"`)
	for line := range strings.FieldsFuncSeq(answer, func(r rune) bool { return string(r) == record }) {
		schema, _, isRow := strings.Cut(line, "|")
		if isRow && slices.Contains(ownSchemas, schema) || rowCount.MatchString(strings.TrimSpace(line)) {
			continue
		}
		lines = append(lines, sizeShown.ReplaceAllString(line, "|SIZE|"))
	}
	return lines
}
