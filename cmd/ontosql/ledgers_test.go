package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/memory"
	"github.com/ontosql/ontosql/pgerr"
)

// served is a gateway over the databases of a name service.
type served struct {
	*names
	address string // of the gateway, before the name of a database
	problem *testenv.Output
}

// serveNames starts a gateway. It ends with the test, in order.
func (n *names) serve(flags ...string) *served {
	n.Helper()
	ctx, stop := context.WithCancel(n.Context())
	stdout, ready := io.Pipe()
	s := &served{names: n, problem: &testenv.Output{}}
	ended := make(chan int, 1)
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--cache-dir", n.TempDir(), "--workspace-dir", n.TempDir()}, append(n.flags[:len(n.flags):len(n.flags)], flags...)...)
	go func() {
		ended <- run(ctx, args, strings.NewReader(""), ready, s.problem)
		ready.Close()
	}()
	where, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		n.Fatalf("the server says %q, %v: %s", where, err, s.problem)
	}
	n.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			n.Errorf("the server ended with exit %d and %s", code, s.problem)
		}
	})
	s.address, _, _ = strings.Cut(strings.TrimPrefix(where, "ready "), "/postgres")
	return s
}

func (s *served) connect(database string) (*pgconn.PgConn, error) {
	c, err := pgconn.ParseConfig(s.address + "/?user=ada&sslmode=disable")
	if err != nil {
		s.Fatal(err)
	}
	c.Database = database
	return pgconn.ConnectConfig(s.Context(), c)
}

// ask runs SQL in a new session and returns the rows of its last statement.
func (s *served) ask(database, sql string) (string, error) {
	conn, err := s.connect(database)
	if err != nil {
		return "", err
	}
	defer conn.Close(s.Context())
	return askOn(s.Context(), conn, sql)
}

func askOn(ctx context.Context, conn *pgconn.PgConn, sql string) (string, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return "", err
	}
	var rows []string
	for _, row := range results[len(results)-1].Rows {
		rows = append(rows, string(bytes.Join(row, []byte("|"))))
	}
	return strings.Join(rows, "\n"), nil
}

// answers checks the answer to SQL.
func (s *served) answers(database, sql, want string) {
	s.Helper()
	if got, err := s.ask(database, sql); err != nil || got != want {
		s.Errorf("%s: %s: %q, %v, want %q", database, sql, got, err, want)
	}
}

// refuses checks the SQLSTATE and the message of a refusal.
func (s *served) refuses(database, sql, code, message string) {
	s.Helper()
	_, err := s.ask(database, sql)
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != code || !strings.Contains(said.Message, message) {
		s.Errorf("%s: %s: %v, want %s: %s", database, sql, err, code, message)
	}
}

// within waits for something that becomes true soon.
func within(t *testing.T, what string, true func() bool) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); !true(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal(what)
		}
	}
}

// store begins an ontology and returns its address.
func (n *names) store(name string) string {
	n.Helper()
	path := filepath.Join(n.TempDir(), name)
	if code, _, problem := command(n.T, "init", "--storage-uri", path); code != exitOK {
		n.Fatalf("init: %s", problem)
	}
	return path
}

// TestServeNames: a gateway serves what is registered: an ontology that is registered while it runs, one
// branch beside another, at any point, until it is taken out of service.
func TestServeNames(t *testing.T) {
	n := newNames(t)
	shop, dev := n.store("shop"), n.store("dev")
	n.run("ns create shop --storage-uri "+shop, exitOK)
	s := n.serve()
	s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY); INSERT INTO item VALUES ('a'); SELECT count(*) FROM item", "1")
	s.answers("shop", "INSERT INTO item VALUES ('b'); SELECT count(*) FROM item", "2")
	s.answers("shop:main@1", "SELECT count(*) FROM item", "1")
	s.refuses("shop:dev", "SELECT 1", pgerr.InvalidCatalogName, `branch "dev" of database "shop" does not exist`)
	s.refuses("nosuch", "SELECT 1", pgerr.InvalidCatalogName, `database "nosuch" does not exist`)
	s.refuses("nosuch:dev", "SELECT 1", pgerr.InvalidCatalogName, `database "nosuch" does not exist`)
	s.refuses("", "SELECT 1", pgerr.InvalidCatalogName, `database "ada" does not exist`)

	n.run("ns create shop:dev --storage-uri "+dev, exitOK)
	s.answers("shop:dev", "SELECT current_database(), count(*) FROM pg_class WHERE relname = 'item'", "shop:dev|0")
	within(t, "the new branch is not listed", func() bool {
		got, _ := s.ask("shop", "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database")
		return got == "postgres shop shop:dev"
	})

	idle, err := s.connect("shop")
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close(t.Context())
	other, err := s.connect("shop:dev")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	n.run("ns retract shop", exitOK)
	began := time.Now()
	_, err = idle.ReceiveMessage(t.Context())
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != pgerr.AdminShutdown || !strings.Contains(said.Message, `database "shop" was taken out of service`) {
		t.Errorf("the session of a retracted ontology hears %v after %v", err, time.Since(began))
	}
	s.refuses("shop", "SELECT 1", pgerr.InvalidCatalogName, `database "shop" does not exist`)
	if got, err := askOn(t.Context(), other, "SELECT current_database()"); got != "shop:dev" {
		t.Errorf("the session of the branch: %q, %v", got, err)
	}
	if code, out, problem := command(t, "fsck", "--storage-uri", shop); code != exitOK {
		t.Errorf("fsck: exit %d\n%s%s", code, out, problem)
	}
}

// TestServeNamesThatCannotBeServed: a record without a store, with one that is missing or no ontology,
// or that is damaged, is said so to who asks for it, and harms no other.
func TestServeNamesThatCannotBeServed(t *testing.T) {
	n := newNames(t)
	n.run("ns create good --storage-uri "+n.store("good"), exitOK)
	n.run("ns create nowhere", exitOK)
	n.run("ns create missing --storage-uri "+filepath.Join(t.TempDir(), "missing"), exitOK)
	n.run("ns create empty --storage-uri "+t.TempDir(), exitOK)
	s := n.serve()
	s.answers("good", "SELECT current_database()", "good")
	s.refuses("nowhere", "SELECT 1", pgerr.ObjectNotInPrerequisiteState, "does not say where its store is")
	for _, name := range []string{"missing", "empty"} {
		for range 2 { // it is tried again
			s.refuses(name, "SELECT 1", pgerr.InvalidCatalogName, "the store of database \""+name+"\" does not exist")
		}
	}
	good, err := s.connect("good")
	if err != nil {
		t.Fatal(err)
	}
	defer good.Close(t.Context())
	file := filepath.Join(n.flags[1], "ns@v2", "good", "main.json")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * lookInterval)
	if got, err := askOn(t.Context(), good, "SELECT current_database()"); got != "good" {
		t.Errorf("the session, after the record was damaged: %q, %v", got, err)
	}
	if said := strings.Count(s.log(), "a damaged record"); said != 1 {
		t.Errorf("the log tells of the damaged record %d times", said)
	}
	// A store that is made later is served without a restart.
	within(t, "the store that was made later is not served", func() bool {
		n.run("ns push nowhere config 1 {\"storage_uri\":\""+n.store("late")+"\"}", exitOK)
		got, _ := s.ask("nowhere", "SELECT current_database()")
		return got == "nowhere"
	})
}

// newFarNames makes a name service in a bucket. away makes its server answer nothing any more, or again.
func newFarNames(t *testing.T) (n *names, away func(bool)) {
	t.Helper()
	at := testenv.S3(t)
	target, err := url.Parse(at.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var gone atomic.Bool
	forward := httputil.NewSingleHostReverseProxy(target)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	n = &names{t, []string{"--nameservice", "s3://" + at.Bucket + "/names", "--s3-endpoint-url", proxy.URL, "--s3-request-timeout-s", "1"}}
	n.run("ns init", exitOK)
	return n, gone.Store
}

// TestServeNamesAway: a gateway whose name service does not answer serves what it knows.
func TestServeNamesAway(t *testing.T) {
	n, away := newFarNames(t)
	n.run("ns create shop --storage-uri "+n.store("shop"), exitOK)
	s := n.serve()
	s.answers("shop", "SELECT current_database()", "shop")
	away(true)
	within(t, "the log does not say that the name service is away", func() bool { return strings.Contains(s.log(), "the name service does not answer") })
	s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY)", "")
	if _, err := s.ask("nosuch", "SELECT 1"); err == nil {
		t.Error("a database that nobody knows is served")
	}
	away(false)
	within(t, "the head is not pushed later", func() bool { return n.record("shop").Head.V == 1 })
	n.run("ns create late --storage-uri "+n.store("late"), exitOK)
	s.answers("late", "SELECT current_database()", "late")
	n.run("ns create lost --storage-uri "+n.flags[1]+"/nothing", exitOK)
	s.refuses("lost", "SELECT 1", pgerr.InvalidCatalogName, `the store of database "lost" does not exist`)
}

// TestMaintenanceDatabase: before there is an ontology a client can connect all the same. Nothing is
// kept there.
func TestMaintenanceDatabase(t *testing.T) {
	n := newNames(t)
	s := n.serve()
	s.answers("postgres", "SELECT datname FROM pg_database", "postgres")
	s.refuses("postgres", "CREATE TABLE t (id text PRIMARY KEY)", pgerr.ReadOnlySQLTransaction, `database "postgres" keeps nothing`)
	n.run("ns create postgres --storage-uri "+n.store("own"), exitOK)
	within(t, "the ontology does not take the place of the maintenance database", func() bool {
		_, err := s.ask("postgres", "CREATE TABLE t (id text PRIMARY KEY)")
		return err == nil
	})
}

// record reads a record.
func (n *names) record(alias string) *nameservice.Record {
	n.Helper()
	a, err := nameservice.ParseAlias(alias)
	if err != nil {
		n.Fatal(err)
	}
	p := &program{log: slog.New(slog.DiscardHandler)}
	p.cfg.Nameservice = n.flags[1]
	if i := slices.Index(n.flags, "--s3-endpoint-url"); i >= 0 {
		p.cfg.S3Endpoint, p.cfg.S3RequestSecs = n.flags[i+1], 10
	}
	s, err := p.openNames(n.Context(), nameserviceOptions{})
	if err != nil {
		n.Fatal(err)
	}
	r, err := s.Get(n.Context(), a)
	if err != nil {
		n.Fatal(err)
	}
	return r
}

// TestServePushesHeads: the record of an ontology follows its commits: those of the gateway, of other
// writers, and of a gateway that died before it told of them. A burst of commits is few pushes. Figures
// go to the status, whose other members stay. A record of another history is left alone.
func TestServePushesHeads(t *testing.T) {
	n := newNames(t)
	shop := n.store("shop")
	n.run("ns create shop --storage-uri "+shop, exitOK)
	sql := func(text string) {
		t.Helper()
		if code, _, problem := command(t, "sql", "--storage-uri", shop, "-c", text); code != exitOK {
			t.Fatal(problem)
		}
	}
	sql("CREATE TABLE item (id int PRIMARY KEY)") // by a program that knows no name service
	n.run("ns lock shop index --holder me", exitOK)
	s := n.serve()
	s.answers("shop", "SELECT count(*) FROM item", "0")
	head := func(want int64) {
		t.Helper()
		within(t, fmt.Sprintf("the record is not at commit %d", want), func() bool { return n.record("shop").Head.V == want })
		r := n.record("shop")
		if text := string(r.Head.Payload); !strings.Contains(text, fmt.Sprintf(`"address":"file://%s/commits/%d-`, shop, want)) && !strings.Contains(text, fmt.Sprintf(`"address": "file://%s/commits/%d-`, shop, want)) {
			t.Errorf("the head of the record: %s", text)
		}
	}
	head(1)
	conn, err := s.connect("shop")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	seen := map[int64]bool{}
	const burst = 50
	for i := range burst {
		if _, err := askOn(t.Context(), conn, fmt.Sprintf("INSERT INTO item VALUES (%d)", i)); err != nil {
			t.Fatal(err)
		}
		seen[n.record("shop").Head.V] = true
	}
	head(1 + burst)
	if len(seen) > burst/2 {
		t.Errorf("%d commits were %d pushes", burst, len(seen))
	}
	sql("INSERT INTO item VALUES (1000)")
	head(2 + burst)
	within(t, "the figures are not in the status", func() bool {
		return strings.Contains(string(n.record("shop").Status.Payload), "last_commit_ms")
	})
	if status := string(n.record("shop").Status.Payload); !strings.Contains(status, "index_lock") || !strings.Contains(status, "indexing") {
		t.Errorf("the rest of the status: %s", status)
	}
	n.run(`ns push shop head 500 {"address":"elsewhere","t":500}`, exitOK)
	if _, err := askOn(t.Context(), conn, "INSERT INTO item VALUES (2000)"); err != nil {
		t.Fatal(err)
	}
	within(t, "that the record has diverged is not said", func() bool { return strings.Contains(s.log(), "have diverged") })
	if r := n.record("shop"); r.Head.V != 500 || !strings.Contains(string(r.Head.Payload), "elsewhere") {
		t.Errorf("the record of another history was overwritten: %d %s", r.Head.V, r.Head.Payload)
	}
	if times := strings.Count(s.log(), "have diverged"); times != 1 {
		t.Errorf("it is said %d times", times)
	}
}

// log is what the server has logged.
func (s *served) log() string { return s.problem.String() }

// TestServeNamesUpstream: a gateway with a local name service of its own goes on while the upstream is
// away. When it is back, what was made meanwhile is there, on both sides; what both have changed is told
// and left alone.
func TestServeNamesUpstream(t *testing.T) {
	up, away := newFarNames(t)
	n := newNames(t)
	n.flags = append(append(n.flags, "--nameservice-upstream"), up.flags[1:]...)
	s := n.serve("--nameservice-root", filepath.Join(t.TempDir(), "root"))
	up.run("ns create far --storage-uri "+up.store("far"), exitOK)
	within(t, "what others have registered upstream is not served", func() bool {
		got, _ := s.ask("far", "SELECT current_database()")
		return got == "far"
	})
	away(true)
	s.answers("postgres", "CREATE DATABASE shop", "")
	s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY)", "")
	s.answers("shop", "COMMENT ON DATABASE far IS 'here'", "")
	within(t, "the log says nothing of the upstream", func() bool { return strings.Contains(s.log(), "goes on alone") })
	away(false)
	within(t, "the new database is not upstream", func() bool { return strings.Contains(up.run("ns list", exitOK), "shop:main") })
	within(t, "its head is not upstream", func() bool { return up.record("shop").Head.V == 1 })
	within(t, "the comment is not upstream", func() bool { return strings.Contains(string(up.record("far").Config.Payload), "here") })
}

// TestFollowDoesNotWait: a record that is retracted while its database is still being opened does not
// keep the gateway from looking at the others.
func TestFollowDoesNotWait(t *testing.T) {
	service := new(memory.Service)
	a := nameservice.Alias{Name: "slow", Branch: nameservice.DefaultBranch}
	if _, err := service.Create(t.Context(), nameservice.New{Alias: a}); err != nil {
		t.Fatal(err)
	}
	if err := nameservice.Retract(t.Context(), service, a, "", time.Now()); err != nil {
		t.Fatal(err)
	}
	slow := &ledger{name: "slow", alias: a, opened: make(chan struct{}), closed: make(chan struct{}), users: 1}
	l := &ledgers{Service: service, ctx: t.Context(), opened: map[string]*ledger{"slow": slow}}
	followed := make(chan struct{})
	go func() {
		l.follow(t.Context())
		close(followed)
	}()
	select {
	case <-followed:
	case <-time.After(5 * time.Second):
		t.Error("follow waits for a database that is being opened")
	}
	if !slow.ending {
		t.Error("the database is not taken out of service")
	}
	close(slow.opened)
	<-followed
}
