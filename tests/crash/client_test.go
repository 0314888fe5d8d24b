package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// client is one connection that writes until it is cut off or told to stop.
type client struct {
	conn   *pgx.Conn
	ledger *ledger
	rand   *rand.Rand
}

// clients are the load on a server.
type clients struct {
	wait sync.WaitGroup
	stop context.CancelFunc

	mu  sync.Mutex
	ops []*op
	err error
}

// load connects n clients, each with the settings, and lets them work.
func load(ctx context.Context, v *server, l *ledger, r *rand.Rand, n int, settings ...string) (*clients, error) {
	working, stop := context.WithCancel(ctx)
	cs := &clients{stop: stop}
	var all []*client
	for range n {
		conn, err := v.connect(ctx, settings...)
		if err != nil {
			stop()
			for _, c := range all {
				_ = c.conn.Close(ctx)
			}
			return nil, fmt.Errorf("connect: %w; the server's log:\n%s", err, v.log)
		}
		all = append(all, &client{conn: conn, ledger: l, rand: rand.New(rand.NewPCG(r.Uint64(), r.Uint64()))})
	}
	for _, c := range all {
		cs.wait.Go(func() {
			ops, err := c.work(ctx, working)
			cs.mu.Lock()
			defer cs.mu.Unlock()
			cs.ops = append(cs.ops, ops...)
			if cs.err == nil {
				cs.err = err
			}
		})
	}
	return cs, nil
}

// done waits until every client is cut off, or has ended what it was at when
// stop was called. The error is the first thing that no client may be told.
func (cs *clients) done() error {
	cs.wait.Wait()
	cs.stop()
	return cs.err
}

// allTold fails if a client whose server was not killed does not know the outcome of its op.
// pgx closes its connection when the server announces shutdown while pgx sends COPY data, and
// reports its own error instead.
func (cs *clients) allTold() error {
	var wrong []error
	for _, o := range cs.ops {
		if o.verdict == unknown && !strings.Contains(o.told, net.ErrClosed.Error()) {
			wrong = append(wrong, fmt.Errorf("a client was not told: %v", o))
		}
	}
	return errors.Join(wrong...)
}

// work runs ops until working ends or the connection does.
func (c *client) work(ctx, working context.Context) (ops []*op, err error) {
	defer c.conn.Close(ctx)
	for working.Err() == nil && !c.conn.IsClosed() {
		s := shapes[c.rand.IntN(len(shapes))]
		o := c.ledger.begin(s)
		ops = append(ops, o)
		if err := o.run(ctx, s, c.conn); err != nil {
			return ops, err
		}
	}
	return ops, nil
}

func (o *op) run(ctx context.Context, s shape, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	asked, err := s.run(ctx, conn, o.rows)
	return o.end(ctx, asked, err)
}
