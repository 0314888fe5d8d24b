package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

const (
	// lease is short because every kill leaves a lock that the next server has to
	// wait for.
	lease = 1500 * time.Millisecond
	// calm is the lease of servers that are not killed: no stall of the machine
	// makes them lose it.
	calm = 30 * time.Second
	// lockTimeout is longer than any lease of the dead.
	lockTimeout = 20 * time.Second
)

// world is one store and the servers that live and die on it.
type world struct {
	store  *store
	ledger *ledger
	rand   *rand.Rand
	count  *figures
	known  map[string]bool // attempts that earlier kills left behind
}

func newWorld(s *store, r *rand.Rand, count *figures) *world {
	return &world{store: s, ledger: newLedger(count), rand: r, count: count, known: map[string]bool{}}
}

// live lets servers die for n rounds, then leaves the store in order and holds
// what it shows against the ledger, with its indexes and without them.
func (w *world) live(ctx context.Context, first, n int) error {
	v, err := serve(w.store, lease, lockTimeout)
	if err != nil {
		return err
	}
	defer func() { v.kill() }()
	if err := w.probe(ctx, v); err != nil {
		return err
	}
	for round := first; round < first+n; round++ {
		a := aimOf(round, w.rand)
		if v, err = w.round(ctx, v, a, round%7 == 6); err != nil {
			return fmt.Errorf("round %d, killed %s: %w", round, a, err)
		}
	}
	return w.end(ctx, v)
}

// round kills v and gives back the next server, which has been held against
// the ledger.
func (w *world) round(ctx context.Context, v *server, a aim, thorough bool) (*server, error) {
	left, err := w.strike(ctx, v, a)
	if err != nil {
		return v, err
	}
	if a.heir {
		heir, err := serve(w.store, lease, lockTimeout)
		if err != nil {
			return v, err
		}
		// All of this time is counted for the first server, because the shares are not known.
		late := aim{after: time.Duration(w.rand.Int64N(int64(lease + longest))), heir: true}
		after, err := w.strike(ctx, heir, late)
		if err != nil {
			return heir, fmt.Errorf("and the next one %s: %w", late, err)
		}
		w.count.kill(late, after.window(0))
		a.heir = false
	}
	if thorough {
		if err := w.store.healthy(ctx, false); err != nil {
			return v, err
		}
	}
	started := time.Now()
	next, err := serve(w.store, lease, lockTimeout)
	if err != nil {
		return v, err
	}
	if err := w.probe(ctx, next); err != nil {
		return next, err
	}
	w.count.again(time.Since(started))
	landed, err := w.compare(ctx, next, thorough)
	if err != nil {
		return next, err
	}
	w.count.kill(a, left.window(landed))
	return next, nil
}

// strike kills a server at a moment under load.
func (w *world) strike(ctx context.Context, v *server, a aim) (remains, error) {
	seen, err := newWatch(w.store.path)
	if err != nil {
		return remains{}, err
	}
	defer seen.close()
	cs, err := load(ctx, v, w.ledger, w.rand, 4)
	if err != nil {
		return remains{}, err
	}
	err = a.wait(ctx, seen)
	v.kill()
	if err := errors.Join(err, cs.done(), v.checkLog()); err != nil {
		return remains{}, fmt.Errorf("%w; the server's log:\n%s", err, v.log)
	}
	left, err := w.store.inspect(ctx, w.known)
	if err != nil {
		return remains{}, fmt.Errorf("look at what is left: %w", err)
	}
	return left, nil
}

// probe writes one row. A server must accept that at once, or as soon as the
// lease of a dead one has ended. A lease that a stall of the machine took is
// the one refusal that is borne: 40001 is an invitation to try again.
func (w *world) probe(ctx context.Context, v *server) error {
	conn, err := v.connect(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w; the server's log:\n%s", err, v.log)
	}
	defer conn.Close(ctx)
	for began := time.Now(); ; {
		o := w.ledger.begin(shapes[0])
		if err := o.run(ctx, shapes[0], conn); err != nil {
			return err
		}
		if o.verdict == acknowledged {
			return nil
		}
		if !strings.HasPrefix(o.reason, "40001") || time.Since(began) > patience {
			return fmt.Errorf("a new server does not accept a write after %s: %v; its log:\n%s", time.Since(began), o, v.log)
		}
	}
}

// compare holds what a server shows against the ledger: the commits since the
// last time, and if it is to be thorough all that went before too.
func (w *world) compare(ctx context.Context, v *server, thorough bool) (landed int, err error) {
	conn, err := v.connect(ctx)
	if err != nil {
		return 0, fmt.Errorf("connect: %w; the server's log:\n%s", err, v.log)
	}
	defer conn.Close(ctx)
	s, err := look(ctx, conn, w.ledger.head)
	if err != nil {
		return 0, err
	}
	if landed, err = w.ledger.settle(s); err != nil || !thorough {
		return landed, err
	}
	return landed, w.everything(ctx, v)
}

// everything holds all of history, and today's rows, against the ledger.
func (w *world) everything(ctx context.Context, v *server) error {
	conn, err := v.connect(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w; the server's log:\n%s", err, v.log)
	}
	defer conn.Close(ctx)
	history, err := look(ctx, conn, 1)
	if err != nil {
		return err
	}
	latest, err := lookAtLatest(ctx, conn)
	if err != nil {
		return err
	}
	return errors.Join(w.ledger.whole(history), w.ledger.latest(latest))
}

// end lets a last server write once and end in order. Then servers that know
// nothing of the store answer the same from its indexes and without them (I5).
func (w *world) end(ctx context.Context, v *server) error {
	if err := v.terminate(); err != nil {
		return err
	}
	last, err := serve(w.store, calm, lockTimeout)
	if err != nil {
		return err
	}
	defer last.kill()
	if err := w.probe(ctx, last); err != nil {
		return err
	}
	if _, err := w.compare(ctx, last, true); err != nil {
		return err
	}
	if err := w.ended(ctx, last); err != nil {
		return err
	}
	if err := w.newcomer(ctx); err != nil {
		return err
	}
	if err := w.store.withoutIndexes(ctx); err != nil {
		return err
	}
	if err := w.newcomer(ctx); err != nil {
		return fmt.Errorf("without indexes: %w", err)
	}
	return w.store.healthy(ctx, false)
}

// newcomer is a server without a cache.
func (w *world) newcomer(ctx context.Context) error {
	if err := os.RemoveAll(w.store.cache); err != nil {
		return err
	}
	v, err := serve(w.store, calm, lockTimeout)
	if err != nil {
		return err
	}
	defer v.kill()
	if err := w.everything(ctx, v); err != nil {
		return err
	}
	return v.terminate()
}

// ended stops a server in order and checks the store afterwards: no lock object, no violated
// rule, no index behind the head.
func (w *world) ended(ctx context.Context, v *server) error {
	if err := v.terminate(); err != nil {
		return err
	}
	lock, err := w.store.lock(ctx)
	if err != nil {
		return err
	}
	compacted := lock != nil && lock.Released() && strings.HasPrefix(lock.OwnerID, "compact-") // which leaves it so (A30)
	if lock != nil && !compacted {
		return fmt.Errorf("after SIGTERM the lock object is there: %+v; the server's log:\n%s", *lock, v.log)
	}
	if err := w.store.healthy(ctx, true); err != nil {
		return fmt.Errorf("after SIGTERM: %w; the server's log:\n%s", err, v.log)
	}
	return nil
}
