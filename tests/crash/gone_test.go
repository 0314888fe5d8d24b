package crash

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// departure is how a client leaves before it has its commit's answer.
type departure struct {
	name  string
	cut   int           // bytes of the last message that are not sent; a message that is not whole asks for nothing
	reset bool          // the connection is reset instead of closed
	after time.Duration // between the message and the end
}

var departures = []departure{
	{name: "closed at once"},
	{name: "reset at once", reset: true},
	{name: "closed within the commit", after: 2 * time.Millisecond},
	{name: "reset within the commit", after: 2 * time.Millisecond, reset: true},
	{name: "closed about when it ends", after: 15 * time.Millisecond},
	{name: "reset about when it ends", after: 15 * time.Millisecond, reset: true},
	{name: "cut within the last message", cut: 3},
	{name: "cut within the last message and reset", cut: 3, reset: true},
}

// TestClientGone closes connections right after COMMIT was sent: the commit is visible as a
// whole or not at all, and the server continues.
func TestClientGone(t *testing.T) {
	t.Parallel()
	w, seed := aWorld(t)
	v := start(t, w, calm)
	var leaving sync.WaitGroup
	for _, d := range departures {
		leaving.Go(func() {
			for range 8 {
				for _, s := range []shape{transactions, {name: "a transaction in one simple query", rows: family}} {
					if err := w.leave(t.Context(), v, s, d); err != nil {
						t.Errorf("%s, %s: %v", s.name, d.name, err)
						return
					}
				}
			}
		})
	}
	cs, err := load(t.Context(), v, w.ledger, w.rand, 2)
	if err != nil {
		t.Fatal(err)
	}
	leaving.Wait()
	cs.stop()
	if err := errors.Join(cs.done(), cs.allTold()); err != nil {
		t.Errorf("of the clients that stayed: %v", err)
	}
	w.alone(t, v)
	w.rest(t, v)
	t.Logf("seed %d: %s", seed, w.count)
}

var transactions = shape{name: "a transaction", rows: family}

// leave writes the rows of a shape and leaves before the answer.
func (w *world) leave(ctx context.Context, v *server, s shape, d departure) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := v.connect(ctx)
	if err != nil {
		return err
	}
	o := w.ledger.begin(s)
	last := "COMMIT"
	if s.name == transactions.name {
		if err := insert(ctx, conn, o.rows); err != nil {
			return err
		}
	} else {
		last = ""
		for _, r := range o.rows {
			last += r.literal() + ";"
		}
	}
	o.verdict, o.told = unknown, d.name
	if d.cut > 0 {
		o.verdict, o.reason = refused, "cut off within the last message"
	}
	return depart(conn, last, d)
}

func depart(conn *pgx.Conn, last string, d departure) error {
	session, err := conn.PgConn().Hijack()
	if err != nil {
		return err
	}
	message, err := (&pgproto3.Query{String: last}).Encode(nil)
	if err != nil {
		return err
	}
	if _, err := session.Conn.Write(message[:len(message)-d.cut]); err != nil {
		return fmt.Errorf("send the last message: %w", err)
	}
	time.Sleep(d.after) // the moment is the test's input
	if d.reset {
		if err := session.Conn.(*net.TCPConn).SetLinger(0); err != nil {
			return err
		}
	}
	return session.Conn.Close()
}

// alone waits until a server has no session left but the one that asks.
func (w *world) alone(t *testing.T, v *server) {
	t.Helper()
	conn, err := v.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var others int
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = 'onto' AND pid <> pg_backend_pid()").Scan(&others)
		if err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			return
		}
	}
	t.Errorf("%d sessions are there %s after their clients left", others, patience)
}
