// Package psql runs SQL files through the real psql against a gateway that
// serves the demo ontology, and compares what psql prints with the expected
// files, in the manner of PostgreSQL's own regression tests:
//
//	go test ./tests/psql -rewrite    # writes the expected files anew
package psql

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/internal/testenv"
)

var rewrite = flag.Bool("rewrite", false, "write the expected files anew")

// server is a gateway over the demo ontology, in a process of its own.
var server *url.URL

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := withServer(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests/psql:", err)
		code = 1
	}
	os.Exit(code)
}

func withServer(run func() int) (code int, err error) {
	tmp, err := os.MkdirTemp("", "ontosql-psql-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(tmp)
	binary := filepath.Join(tmp, "ontosql")
	build := exec.Command("go", "build", "-o", binary, "../../cmd/ontosql")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build: %w\n%s", err, out)
	}
	gateway := exec.Command(binary, "demo", "--dir", filepath.Join(tmp, "store"), "--cache-dir", filepath.Join(tmp, "cache"), "--listen", "127.0.0.1:0")
	gateway.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	gateway.Stderr = os.Stderr
	out, err := gateway.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := gateway.Start(); err != nil {
		return 1, err
	}
	defer func() {
		_ = gateway.Process.Signal(syscall.SIGTERM)
		if stopped := gateway.Wait(); stopped != nil && err == nil {
			code, err = 1, fmt.Errorf("the gateway did not drain and exit 0: %w", stopped)
		}
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		return 1, fmt.Errorf("the gateway said nothing: %w", lines.Err())
	}
	if server, err = url.Parse(strings.TrimPrefix(lines.Text(), "ready ")); err != nil {
		return 1, err
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return run(), nil
}

// psql runs psql on a file, its input echoed as pg_regress does.
func psql(t *testing.T, file, database string) string {
	t.Helper()
	program := testenv.Psql(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dsn := fmt.Sprintf("host=%s port=%s dbname=%s user=tester", server.Hostname(), server.Port(), database)
	cmd := exec.CommandContext(ctx, program, "-X", "-a", "-q", "-d", dsn)
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd.Stdin = in
	cmd.Env = append(os.Environ(), "PGCLIENTENCODING=UTF8", "PGTZ=UTC", "PAGER=cat", "LC_ALL=C.UTF-8", "PGOPTIONS=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		t.Fatalf("psql < %s: %v\n%s", file, context.Cause(ctx), out.String())
	}
	return out.String()
}

// varying are parts of psql's output that differ from run to run.
var varying = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`commits/(\d+)-[0-9a-f]{8}`), "commits/$1-xxxxxxxx"},
	{regexp.MustCompile(`"ontosql_attempt": ?"[0-9a-f]{8}"`), `"ontosql_attempt": "xxxxxxxx"`},
	{regexp.MustCompile(`(Time: |Planning Time: |Execution Time: )[0-9.]+ ms`), "${1}x ms"},
	{regexp.MustCompile(`port \d+ failed`), "port NNNN failed"},
	{regexp.MustCompile(`internal error [0-9a-f]{8}`), "internal error xxxxxxxx"},
}

// TestFiles runs every sql/*.sql. A file whose first line is "-- database: NAME"
// connects to that database.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("sql/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sql/*.sql files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sql")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			database := "onto"
			first, _, _ := strings.Cut(string(text), "\n")
			if named, ok := strings.CutPrefix(first, "-- database: "); ok {
				database = strings.TrimSpace(named)
			}
			got := psql(t, file, database)
			for _, v := range varying {
				got = v.pattern.ReplaceAllString(got, v.with)
			}
			expected := filepath.Join("expected", name+".out")
			if *rewrite {
				if err := os.WriteFile(expected, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("psql printed something else for %s (-expected +printed):\n%s", file, diff)
			}
		})
	}
}

// TestReadme runs the session of the README and compares what psql prints with
// what the README says it does.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, found := strings.Cut(string(text), "```\n$ psql ")
	session, _, ended := strings.Cut(session, "```")
	if !found || !ended {
		t.Fatal("README.md has no session that begins with $ psql")
	}
	const prompt = "onto=# "
	var input, want []string
	for _, line := range strings.Split(session, "\n")[1:] {
		if statement, is := strings.CutPrefix(line, prompt); is {
			input = append(input, statement)
		} else {
			want = append(want, line)
		}
	}
	if len(input) == 0 {
		t.Fatalf("the README's session has no line that begins with %q", prompt)
	}
	file := filepath.Join(t.TempDir(), "readme.sql")
	if err := os.WriteFile(file, []byte("\\set ECHO none\n"+strings.Join(input, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := strings.TrimPrefix(psql(t, file, "onto"), "\\set ECHO none\n")
	if diff := cmp.Diff(strings.TrimSpace(strings.Join(want, "\n")), strings.TrimSpace(got)); diff != "" {
		t.Errorf("the README's session (-README +psql):\n%s", diff)
	}
}
