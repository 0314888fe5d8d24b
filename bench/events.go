package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/objects"
	"github.com/ontosql/ontosql/eventbus/worker"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/writepath"
)

const (
	eventWorkers   = 16
	eventNamespace = "bench"
	eventType      = "bench.sent"
	eventHandler   = "bench"
)

// busOpener opens a bus on a store. The caller ends it with the function.
type busOpener func() (eventbus.Bus, func() error, error)

// eventBus is P25: how many events a second workers take from the bus and acknowledge, what a poll of
// a long log costs, and how long after its commit a handler has an event.
func eventBus(ctx context.Context, l *lab, r *result) error {
	far, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer far.close()
	for _, one := range []struct {
		name   string
		events int // at size S; ten times as many at M and L
		goal   float64
		open   func() (busOpener, error)
	}{
		{"S3 at 10 ms", 400, 400, func() (busOpener, error) { return l.farBuses(ctx, far) }},
		{"directory", 3000, 3000, func() (busOpener, error) { return l.directoryBuses() }},
		{"SQLite file", 5000, 5000, func() (busOpener, error) { return l.fileBuses(ctx) }},
	} {
		open, err := one.open()
		if err != nil {
			return err
		}
		n := one.events
		if l.size.Long > 1000 {
			n *= 5
		}
		rate, err := ackedRate(ctx, open, n)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		r.atLeast(fmt.Sprintf("%d workers, %s", eventWorkers, one.name), rate, "events/s", one.goal)
	}
	if err := l.longLog(ctx, r); err != nil {
		return fmt.Errorf("a long log: %w", err)
	}
	return l.notified(ctx, far, r)
}

// farBuses opens buses on an empty bucket that is far away.
func (l *lab) farBuses(ctx context.Context, far *remote) (busOpener, error) {
	if _, err := far.near(ctx, "bus"); err != nil {
		return nil, err
	}
	return func() (eventbus.Bus, func() error, error) {
		b, err := far.far(ctx, "bus")
		if err != nil {
			return nil, nil, err
		}
		return objects.Open(objects.Options{Bucket: b}), func() error { return nil }, nil
	}, nil
}

// directoryBuses opens buses in an empty directory.
func (l *lab) directoryBuses() (busOpener, error) {
	path, err := l.newDir("bus")
	if err != nil {
		return nil, err
	}
	return func() (eventbus.Bus, func() error, error) {
		b, err := dir.Open(path, dir.Options{})
		if err != nil {
			return nil, nil, err
		}
		return objects.Open(objects.Options{Bucket: b}), func() error { return nil }, nil
	}, nil
}

// fileBuses opens buses in a new SQLite file, each with connections of its own.
func (l *lab) fileBuses(ctx context.Context) (busOpener, error) {
	folder, err := l.newDir("bus")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "onto.db")
	if _, err := initdb.Init(ctx, path, initdb.Options{URI: path, Engine: format.EngineV1}); err != nil {
		return nil, err
	}
	return func() (eventbus.Bus, func() error, error) {
		db, err := sqlite.Open(sqlite.Options{Path: path})
		if err != nil {
			return nil, nil, err
		}
		bus := events.Open(events.Options{DB: db})
		return bus, func() error { return errors.Join(bus.Close(), db.Close()) }, nil
	}, nil
}

// ackedRate sends n events and has workers, each with a bus of its own, take and acknowledge them all.
func ackedRate(ctx context.Context, open busOpener, n int) (float64, error) {
	buses := make([]eventbus.Bus, eventWorkers)
	for i := range buses {
		bus, end, err := open()
		if err != nil {
			return 0, err
		}
		defer func() { _ = end() }()
		buses[i] = bus
	}
	if err := sendEvents(ctx, buses[0], n); err != nil {
		return 0, err
	}
	work := &takers{n: n, done: make(chan struct{})}
	all, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for i, bus := range buses {
		all.Go(func() error { return work.take(ctx, bus, fmt.Sprint("worker-", i)) })
	}
	err := all.Wait()
	if got := int(work.acked.Load()); err == nil && got != n {
		err = fmt.Errorf("%d of %d events were acknowledged", got, n)
	}
	return float64(n) / work.ended.Sub(began).Seconds(), err
}

// sendEvents enqueues n events.
func sendEvents(ctx context.Context, bus eventbus.Bus, n int) error {
	for n > 0 {
		batch := make([]eventbus.New, min(n, 500))
		for i := range batch {
			batch[i] = eventbus.New{Namespace: eventNamespace, Type: eventType, Payload: []byte(`{"n": 1}`)}
		}
		if _, err := bus.Enqueue(ctx, batch); err != nil {
			return err
		}
		n -= len(batch)
	}
	return nil
}

// atOnce is how many events a worker claims and acknowledges at a time.
const atOnce = 20

// takers are workers that together acknowledge n events.
type takers struct {
	n     int
	acked atomic.Int64
	done  chan struct{} // closed with the last acknowledgement
	ended time.Time     // its time
}

// take claims and acknowledges events until all are acknowledged. If there is none it waits as long
// as a worker does.
func (t *takers) take(ctx context.Context, bus eventbus.Bus, session string) error {
	for {
		got, err := bus.Claim(ctx, eventbus.Request{Namespace: eventNamespace, Handler: eventHandler, Types: []string{eventType}, Session: session, Limit: atOnce})
		if err != nil {
			return err
		}
		var each errgroup.Group
		for i := range got {
			each.Go(func() error {
				held, err := bus.Ack(ctx, got[i].Lease)
				if held && int(t.acked.Add(1)) == t.n {
					t.ended = time.Now()
					close(t.done)
				}
				return err
			})
		}
		if err := each.Wait(); err != nil {
			return err
		}
		pause := worker.DefaultPoll
		if len(got) > 0 {
			pause = 0
		}
		select {
		case <-t.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// longLog counts the requests of a poll when all events but ten are acknowledged.
func (l *lab) longLog(ctx context.Context, r *result) error {
	path, err := l.newDir("bus")
	if err != nil {
		return err
	}
	disk, err := dir.Open(path, dir.Options{})
	if err != nil {
		return err
	}
	counted := metered.New(disk, metered.Options{})
	bus := objects.Open(objects.Options{Bucket: counted})
	// They are of the last day, but for the ten.
	old := 10 * l.size.Long
	past := time.Now().Add(-24 * time.Hour)
	sender := objects.Open(objects.Options{Bucket: disk, Now: func() time.Time {
		past = past.Add(24 * time.Hour / time.Duration(old))
		return past
	}})
	if err := sendEvents(ctx, sender, old); err != nil {
		return err
	}
	work := &takers{n: old, done: make(chan struct{})}
	if err := work.take(ctx, bus, "first"); err != nil {
		return err
	}
	if err := sendEvents(ctx, bus, 10); err != nil {
		return err
	}
	asked, counter := metered.WithCounter(ctx)
	got, err := bus.Claim(asked, eventbus.Request{Namespace: eventNamespace, Handler: eventHandler, Types: []string{eventType}, Session: "second", Limit: 100})
	if err != nil {
		return err
	}
	if len(got) != 10 {
		return fmt.Errorf("%d of 10 new events were claimed", len(got))
	}
	counts := counter.Counts()
	r.atMost(fmt.Sprintf("poll of %d acknowledged events: listings", old), float64(counts[objstore.OpList].Requests), "", 2)
	r.note("poll of ten new events: reads", float64(counts[objstore.OpGet].Requests), "")
	return nil
}

// notified measures how long after a transaction with an event the session that listens has claimed it:
// in the gateway of the sender, and in another.
func (l *lab) notified(ctx context.Context, far *remote, r *result) error {
	b, err := far.near(ctx, "notified")
	if err != nil {
		return err
	}
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{URI: "s3://notified", Engine: format.EngineV1}); err != nil {
		return err
	}
	var sessions [3]*pgconn.PgConn // the sender, a listener of its gateway, one of another gateway
	var own *gateway
	for i := range sessions {
		if i != 1 {
			cache, err := l.newDir("cache")
			if err != nil {
				return err
			}
			g, err := l.serve(ctx, "--storage-uri", "s3://notified", "--s3-endpoint-url", far.proxy.endpoint(), "--cache-dir", cache)
			if err != nil {
				return err
			}
			defer g.stop()
			own = g
		}
		if sessions[i], err = pgconn.Connect(ctx, own.dsn); err != nil {
			return err
		}
		defer sessions[i].Close(ctx)
	}
	if err := perform(ctx, sessions[0], "CREATE TABLE noted (id text PRIMARY KEY)"); err != nil {
		return err
	}
	for _, one := range []struct {
		name    string
		session *pgconn.PgConn
		goal    float64
	}{{"same gateway", sessions[1], 50}, {"another gateway", sessions[2], 1200}} {
		took, err := l.untilClaimed(ctx, sessions[0], one.session, 5*l.laps)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		r.atMost("commit to handler, "+one.name, milliseconds(took.median()), "ms", one.goal)
		r.timed("commit to handler, "+one.name, took)
		if err := perform(ctx, one.session, "UNLISTEN *"); err != nil {
			return err
		}
	}
	return nil
}

// untilClaimed has events sent with commits, and measures from the answer of COMMIT to that of the
// claim of a session that listens.
func (l *lab) untilClaimed(ctx context.Context, sender, listener *pgconn.PgConn, times int) (took samples, err error) {
	if err := perform(ctx, listener, `LISTEN "ontosql.events:`+eventNamespace+`"`); err != nil {
		return nil, err
	}
	handler := uuid.NewString()
	claim := fmt.Sprintf("SELECT id FROM ontosql.claim('%s', ARRAY['%s'], namespace => '%s')", handler, eventType, eventNamespace)
	if err := perform(ctx, listener, claim); err != nil { // what was there before
		return nil, err
	}
	for range times {
		err := perform(ctx, sender, fmt.Sprintf("BEGIN; INSERT INTO noted VALUES ('%s'); SELECT ontosql.enqueue('%s', '{}', namespace => '%s'); COMMIT", uuid.NewString(), eventType, eventNamespace))
		if err != nil {
			return nil, err
		}
		began := time.Now()
		for claimed := false; !claimed; {
			if err := listener.WaitForNotification(ctx); err != nil {
				return nil, err
			}
			rows, err := listener.Exec(ctx, claim).ReadAll()
			if err != nil {
				return nil, err
			}
			claimed = len(rows[0].Rows) > 0
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// perform runs statements and drops their answers.
func perform(ctx context.Context, c *pgconn.PgConn, sql string) error {
	if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(sql), err)
	}
	return nil
}
