package commit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/sqlite/sqlitetest"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/writepath"
)

// Processes of their own are this test binary with a job in the environment.
const (
	childJob  = "ONTOSQL_SQLITE_CHILD"
	childFile = "ONTOSQL_SQLITE_FILE"
	childName = "ONTOSQL_SQLITE_NAME"
)

func TestMain(m *testing.M) {
	if job := os.Getenv(childJob); job != "" {
		if err := child(job, os.Getenv(childFile), os.Getenv(childName)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child does a job on a file. What it has been told is committed it says on its
// standard output, one identity on a line.
func child(job, path, name string) error {
	db, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		return err
	}
	defer db.Close()
	die := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }
	o := commit.Options{DB: db, RuntimeID: name, LockTimeout: time.Minute}
	if job == "die when it has landed" {
		o.OnCommit = func(l writepath.LocalCommit) {
			if l.Commit%3 == 0 {
				die()
			}
		}
	}
	c := commit.Open(o)
	switch job {
	case "die while rows are written":
		tx := writes(0, "", 1, thing)
		tx.Data[0].Rows = dying(name, 40_000, die)
		_, err = c.Commit(context.Background(), tx)
	case "die while the schema changes":
		_, err = c.Commit(context.Background(), writepath.Tx{Schema: func(s *migration.State) error {
			err := s.Drop(thing, true)
			die()
			return err
		}})
	case "die with the lock":
		if _, err = c.Reserve(context.Background(), 0); err == nil {
			die()
		}
	case "count":
		err = count(c, db)
	default:
		err = crowd(c, db, name)
	}
	return errors.Join(err, c.Close(context.Background()))
}

// dying gives rows in front of which the process dies, the second time that it is
// asked for them: the first time they are looked at only.
func dying(name string, n int, die func()) iter.Seq2[writepath.Row, error] {
	asked := 0
	return func(yield func(writepath.Row, error) bool) {
		asked++
		for r, err := range numbered(name, n) {
			if asked > 1 && r.Key == name+strconv.Itoa(n-1) {
				die()
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// crowd commits from several goroutines until somebody ends the process: three
// rows at a time, so that half a commit can be seen.
func crowd(c *commit.Committer, db *sqlite.DB, name string) error {
	pin, err := db.Pin(context.Background())
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			head := pin.Head.Commit
			for n := 0; n < 200; n++ {
				id := fmt.Sprintf("%s-%d-%d", name, i, n)
				out, err := c.Commit(context.Background(), writepath.Tx{Pin: head, Data: []writepath.Data{
					dataOf(thing, version(thing, id+"/a", n), version(thing, id+"/b", n)), dataOf(links, version(links, id+"/c", n)),
				}})
				if err != nil {
					errs[i] = err
					return
				}
				head = out.Commit
				fmt.Println(id)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// counted is the identity that all processes count up.
const counted = "counter"

// count adds one to a number that others count too, a hundred times.
func count(c *commit.Committer, db *sqlite.DB) error {
	for n := 0; n < 100; {
		pin, err := db.Pin(context.Background())
		if err != nil {
			return err
		}
		// The number is the commit's: every commit but the one that made the type
		// counts one.
		_, err = c.Commit(context.Background(), writes(pin.Head.Commit, counted, int(pin.Head.Commit), thing))
		var conflict *writepath.ConflictError
		switch {
		case err == nil:
			n++
		case !errors.As(err, &conflict):
			return err
		}
	}
	return nil
}

// process starts this test binary with a job. The lines that it says come to heard,
// which is closed when it has ended.
func process(t *testing.T, job, path, name string) (cmd *exec.Cmd, heard chan string) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJob+"="+job, childFile+"="+path, childName+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard = make(chan string, 10_000)
	go func() {
		defer close(heard)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			heard <- lines.Text()
		}
	}()
	return cmd, heard
}

// whole makes sure that the file is sound, has whole commits only, and all that
// were acknowledged.
func whole(t *testing.T, path string, acknowledged map[string]bool) {
	t.Helper()
	sqlitetest.Sound(t, path)
	parts := map[string]int{}
	for _, key := range sqlitetest.Ask(t, path, "SELECT entity_key FROM entity_history UNION ALL SELECT left_key FROM relation_history") {
		if id, _, ok := strings.Cut(key, "/"); ok {
			parts[id]++
		}
	}
	for id, n := range parts {
		if n != 3 {
			t.Errorf("of %s there are %d rows, want all 3 or none", id, n)
		}
	}
	for id := range acknowledged {
		if parts[id] == 0 {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
	sqlitetest.Told(t, "gaps in the commits", sqlitetest.Ask(t, path, "SELECT max(id) - count(*) FROM commits"), "0")
}

// TestKilled kills a process that commits, again and again, at any moment.
func TestKilled(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV2)
	s := openSite(t, path)
	s.must(creates(0, thing, other, links))
	s.close()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	acknowledged := map[string]bool{}
	for round := range 12 {
		cmd, heard := process(t, "commit", path, fmt.Sprint("round", round))
		for range 1 + random.IntN(60) {
			id, alive := <-heard
			if !alive {
				break
			}
			acknowledged[id] = true
		}
		time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond) // any moment between two answers
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		for id := range heard {
			acknowledged[id] = true
		}
		_ = cmd.Wait() // it was killed
		whole(t, path, acknowledged)
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	if len(acknowledged) == 0 {
		t.Error("no commit was acknowledged")
	}
}

// TestKilledAtAStep kills a process in the middle of a commit, and after a commit whose result
// was not delivered.
func TestKilledAtAStep(t *testing.T) {
	for _, job := range []string{"die while rows are written", "die while the schema changes", "die with the lock", "die when it has landed"} {
		t.Run(job, func(t *testing.T) {
			path := sqlitetest.NewFile(t, format.EngineV1)
			s := openSite(t, path)
			s.must(creates(0, thing, other, links))
			s.close()
			acknowledged := map[string]bool{}
			cmd, heard := process(t, job, path, "dying")
			for id := range heard {
				acknowledged[id] = true
			}
			if err := cmd.Wait(); err == nil {
				t.Fatal("it ended by itself")
			}
			if job != "die when it has landed" {
				sqlitetest.Told(t, "commits", sqlitetest.Ask(t, path, "SELECT count(*) FROM commits"), "1")
			} else {
				sqlitetest.Told(t, "commits before the third was answered", sqlitetest.Ask(t, path, "SELECT count(*) >= 3 FROM commits"), "1")
			}
			if job == "die with the lock" {
				sqlitetest.Told(t, "locks", sqlitetest.Ask(t, path, "SELECT count(*) FROM locks"), "1")
				sqlitetest.Edit(t, path, "DELETE FROM locks") // as who breaks it does
			}
			whole(t, path, acknowledged)
			after := openSite(t, path)
			after.must(writes(after.head(), "after", 1, thing))
			whole(t, path, acknowledged)
		})
	}
}

// TestTwoProcesses commit to one file at the same time, and lose nothing.
func TestTwoProcesses(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	s := openSite(t, path)
	s.must(creates(0, thing, other, links))
	s.close()
	run := func(job string) map[string]bool {
		acknowledged := map[string]bool{}
		var cmds []*exec.Cmd
		var all []chan string
		for i := range 2 {
			cmd, heard := process(t, job, path, fmt.Sprint(job, i))
			cmds, all = append(cmds, cmd), append(all, heard)
		}
		for i, heard := range all {
			for id := range heard {
				acknowledged[id] = true
			}
			if err := cmds[i].Wait(); err != nil {
				t.Fatalf("process %d: %v", i, err)
			}
		}
		return acknowledged
	}
	acknowledged := run("commit")
	if len(acknowledged) != 2*8*200 {
		t.Errorf("%d commits were acknowledged, want %d", len(acknowledged), 2*8*200)
	}
	whole(t, path, acknowledged)
	before := ontosql.CommitID(1 + 2*8*200)
	sqlitetest.Told(t, "commits", sqlitetest.Ask(t, path, "SELECT count(*) FROM commits"), fmt.Sprint(before))
	run("count")
	sqlitetest.Told(t, "counts", sqlitetest.Ask(t, path, "SELECT count(*), count(DISTINCT fields_json) FROM entity_history WHERE entity_key = ?", counted), "200|200")
	whole(t, path, acknowledged)
}
