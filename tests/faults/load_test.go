package faults

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestThousandSessions opens a thousand sessions at once, where there is room for
// them and where there is not: everybody is answered, one way or the other.
func TestThousandSessions(t *testing.T) {
	t.Parallel()
	const sessions = 1000
	for _, limit := range []int{1100, 200} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			args := []string{"--cache-dir", t.TempDir(), "--storage-uri", demoDir}
			if limit != 200 { // the default
				args = append(args, "--max-connections", fmt.Sprint(limit))
			}
			g := serve(t, nil, args...)
			mirrored(t, g.connect(t, "onto"), "customer")
			before := residentKiB(t, g)
			var all sync.WaitGroup
			var refused, answered atomic.Int64
			everybody := make(chan struct{}) // closed when all are in, or turned away
			var in sync.WaitGroup
			in.Add(sessions)
			for range sessions {
				all.Go(func() {
					c, err := g.dial(t, "onto")
					in.Done()
					if err != nil {
						var e *pgconn.PgError
						if !errors.As(err, &e) || e.Code != "53300" {
							t.Errorf("a session: %v, want 53300", describe(err))
						}
						refused.Add(1)
						return
					}
					<-everybody
					c.answers(t, demoTiers, "40|3")
					answered.Add(1)
				})
			}
			in.Wait()
			close(everybody)
			all.Wait()
			want := int64(min(sessions, limit-1)) // one is ours
			if answered.Load() != want || refused.Load() != sessions-want {
				t.Errorf("%d sessions answered and %d refused, want %d and %d", answered.Load(), refused.Load(), want, sessions-want)
			}
			perSession := (residentKiB(t, g) - before) / int(want)
			t.Logf("%d KiB before, %d KiB a session", before, perSession)
			if perSession > 2048 {
				t.Errorf("a session costs %d KiB", perSession)
			}
		})
	}
}

// endlessRows are more rows than any client reads.
const endlessRows = `SELECT a.name, b.name, c.name, d.name FROM customer a, customer b, customer c, customer d, generate_series(1, 1000)`

// TestClientStopsReading runs clients that request large results and do not read them. Other
// sessions continue, and the session is released when its client disconnects, cancels or
// exceeds statement_timeout.
func TestClientStopsReading(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	watch := g.connect(t, "onto")
	mirrored(t, watch, "customer")
	before := residentKiB(t, g)
	start := func(settings string) (*client, *pgconn.MultiResultReader) {
		c := g.connect(t, "onto")
		c.answers(t, settings)
		ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
		t.Cleanup(cancel)
		results := c.Exec(ctx, endlessRows)
		if !results.NextResult() || !results.ResultReader().NextRow() {
			t.Fatalf("no first row: %v", results.Close())
		}
		return c, results
	}
	none := func(what string) func() bool {
		return func() bool {
			rows, err := watch.ask(t, `SELECT count(*) FROM pg_stat_activity WHERE `+what)
			return err == nil && rows[0] == "0"
		}
	}
	leaves, _ := start("SELECT 1 WHERE false")
	cancels, cancelledRows := start("SELECT 1 WHERE false")
	_, timedRows := start("SET statement_timeout = '3s'")
	for range 20 {
		watch.answers(t, demoTiers, "40|3")
	}
	if grown := residentKiB(t, g) - before; grown > 300<<10 {
		t.Errorf("three results that nobody reads cost %d KiB", grown)
	}
	_ = leaves.Conn().Close() // without a word
	if err := cancels.CancelRequest(t.Context()); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	// The number of other active sessions at this point depends on whether the timeout came
	// before the sockets were full.
	waitFor(t, "the session of a client that has gone to be free", none(fmt.Sprint("pid = ", leaves.PID())))
	// The other sessions receive the error when they read again, as with PostgreSQL.
	for what, results := range map[string]*pgconn.MultiResultReader{"cancel": cancelledRows, "timeout": timedRows} {
		wantError(t, "the end of a result after a "+what, results.Close(), "57014")
	}
	waitFor(t, "all sessions to be free", none("state = 'active' AND pid <> pg_backend_pid()"))
	watch.answers(t, demoTiers, "40|3")
}

// TestOutOfMemory gives the engine little memory and runs two large statements at the same
// time. Statements spill or fail, later statements are answered, and a mirror that cannot be
// built does not affect queries.
func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", copyOfDemo(t), "--memory-limit", "48MiB")
	a, b := g.connect(t, "onto"), g.connect(t, "onto")
	a.answers(t, `INSERT INTO customer (id, name, tier, balance) SELECT 'm' || i, repeat(md5(i::text), 8), 'late', i FROM generate_series(1, 50000) i`)
	var both sync.WaitGroup
	for _, c := range []*client{a, b} {
		both.Go(func() {
			for range 3 {
				for sql, want := range map[string]string{
					`SELECT count(*), count(DISTINCT id) FROM customer`: "50040|50040",
					`SELECT count(*) FROM as_of.customer(54)`:           "40",
					`SELECT count(*), max(length(m::text)) > 1000 FROM (SELECT array_agg(name || i) AS m FROM customer, generate_series(1, 4) i GROUP BY id) x`: "50040|t",
				} {
					rows, err := c.ask(t, sql)
					if err != nil {
						wantError(t, sql, err, "53200", "out of memory")
					} else if rows[0] != want {
						t.Errorf("%s answers %q, want %s", sql, rows, want)
					}
				}
			}
		})
	}
	both.Wait()
	for _, c := range []*client{a, b} {
		c.answers(t, `SELECT name = repeat(md5('77'), 8) FROM customer WHERE id = 'm77'`, "t")
		c.answers(t, `SELECT count(*) FROM as_of.customer(54)`, "40")
	}
}

// TestCancelAtAnyMoment cancels statements over a table that commits and the
// mirror are moving, each a little later than the one before: it was answered
// rightly or cancelled, and the next statement is right.
func TestCancelAtAnyMoment(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", copyOfDemo(t))
	c, writer := g.connect(t, "onto"), g.connect(t, "onto")
	mirrored(t, writer, "customer")
	ended := 0
	for i := range 40 {
		writer.answers(t, late(fmt.Sprint("z", i)))
		rows := 41 + i
		done := make(chan error, 1)
		go func() {
			results, err := c.Exec(t.Context(), `SELECT a.id, b.name FROM customer a, customer b, generate_series(1, 20)`).ReadAll()
			if err == nil && len(results[0].Rows) != rows*rows*20 {
				err = fmt.Errorf("%d rows of %d", len(results[0].Rows), rows*rows*20)
			}
			done <- err
		}()
		time.Sleep(time.Duration(i) * time.Millisecond) // the moment that this round is about
		if err := c.CancelRequest(t.Context()); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			ended++
			wantError(t, fmt.Sprintf("cancelled after %d ms", i), err, "57014")
		}
		// A cancel request that comes late may meet the next statement.
		if _, err := c.ask(t, demoTiers); err != nil {
			wantError(t, "the statement after", err, "57014")
		}
		c.answers(t, demoTiers, fmt.Sprintf("%d|4", rows))
	}
	if ended == 0 {
		t.Error("no statement was cancelled")
	}
}
