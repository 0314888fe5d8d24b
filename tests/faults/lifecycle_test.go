package faults

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// TestTerminate sends SIGTERM to a gateway that has idle sessions, a session in a transaction,
// one before login and one that runs a statement. The statement is cancelled, every client
// receives an error, and the exit code is 0.
func TestTerminate(t *testing.T) {
	t.Parallel()
	g := launch(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	idle, inside := g.raw(t).login(t), g.raw(t).login(t)
	inside.write(t, message('Q', []byte("BEGIN\x00")...))
	inside.untilReady(t)
	silent := g.raw(t)
	watch, busy := g.connect(t, "onto"), g.connect(t, "onto")
	busy.answers(t, demoTiers, "40|3")
	running := make(chan error, 1)
	go func() {
		results, err := busy.Exec(t.Context(), `SELECT count(*) FROM generate_series(1, 30000) a, generate_series(1, 30000) b`).ReadAll()
		if err == nil && string(results[0].Rows[0][0]) != "900000000" {
			err = fmt.Errorf("the answer is %s, want 900000000", results[0].Rows[0][0])
		}
		running <- err
	}()
	waitFor(t, "the statement to run", func() bool {
		rows, err := watch.ask(t, `SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()`)
		return err == nil && rows[0] == "1" || len(running) == 1
	})
	began := time.Now()
	g.signal(t, syscall.SIGTERM)
	for name, r := range map[string]*raw{"an idle session": idle, "a session in a transaction": inside} {
		e := r.untilClosed(t)
		if e == nil || e.Code != "57P01" || e.Severity != "FATAL" {
			t.Errorf("%s is told %+v at SIGTERM, want FATAL 57P01", name, e)
		}
	}
	atMost(t, "telling idle sessions", began, 8*time.Second)
	if e := silent.untilClosed(t); e != nil && e.Code != "57P01" && e.Code != "57P03" {
		t.Errorf("a connection that did not log in is told %+v", e)
	}
	if err := <-running; err != nil {
		// A statement that takes longer than the time to drain is ended.
		wantError(t, "a running statement at SIGTERM", err, "57P01")
	}
	if code := g.wait(t); code != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0; the log:\n%s", code, g.log)
	}
	if _, err := g.dial(t, "onto"); err == nil {
		t.Error("the gateway accepts connections after it ended")
	}
}

// TestInterrupt is the same for Ctrl-C.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	g := launch(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	g.connect(t, "onto")
	g.signal(t, syscall.SIGINT)
	if code := g.wait(t); code != 0 {
		t.Errorf("exit code %d after SIGINT, want 0; the log:\n%s", code, g.log)
	}
}

// TestCancel cancels a statement in the engine, from another connection and by
// statement_timeout.
func TestCancel(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	c := g.connect(t, "onto")
	const endless = `SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b`
	began := time.Now()
	wantError(t, "cancel in the engine", cancelled(t, c, endless), "57014", "canceling statement due to user request")
	atMost(t, "a cancelled statement", began, 20*time.Second)
	began = time.Now()
	c.answers(t, `SET statement_timeout = '300ms'`)
	c.refuses(t, endless, "57014", "canceling statement due to statement timeout")
	atMost(t, "a statement with a timeout of 300 ms", began, 20*time.Second)
	c.answers(t, `RESET statement_timeout; `+demoTiers, "40|3")

	// A key that is not the session's cancels nothing.
	r := g.raw(t)
	r.Send(&pgproto3.CancelRequest{ProcessID: c.PID(), SecretKey: []byte{1, 2, 3, 4}})
	if err := r.Flush(); err != nil {
		t.Fatal(err)
	}
	r.untilClosed(t)
	c.answers(t, `SELECT count(*) FROM generate_series(1, 3000) a, generate_series(1, 3000) b`, "9000000")
}

// TestHeadMoves publishes commits under readers: a statement reads one head, a
// transaction reads one head throughout, the next one sees the new head.
func TestHeadMoves(t *testing.T) {
	t.Parallel()
	s := newStore(t, 2)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", s.dir)
	still, moving := g.connect(t, "onto"), g.connect(t, "onto")
	prepared, err := moving.Prepare(t.Context(), "count", `SELECT count(*) FROM customer`, nil)
	if err != nil {
		t.Fatal(err)
	}
	const both = `SELECT (SELECT count(*) FROM customer), (SELECT max(commit_id) FROM history.customer), (SELECT max(commit_id) FROM ontosql.commits), (SELECT head_commit_id FROM ontosql.storage_info)`
	still.answers(t, `BEGIN; `+both, "1|2|2|2")
	readers, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	for range 3 {
		c := g.connect(t, "onto")
		go func() { ended <- readHeads(readers, c) }()
	}
	for id := 3; id <= 20; id++ {
		s.commit(t)
		moving.answers(t, both, fmt.Sprintf("%d|%d|%d|%d", id-1, id, id, id))
		got := moving.ExecPrepared(t.Context(), prepared.Name, nil, nil, nil).Read()
		if got.Err != nil || string(got.Rows[0][0]) != fmt.Sprint(id-1) {
			t.Errorf("a statement prepared at commit 2 answers %q (%v) at commit %d, want %d", got.Rows, got.Err, id, id-1)
		}
		still.answers(t, both, "1|2|2|2")
	}
	stop()
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	still.answers(t, `SELECT count(*) FROM as_of.customer(20)`, "1")
	still.answers(t, `COMMIT`)
	still.answers(t, both, "19|20|20|20")
	// The same in one simple query, which is one transaction, and at an isolation
	// level that PostgreSQL would let move.
	still.answers(t, `BEGIN ISOLATION LEVEL READ COMMITTED; `+both, "19|20|20|20")
	s.commit(t)
	still.answers(t, both, "19|20|20|20")
	still.answers(t, `ROLLBACK; `+both, "20|21|21|21")
}

// readHeads reads in transactions until ctx ends: within one every statement
// sees the same head, and none sees an older one than the transaction before.
func readHeads(ctx context.Context, c *client) error {
	one := func(sql string) (string, error) {
		results, err := c.Exec(context.WithoutCancel(ctx), sql).ReadAll()
		if err != nil {
			return "", fmt.Errorf("%s while the head moves: %s", sql, describe(err))
		}
		last := results[len(results)-1]
		return string(last.Rows[0][0]), nil
	}
	before := 0
	for ctx.Err() == nil {
		rows, err := one(`BEGIN; SELECT count(*) FROM customer`)
		if err != nil {
			return err
		}
		commit, err := one(`SELECT max(commit_id) FROM history.customer`)
		if err != nil {
			return err
		}
		again, err := one(`SELECT count(*) FROM customer; COMMIT; SELECT 1`)
		if err != nil {
			return err
		}
		var n, id int
		if _, err := fmt.Sscan(rows+" "+commit, &n, &id); err != nil {
			return err
		}
		if again != "1" || id != n+1 || id < before {
			return fmt.Errorf("a transaction sees %d customers, then a history up to commit %d; the one before saw commit %d", n, id, before)
		}
		before = id
	}
	return nil
}
