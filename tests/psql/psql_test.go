// Package psql runs SQL files through the real psql against a gateway that
// serves the demo ontology, and compares what psql prints with the expected
// files, in the manner of PostgreSQL's own regression tests:
//
//	go test ./tests/psql -rewrite    # rewrites the expected files
//
// Most of the files that write have the same answers in PostgreSQL; they run there, too.
// The examples of README.md and docs/transactions.md run exactly as printed.
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

// copyStore is the directory of a copy of the demo ontology.
func copyStore(t *testing.T) string {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(copied, os.DirFS(store)); err != nil {
		t.Fatal(err)
	}
	return copied
}

// serveCopy serves a copy of the demo ontology, for a file that writes.
func serveCopy(t *testing.T) *url.URL {
	t.Helper()
	return serveStores(t, "onto="+copyStore(t))
}

// serveStores serves ontologies, each NAME=DIRECTORY, until the end of the test.
func serveStores(t *testing.T, databases ...string) *url.URL {
	t.Helper()
	args := []string{"serve", "--cache-dir", t.TempDir()}
	for _, db := range databases {
		args = append(args, "--db", db)
	}
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
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
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
			address := server
			switch file.first {
			case "-- store: a copy":
				address = serveCopy(t)
			case asPostgres:
				address = serveCopyWithDocument(t)
			}
			// EXPLAIN tells the mirror's state.
			file.compare(t, address, os.Getenv("ONTOSQL_TEST_MIRROR"))
		})
	}
}

// compare runs the file and compares what psql prints with what is expected: of this
// variant where there is such a file.
func (f *sqlFile) compare(t *testing.T, address *url.URL, variant string) {
	t.Helper()
	database := "onto"
	if named, ok := strings.CutPrefix(f.first, "-- database: "); ok {
		database = strings.TrimSpace(named)
	}
	got := psql(t, address, f.path, database)
	for _, v := range varying {
		got = v.pattern.ReplaceAllString(got, v.with)
	}
	expected := filepath.Join("expected", f.name+".out")
	if other := filepath.Join("expected", f.name+"."+variant+".out"); exists(other) {
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
		t.Errorf("psql printed something else for %s (-expected +printed):\n%s", f.path, diff)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
