package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/pgerr"
)

// served is a gateway over the databases of a name service.
type served struct {
	*names
	address string // of the gateway, before the name of a database
	problem *lockedBuffer
}

// serveNames starts a gateway. It ends with the test, in order.
func (n *names) serve(flags ...string) *served {
	n.Helper()
	ctx, stop := context.WithCancel(n.Context())
	stdout, ready := io.Pipe()
	s := &served{names: n, problem: &lockedBuffer{}}
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
			if _, err := s.ask(name, "SELECT * FROM ontosql.commits"); err == nil {
				t.Errorf("%s is served", name)
			}
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
	// A store that is made later is served without a restart.
	within(t, "the store that was made later is not served", func() bool {
		n.run("ns push nowhere config 1 {\"storage_uri\":\""+n.store("late")+"\"}", exitOK)
		got, _ := s.ask("nowhere", "SELECT current_database()")
		return got == "nowhere"
	})
}

// TestServeNamesAway: a gateway whose name service does not answer serves what it knows.
func TestServeNamesAway(t *testing.T) {
	n := newNames(t)
	n.run("ns create shop --storage-uri "+n.store("shop"), exitOK)
	s := n.serve()
	s.answers("shop", "SELECT current_database()", "shop")
	away := n.flags[1] + ".away"
	if err := os.Rename(n.flags[1], away); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * lookInterval)
	s.answers("shop", "SELECT current_database()", "shop")
	if err := os.Rename(away, n.flags[1]); err != nil {
		t.Fatal(err)
	}
	n.run("ns create late --storage-uri "+n.store("late"), exitOK)
	s.answers("late", "SELECT current_database()", "late")
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

// TestCreateDatabase: of two gateways that create one database at the same time one does; a gateway that
// died half way leaves nothing that stands in the way; what was dropped is not there again by chance.
func TestCreateDatabase(t *testing.T) {
	for name, root := range map[string]func(t *testing.T) []string{
		"directory": func(t *testing.T) []string { return []string{"--nameservice-root", t.TempDir()} },
		"S3": func(t *testing.T) []string {
			at := testenv.S3(t)
			return []string{"--nameservice-root", "s3://" + at.Bucket + "/onto", "--s3-endpoint-url", at.Endpoint}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNames(t)
			flags := root(t)
			var gateways [2]*ledgers
			for i := range gateways {
				gateways[i] = openTestLedgers(t, n, flags)
			}
			alias := nameservice.Alias{Name: "a shop/ä", Branch: nameservice.DefaultBranch}
			if _, err := gateways[0].Create(t.Context(), nameservice.New{Alias: alias, CreatedAt: time.Now()}); err != nil { // and died
				t.Fatal(err)
			}
			var all sync.WaitGroup
			var failures [8]error
			for i := range failures {
				all.Go(func() { failures[i] = gateways[i%2].CreateDatabase(t.Context(), alias, "") })
			}
			all.Wait()
			made := 0
			for _, err := range failures {
				var said *pgerr.Error
				switch {
				case err == nil:
					made++
				case !errors.As(err, &said) || said.Code != pgerr.DuplicateDatabase:
					t.Errorf("CREATE DATABASE: %v", err)
				}
			}
			if made != 1 {
				t.Fatalf("%d of %d made the database", made, len(failures))
			}
			for _, g := range gateways {
				db, release, err := g.Acquire(t.Context(), alias.Name, "")
				if err != nil {
					t.Fatalf("Acquire: %v", err)
				}
				if pin, err := db.Pin(t.Context()); err != nil || pin.Head.Commit != 0 {
					t.Errorf("the new ontology: %+v, %v", pin, err)
				}
				release()
			}
			if err := nameservice.Retract(t.Context(), gateways[0], alias, "", time.Now()); err != nil {
				t.Fatal(err)
			}
			var said *pgerr.Error
			if err := gateways[1].CreateDatabase(t.Context(), alias, ""); !errors.As(err, &said) || said.Code != pgerr.DuplicateDatabase || !strings.Contains(said.Detail, "was dropped") {
				t.Errorf("CREATE DATABASE after DROP: %v", err)
			}
			r, err := gateways[0].Get(t.Context(), alias)
			if err != nil {
				t.Fatal(err)
			}
			if result, err := gateways[0].Purge(t.Context(), r); err != nil || !result.Updated {
				t.Fatalf("Purge: %+v, %v", result, err)
			}
			if err := gateways[1].CreateDatabase(t.Context(), alias, ""); err != nil {
				t.Errorf("CREATE DATABASE after the purge: %v", err)
			}
			again, err := gateways[0].Get(t.Context(), alias)
			if err != nil || storageURI(again) == storageURI(r) {
				t.Errorf("the new database has the store of the one that was dropped: %s, %v", storageURI(again), err)
			}
		})
	}
}

// openTestLedgers opens the databases of a name service without a server.
func openTestLedgers(t *testing.T, n *names, flags []string) *ledgers {
	t.Helper()
	p := &program{stdin: strings.NewReader(""), out: io.Discard, err: io.Discard, log: slog.New(slog.DiscardHandler)}
	cmd := p.serveCommand()
	p.cfg.storageFlags(cmd.Flags())
	if err := cmd.ParseFlags(append([]string{"--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir()}, append(n.flags[:len(n.flags):len(n.flags)], flags...)...)); err != nil {
		t.Fatal(err)
	}
	p.cfg.RuntimeID = "test"
	g, err := p.openGateway(t.Context(), nil, gatewayUse{names: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.close(context.WithoutCancel(t.Context())) })
	return g.ledgers
}

// TestManyLedgers: a gateway of a thousand ontologies opens those that are used, and closes a database
// that nobody uses.
func TestManyLedgers(t *testing.T) {
	n := newNames(t)
	l := openTestLedgers(t, n, nil)
	store := n.store("one")
	for i := range 1000 {
		a := nameservice.Alias{Name: fmt.Sprint("shop-", i), Branch: nameservice.DefaultBranch}
		if _, err := l.Create(t.Context(), nameservice.New{Alias: a, CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	n.run("ns create used --storage-uri "+store, exitOK)
	g := openTestLedgers(t, n, nil)
	_, release, err := g.Acquire(t.Context(), "used", "")
	if err != nil {
		t.Fatal(err)
	}
	opened := func() *ledger {
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.opened) > 1 {
			t.Errorf("%d databases are open", len(g.opened))
		}
		return g.opened["used"]
	}
	one := opened()
	release()
	g.mu.Lock()
	one.since = one.since.Add(-2 * idleTime)
	g.mu.Unlock()
	g.follow(t.Context())
	within(t, "the database that nobody uses stays open", func() bool { return opened() == nil })
	_, release, err = g.Acquire(t.Context(), "used", "")
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// TestBranchesByName: branches are made, served, compared, merged and deleted by their names, in each
// kind of store.
func TestBranchesByName(t *testing.T) {
	for name, place := range map[string]func(t *testing.T) (store, root string, flags []string){
		"directory": func(t *testing.T) (string, string, []string) {
			dir := t.TempDir()
			return filepath.Join(dir, "shop"), filepath.Join(dir, "root"), nil
		},
		"SQLite": func(t *testing.T) (string, string, []string) {
			dir := t.TempDir()
			return "sqlite:///" + filepath.Join(dir, "shop.db"), filepath.Join(dir, "root"), nil
		},
		"S3": func(t *testing.T) (string, string, []string) {
			at := testenv.S3(t)
			return "s3://" + at.Bucket + "/shop", "s3://" + at.Bucket + "/root", []string{"--s3-endpoint-url", at.Endpoint}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNames(t)
			store, root, flags := place(t)
			n.flags = append(n.flags, flags...)
			if code, _, problem := command(t, append([]string{"init", "--storage-uri", store}, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			n.run("ns create shop --storage-uri "+store, exitOK)
			s := n.serve("--nameservice-root", root)
			s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY, n int)", "")
			s.answers("shop", "INSERT INTO item VALUES ('a', 1), ('b', 1)", "")
			s.answers("shop", "UPDATE item SET n = 2 WHERE id = 'a'", "")
			n.run("branch create dev --from shop@2 --nameservice-root "+root, exitOK)
			s.answers("shop:dev", "SELECT id, n FROM item ORDER BY id", "a|1\nb|1")
			s.answers("shop:dev", "UPDATE item SET n = 3 WHERE id = 'b'", "")
			s.answers("shop:dev@2", "SELECT id, n FROM item ORDER BY id", "a|1\nb|1")
			if got := n.run("branch diff shop shop:dev", exitOK); !strings.Contains(got, "< item a  n 1 -> 2") || !strings.Contains(got, "> item b  n 1 -> 3") {
				t.Errorf("diff: %s", got)
			}
			n.run("branch merge shop:dev shop", exitOK)
			s.answers("shop", "SELECT id, n FROM item ORDER BY id", "a|2\nb|3")
			if got := n.run("branch list", exitOK); strings.Count(got, "\n") != 4 {
				t.Errorf("list: %s", got)
			}
			n.run("branch create dev --from shop --nameservice-root "+root, exitExecution)
			n.run("branch create other --from nosuch --nameservice-root "+root, exitExecution)
			n.run("branch create other --from shop@99 --nameservice-root "+root, exitExecution)
			if got := n.run("ns list", exitOK); strings.Contains(got, "other") || strings.Contains(got, "nosuch") {
				t.Errorf("a branch that could not be made left a record: %s", got)
			}
			_, token, _ := strings.Cut(n.run("branch delete shop:dev", exitOK), "Token: ")
			n.run("branch delete shop:dev --token "+strings.TrimSpace(token), exitOK)
			within(t, "the deleted branch is served", func() bool {
				_, err := s.ask("shop:dev", "SELECT 1")
				return err != nil
			})
			s.answers("shop@2", "SELECT id, n FROM item ORDER BY id", "a|1\nb|1")
		})
	}
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

// TestBranchesInSQL: a branch is made, compared and merged by statements, with conflicts as rows.
func TestBranchesInSQL(t *testing.T) {
	n := newNames(t)
	s := n.serve("--nameservice-root", filepath.Join(t.TempDir(), "root"))
	s.answers("postgres", "CREATE DATABASE shop", "")
	s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY, n int, t text)", "")
	s.answers("shop", "INSERT INTO item VALUES ('a', 1, 'x'), ('b', 1, 'x')", "")
	s.answers("shop", `CREATE DATABASE "shop:dev" TEMPLATE "shop@2"`, "")
	s.answers("shop", "UPDATE item SET n = 2, t = 'y' WHERE id = 'a'", "")
	s.answers("shop:dev", "UPDATE item SET n = 3 WHERE id = 'a'; INSERT INTO item VALUES ('c', 9, 'z'); ALTER TABLE item ADD COLUMN extra text", "")
	s.answers("shop", "SELECT database, branch, current, head_commit_id, ancestor_commit_id, ahead, behind FROM ontosql.branches() ORDER BY database",
		"shop|main|t|3|3|0|0\nshop:dev|dev|f|3|2|1|1")
	s.answers("shop", "SELECT database, type_name, key, is_new, field, base, value FROM ontosql.branch_diff('shop', 'shop:dev') WHERE key ->> 0 = 'a' ORDER BY 1, 5",
		`shop|item|["a"]|f|n|1|2`+"\n"+`shop|item|["a"]|f|t|"x"|"y"`+"\n"+`shop:dev|item|["a"]|f|n|1|3`)
	conflict := "|item|[\"a\"]|n|1|2|3"
	s.answers("shop", "SELECT commit_id, type_name, key, field, base, ours, theirs FROM ontosql.merge('shop:dev')", conflict)
	s.answers("shop", "SELECT count(*) FROM item", "2")
	s.answers("shop", "SELECT commit_id, type_name, key, field, base, ours, theirs FROM ontosql.merge('shop:dev', on_conflict => 'theirs', dry_run => true)", conflict)
	s.answers("shop", "SELECT commit_id, inserted, updated, key, field FROM ontosql.merge('shop:dev', on_conflict => 'theirs')", `4|1|1|["a"]|n`)
	s.answers("shop", "SELECT id, n, t, extra IS NULL FROM item ORDER BY id", "a|3|y|t\nb|1|x|t\nc|9|z|t")
	s.answers("shop", "SELECT commit_id, inserted, updated, key FROM ontosql.merge('shop:dev')", "|0|0|")
	s.answers("shop@3", "SELECT id, n FROM item ORDER BY id", "a|2\nb|1")
	s.refuses("shop", "BEGIN; SELECT * FROM ontosql.merge('shop:dev')", pgerr.ActiveSQLTransaction, "cannot run inside a transaction block")
	s.refuses("shop", "SET default_transaction_read_only = on; SELECT * FROM ontosql.merge('shop:dev')", pgerr.ReadOnlySQLTransaction, "")
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop:nosuch')", pgerr.InvalidCatalogName, `database "shop:nosuch" does not exist`)
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop')", pgerr.InvalidParameterValue, "with itself")
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop:dev', on_conflict => 'both')", pgerr.InvalidParameterValue, "invalid decision")
	s.refuses("shop", "SELECT * FROM ontosql.merge('shop:dev@99')", pgerr.InvalidParameterValue, "")
	s.answers("postgres", "CREATE DATABASE other", "")
	s.answers("other", "CREATE TABLE item (id text PRIMARY KEY)", "")
	s.refuses("shop", "SELECT * FROM ontosql.merge('other')", pgerr.ObjectNotInPrerequisiteState, "no branches of one ontology")
	s.refuses("shop", "SELECT * FROM ontosql.branch_diff('shop', 'shop:dev@2')", pgerr.InvalidParameterValue, "newest commits")
}
