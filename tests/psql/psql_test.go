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
	"errors"
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

// server is a gateway over the demo ontology, in a process of its own; store is
// where that is kept, binary the program.
var (
	server        *url.URL
	store, binary string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testenv.Main("tests/psql", func(built, tmp string) (int, error) {
		binary, store = built, filepath.Join(tmp, "store")
		return withServer(tmp, m.Run)
	}))
}

func withServer(tmp string, run func() int) (code int, err error) {
	address, stop, err := serve("demo", "--dir", store, "--cache-dir", filepath.Join(tmp, "cache"))
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopped := stop(); stopped != nil && err == nil {
			code, err = 1, stopped
		}
	}()
	server = address
	return run(), nil
}

// serve starts a gateway and waits until it accepts connections.
func serve(args ...string) (address *url.URL, stop func() error, err error) {
	gateway := exec.Command(binary, append(args, "--listen", "127.0.0.1:0")...)
	gateway.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	gateway.Stderr = os.Stderr
	out, err := gateway.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := gateway.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() error {
		_ = gateway.Process.Signal(syscall.SIGTERM)
		if err := gateway.Wait(); err != nil {
			return fmt.Errorf("the gateway did not drain and exit 0: %w", err)
		}
		return nil
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() {
		address, err = url.Parse(strings.TrimPrefix(lines.Text(), "ready "))
	} else {
		err = fmt.Errorf("the gateway said nothing: %w", lines.Err())
	}
	if err != nil {
		return nil, nil, errors.Join(err, stop())
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return address, stop, nil
}

// serveCopy serves a copy of the demo ontology, for a file that writes.
func serveCopy(t *testing.T) *url.URL {
	t.Helper()
	tmp := t.TempDir()
	copied := filepath.Join(tmp, "store")
	copyStore(t, copied)
	return serveStore(t, copied, tmp)
}

// copyStore makes a copy of the demo ontology.
func copyStore(t *testing.T, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(store)); err != nil {
		t.Fatal(err)
	}
}

// serveStore serves the ontology in a directory. What can be rebuilt lies below tmp.
func serveStore(t *testing.T, copied, tmp string) *url.URL {
	t.Helper()
	return served(t, "serve", "--db", "onto=file://"+copied, "--cache-dir", filepath.Join(tmp, "cache"))
}

// served is serve until the end of a test.
func served(t *testing.T, args ...string) *url.URL {
	t.Helper()
	address, stop, err := serve(args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return address
}

// psql runs psql on a file, its input echoed as pg_regress does. Another psql
// that the file starts by \! goes to the same database.
func psql(t *testing.T, server *url.URL, file, database string) string {
	t.Helper()
	program := testenv.Psql(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-X", "-a", "-q")
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd.Stdin = in
	cmd.Dir = t.TempDir() // where its files go
	cmd.Env = append(os.Environ(), "PGCLIENTENCODING=UTF8", "PGTZ=UTC", "PAGER=cat", "LC_ALL=C.UTF-8", "PGOPTIONS=",
		"PGHOST="+server.Hostname(), "PGPORT="+server.Port(), "PGDATABASE="+database, "PGUSER="+user(server))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && ctx.Err() != nil {
		t.Fatalf("psql < %s: %v\n%s", file, context.Cause(ctx), out.String())
	}
	return out.String()
}

// user is who psql is at a server, where its address does not say.
func user(server *url.URL) string {
	if name := server.User.Username(); name != "" {
		return name
	}
	return "tester"
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

// sqlFile is one of sql/*.sql.
type sqlFile struct{ path, name, first string }

func sqlFiles(t *testing.T) (files []sqlFile) {
	t.Helper()
	paths, err := filepath.Glob("sql/*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sql/*.sql files: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		files = append(files, sqlFile{path: path, name: strings.TrimSuffix(filepath.Base(path), ".sql"), first: first})
	}
	return files
}

// TestFiles runs every sql/*.sql. A file whose first line is "-- database: NAME"
// connects to that database, one that begins with "-- store: a copy" to a copy
// of the demo, which it may write to.
func TestFiles(t *testing.T) {
	for _, file := range sqlFiles(t) {
		t.Run(file.name, func(t *testing.T) {
			database, address := "onto", server
			if named, ok := strings.CutPrefix(file.first, "-- database: "); ok {
				database = strings.TrimSpace(named)
			}
			switch file.first {
			case "-- store: a copy":
				address = serveCopy(t)
			case asPostgres:
				address = serveCopyWithDocument(t)
			}
			got := psql(t, address, file.path, database)
			for _, v := range varying {
				got = v.pattern.ReplaceAllString(got, v.with)
			}
			expected := filepath.Join("expected", file.name+".out")
			// EXPLAIN tells the mirror's state.
			if other := filepath.Join("expected", file.name+"."+os.Getenv("ONTOSQL_TEST_MIRROR")+".out"); exists(other) {
				expected = other
			}
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
				t.Errorf("psql printed something else for %s (-expected +printed):\n%s", file.path, diff)
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// prompt is how a line of the README begins that is typed into psql, within a
// transaction or not.
var prompt = regexp.MustCompile(`^onto=\*?# `)

// TestReadme runs the sessions of the README on a copy of the demo, and compares
// what psql prints with what the README says it does.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
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
		t.Fatalf("the README's sessions have the lines %q only", input)
	}
	file := filepath.Join(t.TempDir(), "readme.sql")
	if err := os.WriteFile(file, []byte("\\set ECHO none\n"+strings.Join(input, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := strings.TrimPrefix(psql(t, serveCopy(t), file, "onto"), "\\set ECHO none\n")
	blank := regexp.MustCompile(`\n\n+`)
	tidy := func(s string) string { return blank.ReplaceAllString(strings.TrimSpace(s), "\n") }
	if diff := cmp.Diff(tidy(strings.Join(want, "\n")), tidy(got)); diff != "" {
		t.Errorf("the README's sessions (-README +psql):\n%s", diff)
	}
}
