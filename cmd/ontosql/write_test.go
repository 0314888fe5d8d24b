package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
)

// shopDir is a demo store and the flags that name it.
func shopDir(t *testing.T) (path string, flags []string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path = filepath.Join(t.TempDir(), "shop")
	if code, _, stderr := command(t, "demo", "--dir", path, "--fill-only"); code != exitOK {
		t.Fatalf("demo --fill-only: exit %d, %s", code, stderr)
	}
	return path, []string{"--storage-uri", path, "--runtime-id", "writer-t"}
}

// command runs the program.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// TestSQLCommands runs several commands, of which the third fails: those before are done,
// and the one behind is not.
func TestSQLCommands(t *testing.T) {
	_, flags := shopDir(t)
	insert := func(code string) string {
		return "INSERT INTO store (code, city, open) VALUES ('" + code + "', 'Riga', true)"
	}
	find := "SELECT code FROM store WHERE code LIKE 'n-%' ORDER BY 1"
	args := append([]string{"sql", "--format", "csv", "-c", insert("n-1"), "-c", find, "-c", "SELECT 1 / 0", "-c", insert("n-2")}, flags...)
	if code, out, problem := command(t, args...); code != exitExecution || !strings.HasPrefix(out, "code\nn-1\n") || !strings.Contains(problem, "division by zero") {
		t.Errorf("exit %d, stdout %q, stderr %q; want exit %d, the row n-1 and the error", code, out, problem, exitExecution)
	}
	if _, out, _ := command(t, append([]string{"sql", "--format", "csv", "-c", find}, flags...)...); out != "code\nn-1\n" {
		t.Errorf("found %q, want n-1", out)
	}
}

// TestSQLWrites runs writing statements without a server and checks what is printed and stored.
func TestSQLWrites(t *testing.T) {
	path, flags := shopDir(t)
	for _, c := range []struct {
		sql, format  string
		code         int
		out, problem string
	}{
		{"INSERT INTO store (code, city, open) VALUES ('s-8', 'Riga', true), ('s-9', 'Turku', true)", "table", exitOK, "INSERT 0 2\n", ""},
		{
			"INSERT INTO store (code, city, open) VALUES ('s-10', 'Vaasa', true) RETURNING code, city", "table", exitOK,
			" code | city\n------+-------\n s-10 | Vaasa\n(1 row)\n\nINSERT 0 1\n", "",
		},
		{"INSERT INTO store (code, city, open) VALUES ('s-11', 'Oulu', true) RETURNING code", "csv", exitOK, "code\ns-11\n", ""},
		{"INSERT INTO store (code, city, open) VALUES ('s-12', 'Pori', true) RETURNING code", "json", exitOK, "[\n  {\n    \"code\": \"s-12\"\n  }\n]\n", ""},
		{"INSERT INTO store (code, city, open) VALUES ('s-13', 'Kemi', true)", "json", exitOK, "", ""},
		{
			"INSERT INTO store (code, city, open) VALUES ('s-8', 'Oslo', true)", "table", exitExecution, "",
			"ERROR:  duplicate key value violates unique constraint \"store_pkey\"\nDETAIL:  Key (code)=(s-8) already exists.\n",
		},
		{
			"SET ontosql.expect_head = 1; INSERT INTO store (code, city, open) VALUES ('s-14', 'Bergen', true)", "csv", exitExecution, "",
			"ERROR:  could not serialize access because the head is not the expected one\nDETAIL:  Expected commit 1, the head is commit HEAD.\n" +
				"HINT:  Read again, and set ontosql.expect_head to the head that was read.\n",
		},
		{
			"SET ontosql.notice_commits = on; SET ontosql.commit_message = 'more'; INSERT INTO store (code, city, open) VALUES ('s-14', 'Bergen', true)", "csv", exitOK, "",
			"NOTICE:  committed as NEXT\n",
		},
	} {
		head := headOf(t, path)
		code, out, problem := command(t, append([]string{"sql", "-c", c.sql, "--format", c.format}, flags...)...)
		c.problem = strings.NewReplacer("HEAD", fmt.Sprint(head.CommitID), "NEXT", fmt.Sprint(head.CommitID+1)).Replace(c.problem)
		if code != c.code || out != c.out || problem != c.problem {
			t.Errorf("%s (%s): exit %d, stdout %q, stderr %q; want exit %d, %q, %q", c.sql, c.format, code, out, problem, c.code, c.out, c.problem)
		}
	}
	checkAtRest(t, path)
	_, out, _ := command(t, append([]string{
		"sql", "--format", "csv", "-c",
		"SELECT runtime_id, message, actor FROM ontosql.commits ORDER BY commit_id DESC LIMIT 1;" +
			"SELECT runtime_id FROM ontosql.storage_info; SELECT value, source FROM ontosql.settings WHERE name = 'runtime_id'",
	}, flags...)...)
	if want := "runtime_id,message,actor\nwriter-t,more,ontosql\nruntime_id\nwriter-t\nvalue,source\nwriter-t,flag\n"; out != want {
		t.Errorf("the last commit, the store and the settings name\n%swant\n%s", out, want)
	}
}

func headOf(t *testing.T, path string) *format.Head {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(path, format.HeadKey))
	if err != nil {
		t.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// checkAtRest checks a store whose writer has ended: sound, indexes up to date,
// no lock.
func checkAtRest(t *testing.T, path string) {
	t.Helper()
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	maintaintest.Clean(t, b)
	if _, _, err := b.Get(t.Context(), format.LockKey); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("the write lock of a writer that ended: %v, want none", err)
	}
	code, out, _ := command(t, "info", "--storage-uri", path, "--json")
	if code != exitOK || !strings.Contains(out, `"lagged_types": []`) {
		t.Errorf("info after a writer ended: exit %d, %s; want no lagging index", code, out)
	}
}

// TestServeSettlesAtTheEnd stops a server that holds the write lock and has a
// transaction open.
func TestServeSettlesAtTheEnd(t *testing.T) {
	path, flags := shopDir(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stdout, ready := io.Pipe()
	var problem bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...), strings.NewReader(""), ready, &problem)
	}()
	where, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server says %q, %v", where, err)
	}
	connect := func() *pgconn.PgConn {
		t.Helper()
		conn, err := pgconn.Connect(t.Context(), strings.TrimSpace(strings.TrimPrefix(where, "ready "))+"?user=ada&sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	execute := func(conn *pgconn.PgConn, sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	before := headOf(t, path).CommitID
	open, conn := connect(), connect()
	execute(open, "BEGIN; INSERT INTO store (code, city, open) VALUES ('never', 'Oslo', true)")
	execute(conn, "INSERT INTO store (code, city, open) VALUES ('s-8', 'Riga', true)")
	if _, err := os.Stat(filepath.Join(path, format.LockKey)); err != nil {
		t.Errorf("the lock behind a commit: %v, want it held a while", err)
	}
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("the server ended with exit %d and %s, want 0", code, problem.String())
	}
	if head := headOf(t, path); head.CommitID != before+1 || head.RuntimeID != "writer-t" {
		t.Errorf("the head is commit %d by %s, want %d by writer-t", head.CommitID, head.RuntimeID, before+1)
	}
	if _, err := open.Exec(t.Context(), "COMMIT").ReadAll(); err == nil {
		t.Error("COMMIT after the end of the server succeeded")
	}
	checkAtRest(t, path)
}

// TestWriterOptions gives a writer names and times from every source, good and
// bad.
func TestWriterOptions(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--runtime-id a/b", `--runtime-id "a/b"`},
		{"--runtime-id -a", `--runtime-id "-a"`},
		{"--runtime-id " + strings.Repeat("a", 129), "up to 127"},
		{"--s3-lock-timeout-ms 0", "--s3-lock-timeout-ms 0"},
		{"--s3-lock-timeout-ms 99999999999999999", "--s3-lock-timeout-ms"},
		{"--s3-lease-ttl-ms 999", "--s3-lease-ttl-ms 999"},
		{"--s3-lease-ttl-ms 99999999999999999", "--s3-lease-ttl-ms"},
	} {
		store := t.TempDir()
		code, _, problem := command(t, append([]string{"sql", "-c", "SELECT 1", "--storage-uri", store, "--cache-dir", t.TempDir()}, strings.Fields(c.args)...)...)
		if code != exitUsage || !strings.Contains(problem, c.says) {
			t.Errorf("%s: exit %d, %q; want a usage error that says %q", c.args, code, problem, c.says)
		}
	}

	t.Setenv("ONTOSQL_RUNTIME_ID", "from-environment")
	var p program
	p.out, p.err = io.Discard, io.Discard
	root := p.command()
	root.SetArgs([]string{"sql", "--storage-uri", filepath.Join(t.TempDir(), "none"), "-c", "SELECT 1"})
	if err := root.ExecuteContext(t.Context()); exitCode(err) != exitOpen || p.cfg.RuntimeID != "from-environment" {
		t.Errorf("the runtime id is %q (%v), want the environment's", p.cfg.RuntimeID, err)
	}
}

func TestRuntimeIDNamesTheHost(t *testing.T) {
	one, other := newRuntimeID(), newRuntimeID()
	if one == other || checkRuntimeID(one) != nil || !strings.HasPrefix(one, "ontosql-") {
		t.Errorf("two runtime ids are %q and %q, want two valid ones", one, other)
	}
	got := map[string]string{}
	for _, host := range []string{"db-1.example.org", "", "...", "büro/7", strings.Repeat("h", 70)} {
		got[host] = hostPart(host)
	}
	want := map[string]string{
		"db-1.example.org": "db-1.example.org", "": "localhost", "...": "localhost", "büro/7": "b-ro-7",
		strings.Repeat("h", 70): strings.Repeat("h", 63),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hosts in runtime ids (-want +got):\n%s", diff)
	}
}
