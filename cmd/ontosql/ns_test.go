package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
)

// TestNamesSession runs the session of docs/names.md. What a command prints is compared where the
// document shows it.
func TestNamesSession(t *testing.T) {
	text, err := os.ReadFile("../../docs/names.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	_, session, _ := strings.Cut(string(text), "```\n")
	session, _, _ = strings.Cut(session, "```")
	steps := strings.Split(session, "$ ontosql ")[1:]
	if len(steps) < 10 {
		t.Fatalf("the session has %d commands", len(steps))
	}
	for _, step := range steps {
		line, want, _ := strings.Cut(step, "\n")
		code, got, problem := command(t, strings.Fields(line)...)
		if code != exitOK || problem != "" || want != "" && got != want {
			t.Errorf("%s: exit %d, %s\n got %s\nwant %s", line, code, problem, got, want)
		}
	}
}

// names runs commands on a name service.
type names struct {
	*testing.T
	flags []string
}

func newNames(t *testing.T) *names {
	n := &names{t, []string{"--nameservice", filepath.Join(t.TempDir(), "names")}}
	n.run("ns init", exitOK)
	return n
}

// run runs a command line and returns what it prints, errors too.
func (n *names) run(line string, want int) string {
	n.Helper()
	code, out, problem := command(n.T, withFlags(line, n.flags...)...)
	if code != want || (problem == "") != (want == exitOK) {
		n.Errorf("%s: exit %d, want %d: %s", line, code, want, problem)
	}
	return out + problem
}

// TestNamesInATable runs the commands on a table of DynamoDB.
func TestNamesInATable(t *testing.T) {
	uri := "dynamodb://ns-commands?endpoint=" + testenv.DynamoDB(t)
	n := &names{t, []string{"--nameservice", uri}}
	if said := n.run("ns list", exitOpen); !strings.Contains(said, "ns init") || !strings.Contains(said, "ns-commands") {
		t.Errorf("without a table: %s", said)
	}
	n.run("ns init --state-index", exitOK)
	n.run("ns init", exitOK)
	n.run("ns create shop", exitOK)
	n.run("ns create shop", exitConflict)
	n.run(`ns push shop head 42 {"t":42} --expect-v 0`, exitOK)
	n.run(`ns push shop head 43 {"t":43} --expect-v 41`, exitConflict)
	n.run(`ns push shop config 1 {"x":1e200}`, exitUsage)
	n.run("ns lock shop index --holder me", exitOK)
	n.run("ns unlock shop index --holder me", exitOK)
	n.run("ns retract shop", exitOK)
	if said := n.run("ns list --type ledger", exitOK); !strings.Contains(said, "retracted") {
		t.Errorf("the list: %s", said)
	}
	n.run("ns create other --file-per-concern", exitUsage)
	n.run("ns sync --nameservice-upstream "+uri, exitUsage)
	upstream := &names{t, []string{"--nameservice", filepath.Join(t.TempDir(), "names"), "--nameservice-upstream", uri}}
	upstream.run("ns init", exitOK)
	upstream.run("ns sync", exitOK)
	if said := upstream.run("ns show shop", exitOK); !strings.Contains(said, "retracted: true") {
		t.Errorf("pulled from the table: %s", said)
	}
}

// TestTablesAreNoStorage: a table keeps a name service and no ontology, and its address has no password.
func TestTablesAreNoStorage(t *testing.T) {
	if code, _, said := command(t, "info", "--storage-uri", "dynamodb://names"); code != exitUsage || !strings.Contains(said, "--nameservice") {
		t.Errorf("as a storage: exit %d, %s", code, said)
	}
	if code, _, said := command(t, "ns", "list", "--nameservice", "dynamodb://key:pass-word@names"); code != exitUsage || strings.Contains(said, "pass-word") {
		t.Errorf("with credentials: exit %d, %s", code, said)
	}
}

// TestNamesConflicts: exit codes of pushes, locks and records that are there or not.
func TestNamesConflicts(t *testing.T) {
	n := newNames(t)
	n.run("ns create shop", exitOK)
	n.run("ns create shop:main", exitConflict)
	n.run(`ns push shop head 1 {"t":1}`, exitOK)
	n.run(`ns push shop head 1 {"t":1}`, exitOK) // it is there
	if out := n.run(`ns push shop head 1 {"t":"other"}`, exitConflict); !strings.Contains(out, `head is at 1, with {"t":1}`) {
		t.Errorf("a push that has diverged: %s", out)
	}
	n.run(`ns push shop head 2 {"t":2} --expect-v 1 --expect {"t":9}`, exitConflict)
	n.run(`ns push shop head 2 {"t":2} --expect-v 1 --expect {"t":1}`, exitOK)
	n.run(`ns push shop config 1 {} --expect-v 7`, exitConflict)
	n.run(`ns push none head 1 {}`, exitExecution)
	n.run(`ns push none head 1 {} --expect-v 0`, exitExecution)
	n.run("ns show none", exitExecution)
	n.run("ns watch none --once", exitExecution)
	n.run("ns lock shop index --holder a --target-t 2", exitOK)
	if out := n.run("ns lock shop index --holder b", exitConflict); !strings.Contains(out, "a holds the index_lock until") {
		t.Errorf("a lock that is held: %s", out)
	}
	n.run("ns lock shop index --holder b --refresh", exitConflict)
	n.run("ns unlock shop index --holder b", exitConflict)
	n.run("ns lock shop index --holder a --refresh --lease 1h", exitOK)
	n.run("ns unlock shop index --holder a", exitOK)
	r := decoded[nameservice.Record](t, n.run("ns show shop --json", exitOK))
	if r.Head.V != 2 || r.Status.V != 4 || nameservice.HeldLock(r.Status, nameservice.IndexLock) != nil {
		t.Errorf("the record at the end: %s", r.Members().Encode())
	}
}

// TestNamesUsage: command lines that make no sense.
func TestNamesUsage(t *testing.T) {
	n := newNames(t)
	n.run("ns create shop", exitOK)
	for _, line := range []string{
		"ns", "ns nothing", "ns list --unknown", "ns list x", "ns create", "ns create a@1", "ns create a --type vg:x", "ns create vg:a",
		"ns show", "ns show a b", "ns push shop head 1", "ns push shop tail 1 {}", "ns push shop head x {}", "ns push shop head 1 []",
		"ns push shop index 1 {} --expect-v 0 --expect {}", "ns push shop head 1 {} --expect {}", "ns lock shop", "ns lock shop write --holder a",
		"ns lock shop index", "ns unlock shop index", "ns watch --interval 0s", "ns watch --concern x", "ns sync", "ns purge",
	} {
		n.run(line, exitUsage)
	}
	for _, flags := range [][]string{nil, {"--nameservice", "x.db"}, {"--nameservice", "ftp://x"}} {
		n.flags = flags
		n.run("ns list", exitUsage)
	}
	n.flags = []string{"--nameservice", filepath.Join(t.TempDir(), "none")}
	n.run("ns list", exitOpen)
}

// TestNamesPurge: a record is removed with the token of its state, after it was retracted.
func TestNamesPurge(t *testing.T) {
	n := newNames(t)
	n.run("ns create shop", exitOK)
	n.run("ns purge shop", exitDropSafety)
	n.run("ns retract shop --reason moved", exitOK)
	token := decoded[purgePlan](t, n.run("ns purge shop --json", exitOK)).Token
	n.run("ns purge shop --token 0", exitDropSafety)
	n.run(`ns push shop config 1 {"a":1}`, exitOK)
	n.run("ns purge shop --token "+token, exitDropSafety)
	r := decoded[nameservice.Record](t, n.run("ns show shop --json", exitOK))
	if !r.Retracted || !strings.Contains(string(r.Status.Payload), `"reason":"moved"`) {
		t.Errorf("the retracted record: %s", r.Members().Encode())
	}
	token = decoded[purgePlan](t, n.run("ns purge shop --json", exitOK)).Token
	n.run("ns purge shop --token "+token, exitOK)
	n.run("ns purge shop --token "+token, exitExecution)
	n.run("ns show shop", exitExecution)
	n.run("ns create shop --file-per-concern", exitOK)
	if _, err := os.Stat(filepath.Join(n.flags[1], "ns@v2/shop/main.head.json")); err != nil {
		t.Error(err)
	}
}

// TestNamesMigrate: records of version 1 are shown, and stored as version 2; a damaged one is a warning.
func TestNamesMigrate(t *testing.T) {
	n := newNames(t)
	for name, body := range map[string]string{
		"old": `{"ledger_alias":"old:main","commit_address":"x","commit_t":3,"status":"ready"}`,
		"bad": `{"pk":`,
	} {
		if err := os.MkdirAll(filepath.Join(n.flags[1], "ns@v2", name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(n.flags[1], "ns@v2", name, "main.json"), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"1 of 1 records migrated: old:main\n", "0 of 1 records migrated\n"} {
		code, out, problem := command(t, withFlags("ns migrate", n.flags...)...)
		if code != exitOK || out != want || !strings.Contains(problem, "ns@v2/bad/main.json") {
			t.Errorf("ns migrate: exit %d, %q, want %q and a warning: %s", code, out, want, problem)
		}
	}
	if out := n.run("ns show bad", exitExecution); !strings.Contains(out, "ns@v2/bad/main.json") {
		t.Errorf("a damaged record: %s", out)
	}
}

// TestNamesUpstream: a local name service and its upstream, by separate commands.
func TestNamesUpstream(t *testing.T) {
	up := newNames(t)
	one, other := newNames(t), newNames(t)
	alone := &names{t, one.flags}
	for _, n := range []*names{one, other} {
		n.flags = append(n.flags, "--nameservice-upstream", up.flags[1])
	}
	one.run("ns create shop", exitOK)
	one.run(`ns push shop head 1 {"t":1}`, exitOK)
	other.run("ns sync", exitOK)
	other.run(`ns push shop head 2 {"by":"other"} --expect-v 1 --expect {"t":1}`, exitOK)
	alone.run(`ns push shop head 3 {"by":"one"}`, exitOK)
	for range 2 {
		done := decoded[syncedNames](t, strings.Split(one.run("ns sync --json", exitConflict), "ontosql:")[0])
		if len(done.Diverged) != 1 || done.Diverged[0] != "shop:main: head has diverged: 3 here, 2 upstream" {
			t.Errorf("ns sync: %+v", done)
		}
	}
	up.run(`ns push shop head 3 {"by":"one"}`, exitOK)
	one.run("ns sync", exitOK)
	other.run("ns sync", exitOK)
	if r := decoded[nameservice.Record](t, other.run("ns show shop --json", exitOK)); string(r.Head.Payload) != `{"by":"one"}` {
		t.Errorf("the other site has %s", r.Head.Payload)
	}
}

// TestNamesForward: a push that is forwarded is made upstream, and here only when it is pulled.
func TestNamesForward(t *testing.T) {
	up, n := newNames(t), newNames(t)
	n.run(`ns push shop head 1 {"t":1} --forward`, exitUsage)
	n.flags = append(n.flags, "--nameservice-upstream", up.flags[1])
	n.run(`ns push shop head 1 {"t":1} --forward`, exitExecution)
	n.run("ns create shop", exitOK)
	n.run(`ns push shop head 1 {"t":1} --forward`, exitOK)
	head := func(n *names) string {
		return string(decoded[nameservice.Record](t, n.run("ns show shop --json", exitOK)).Head.Payload)
	}
	if there, here := head(up), head(n); there != `{"t":1}` || here != "null" && here != "" {
		t.Errorf("after the push the upstream has %s and the local name service has %s", there, here)
	}
	n.run(`ns push shop head 1 {"t":"other"} --forward`, exitConflict)
	n.run("ns sync", exitOK)
	if here := head(n); here != `{"t":1}` {
		t.Errorf("after the sync the local name service has %s", here)
	}
}

// TestNamesWatch: a watch prints what there is, then changes of others and records that appear or go,
// each as a line of JSON, and ends when it is interrupted.
func TestNamesWatch(t *testing.T) {
	n := newNames(t)
	n.run("ns create shop", exitOK)
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan int)
	go func() {
		ended <- run(ctx, withFlags("ns watch --json --interval 10ms", n.flags...), strings.NewReader(""), writer, io.Discard)
	}()
	lines := bufio.NewScanner(reader)
	next := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("the watch prints %s, want %s", lines.Text(), want)
		}
	}
	next(`{"pk":"shop:main","type":"ledger","concern":"status","v":1,"payload":{"state":"ready"}}`)
	n.run(`ns push shop head 42 {"t":42}`, exitOK)
	next(`{"pk":"shop:main","type":"ledger","concern":"head","v":42,"payload":{"t":42}}`)
	n.run("ns create vg:search --type vg:bm25", exitOK)
	next(`{"pk":"vg:search:main","type":"vg:bm25","concern":"status","v":1,"payload":{"state":"ready"}}`)
	n.run("ns retract shop", exitOK)
	if lines.Scan() {
		if c := decoded[seenChange](t, lines.Text()); c.PK != "shop:main" || c.Concern != "status" || c.V != 2 {
			t.Errorf("the watch prints %s, want the retraction", lines.Text())
		}
	}
	n.run("ns purge shop --token "+decoded[purgePlan](t, n.run("ns purge shop --json", exitOK)).Token, exitOK)
	next(`{"pk":"shop:main","type":"ledger","v":0,"payload":null,"gone":true}`)
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("the watch ends with exit code %d, want %d", code, exitOK)
	}
}
