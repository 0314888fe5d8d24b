package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/fixtures"
)

// originalEvents is what the original's commands answered about the events of a fixture.
type originalEvents struct {
	Namespaces, Events, Sessions []map[string]any
	DeadLetters                  []map[string]any `json:"dead_letters"`
	Inspect                      []map[string]any
}

// TestEventsAsOriginal: every answer about the events of the fixtures is the original's, member for
// member.
func TestEventsAsOriginal(t *testing.T) {
	for _, name := range []string{"sqlite-v1", "sqlite-v2", "s3-v1", "s3-v2"} {
		t.Run(name, func(t *testing.T) {
			want := decoded[struct{ Events originalEvents }](t, string(fixtures.File(t, name+"/expected.json"))).Events
			var flags []string
			if strings.HasPrefix(name, "sqlite") {
				_, flags = fixtureFile(t, name)
				want.Namespaces[0]["sessions"] = 0.0 // its session was alive then
			} else {
				_, flags = fixtureDir(t, name+"/stage3-final")
			}
			for _, s := range want.Sessions {
				s["is_dead"] = true
			}
			ask := func(line string) string {
				t.Helper()
				code, out, problem := command(t, withFlags(line, append([]string{"--json"}, flags...)...)...)
				if code != exitOK || problem != "" {
					t.Fatalf("%s: exit %d, %s", line, code, problem)
				}
				return out
			}
			same := func(line string, want any) {
				t.Helper()
				wanted, _ := json.Marshal(want)
				if diff := cmp.Diff(decoded[any](t, string(wanted)), decoded[any](t, ask(line))); diff != "" {
					t.Errorf("%s (-original +got):\n%s", line, diff)
				}
			}
			same("events list-namespaces", want.Namespaces)
			same("events sessions --namespace fixtures", want.Sessions)
			same("events show --namespace fixtures", want.Events)
			same("events show --namespace fixtures --limit 2", want.Events[:2])
			same("events show --namespace fixtures --limit 0", []any{})
			same("events show --namespace nobody", []any{})
			same("events dead-letters --namespace fixtures", want.DeadLetters)
			same("events dead-letters --namespace fixtures --limit 0", []any{})
			for _, e := range want.Inspect {
				same("events inspect --event-id "+e["id"].(string), e)
				same("events inspect --namespace fixtures --event-id "+e["id"].(string), e)
			}
			id := want.Events[0]["id"].(string)
			again := decoded[replayedEvent](t, ask("events replay --namespace fixtures --event-id "+id))
			if again.Replayed != id || again.New == id || again.Namespace != "fixtures" {
				t.Errorf("replay: %+v", again)
			}
			shown := decoded[[]map[string]any](t, ask("events show --namespace fixtures"))
			if last := shown[3]; last["id"] != again.New || last["status"] != "pending" || last["type"] != want.Events[0]["type"] {
				t.Errorf("the replayed event: %v", last)
			}
			if gone := decoded[map[string]any](t, ask("events cleanup --namespace fixtures --before 1h")); gone["deleted"] != 3.0 || gone["namespace"] != "fixtures" || gone["before"] == "" {
				t.Errorf("cleanup: %v", gone)
			}
			if left := decoded[[]map[string]any](t, ask("events show --namespace fixtures")); len(left) != 1 || left[0]["id"] != again.New {
				t.Errorf("after the cleanup: %v", left)
			}
			same("events dead-letters --namespace fixtures", want.DeadLetters)
		})
	}
}

// TestEventsRefused: exit codes.
func TestEventsRefused(t *testing.T) {
	_, file := fixtureFile(t, "sqlite-v1")
	_, dir := fixtureDir(t, "s3-v1/stage3-final")
	empty := []string{"--storage-uri", t.TempDir()}
	missing := []string{"--storage-uri", filepath.Join(t.TempDir(), "none")}
	noFile := []string{"--db", filepath.Join(t.TempDir(), "none.db")}
	secret := script(t, "secret", "\n")
	work := "events work --handler h --on t "
	for _, c := range []struct {
		line  string
		flags [][]string
		code  int
		says  string
	}{
		{"events", [][]string{file}, exitUsage, "want a subcommand"},
		{"events nothing", [][]string{file}, exitUsage, "want a subcommand"},
		{"events show", [][]string{file, dir}, exitUsage, "events show: want --namespace"},
		{"events show --namespace n --limit -1", [][]string{file, dir}, exitUsage, "--limit -1"},
		{"events sessions", [][]string{file, dir}, exitUsage, "want --namespace"},
		{"events cleanup --namespace n", [][]string{file, dir}, exitUsage, "want --before"},
		{"events cleanup --namespace n --before 7x", [][]string{file, dir}, exitExecution, "want an age"},
		{"events cleanup --namespace n --before 99999999d", [][]string{file, dir}, exitExecution, "want an age"},
		{"events cleanup --namespace n --before -1d", [][]string{file, dir}, exitExecution, "want an age"},
		{"events replay --namespace fixtures", [][]string{file, dir}, exitUsage, "want --event-id"},
		{"events replay --namespace fixtures --event-id nope", [][]string{file, dir}, exitExecution, "no such event"},
		{"events inspect", [][]string{file, dir}, exitUsage, "want --event-id"},
		{"events inspect --event-id nope", [][]string{file, dir}, exitGeneral, "no such event"},
		{"events list-namespaces", [][]string{empty, missing, noFile}, exitOpen, ""},
		{"events show --namespace n", [][]string{empty, missing, noFile}, exitOpen, ""},
		{"events enqueue --type t", [][]string{empty, missing, noFile}, exitOpen, ""},
		{work + "--exec /bin/true", [][]string{empty, missing, noFile}, exitOpen, ""},
		{"events enqueue", [][]string{file, dir}, exitUsage, "want --type"},
		{"events enqueue --type t --payload []", [][]string{file, dir}, exitUsage, "not a JSON object"},
		{"events enqueue --type t --parent nope", [][]string{file, dir}, exitExecution, "no such event"},
		{"events tail --since 1y", [][]string{file}, exitUsage, "--since"},
		{"events work", [][]string{file}, exitUsage, "want one of --exec, --sql and --webhook"},
		{"events work --exec /bin/true", [][]string{file}, exitUsage, "want --handler and --on"},
		{"events work --handler h --schedule x", [][]string{file}, exitUsage, "--handler and --on want"},
		{work + "--exec /bin/true --webhook http://x", [][]string{file}, exitUsage, "want one of"},
		{work + "--exec ./no-such-program", [][]string{file}, exitUsage, "--exec"},
		{work + "--sql no-such-file", [][]string{file}, exitUsage, "--sql"},
		{work + "--sql " + secret, [][]string{file}, exitUsage, "the file is empty"},
		{work + "--webhook ftp://x", [][]string{file}, exitUsage, "--webhook: want a URL"},
		{work + "--webhook http://x --webhook-secret-file " + secret, [][]string{file}, exitUsage, "the file is empty"},
		{work + "--webhook http://x --emit", [][]string{file}, exitUsage, "--emit"},
		{work + "--exec /bin/true --concurrency 0", [][]string{file}, exitUsage, "--concurrency"},
		{work + "--exec /bin/true --max-attempts 0", [][]string{file}, exitUsage, "--max-attempts"},
		{work + "--exec /bin/true --lease 10ms", [][]string{file}, exitUsage, "--lease"},
		{work + "--exec /bin/true --poll 0s", [][]string{file}, exitUsage, "--poll"},
		{work + "--exec /bin/true --namespace ../x", [][]string{dir}, exitExecution, "namespace"},
	} {
		for _, flags := range c.flags {
			if code, _, problem := command(t, withFlags(c.line, flags...)...); code != c.code || !strings.Contains(problem, c.says) {
				t.Errorf("%s %v: exit %d, want %d: %s", c.line, flags, code, c.code, problem)
			}
		}
	}
	for _, schedule := range []string{"* * * * *", "* * * * * t {", "60 * * * * t", "0 0 30 2 * t", "* * * * * t []"} {
		if code, _, problem := command(t, append([]string{"events", "work", "--schedule", schedule}, file...)...); code != exitUsage || !strings.Contains(problem, "--schedule") {
			t.Errorf("--schedule %q: exit %d, %s", schedule, code, problem)
		}
	}
}

// script writes a file of the test that may be run.
func script(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
