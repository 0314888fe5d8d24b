package histories

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/writepath"
)

const (
	// lease is short, so that dead owners do not fill a history.
	lease = time.Second
	// margin is what clocks may differ by (invariant I7).
	margin = lease / 3
	// lockWait is how long writers wait for the lock.
	lockWait = 5 * time.Second
	// enough commits make a history long enough.
	enough = 900
)

// scene is a history while it happens.
type scene struct {
	seed   uint64
	random *rand.Rand
	place  *place
	home   string // logs, caches, and what a failure leaves

	record   *record
	newest   atomic.Int64
	gateways []*gateway
	writers  []*writerProcess
	raw      []*rawClient
	wired    []*wireClient
	rivals   []*wireClient
	opened   int64
}

// build founds the ontology and starts everybody. What a seed does not say is
// the same in every history.
func build(t *testing.T, seed uint64) *scene {
	t.Helper()
	s := &scene{seed: seed, random: rand.New(rand.NewPCG(seed, 's')), record: &record{}}
	var err error
	if s.home, err = os.MkdirTemp("", fmt.Sprintf("ontosql-history-%d-", seed)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			os.RemoveAll(s.home)
		}
	})
	if seed%2 == 0 {
		s.place = inDirectory(t)
	} else {
		s.place = inS3(t, seed)
	}
	engine := format.EngineV1
	if s.random.IntN(4) == 0 {
		engine = format.EngineV2
	}
	if err := found(t.Context(), s.place.bucket, engine); err != nil {
		t.Fatal(err)
	}
	s.record.began = time.Now()
	if err := s.founding(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.cast()
	for _, p := range s.participants() {
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.process().kill() })
	}
	return s
}

// founding is the first commit that is an operation: it fills the purses.
func (s *scene) founding(ctx context.Context) error {
	o := s.record.begin(0, "founder", "founding", founded())
	o.Pin = 1
	c := writepath.Open(writepath.Options{Bucket: s.place.bucket, RuntimeID: "founder"})
	out, err := c.Commit(ctx, transaction(o.Pin, o.Tag, o.Rows))
	if err != nil {
		return errors.Join(err, c.Close(ctx))
	}
	o.Commit, o.Attempt, s.opened = int64(out.Commit), out.Attempt, int64(out.Commit)
	s.record.end(o, committed, nil)
	s.newest.Store(o.Commit)
	return c.Close(ctx)
}

// cast decides who takes part: gateways with three clients each, writers
// with two, and an original with one.
func (s *scene) cast() {
	next := func() client {
		id := 1 + len(s.raw) + len(s.wired) + len(s.rivals)
		return client{record: s.record, id: id, random: rand.New(rand.NewPCG(s.seed, uint64(id))), newest: &s.newest}
	}
	shared := s.random.IntN(2) == 0 // the gateways have one cache
	for i := range 2 + s.random.IntN(2) {
		cache := filepath.Join(s.home, "cache")
		if !shared {
			cache += fmt.Sprint("-", i)
		}
		maxAge := time.Duration(0)
		if i == 0 && s.random.IntN(3) == 0 {
			maxAge = between(s.random, 100*time.Millisecond, time.Second)
		}
		g := newGateway(fmt.Sprint("gateway-", i), s.home, cache, maxAge, s.place)
		s.gateways = append(s.gateways, g)
		for range 3 {
			s.wired = append(s.wired, &wireClient{client: next(), to: g})
		}
	}
	for _, c := range s.wired {
		c.rival = &wireClient{client: next(), to: s.gateways[s.random.IntN(len(s.gateways))]}
		s.rivals = append(s.rivals, c.rival)
	}
	for i := range 3 + s.random.IntN(2) {
		config := s.place.config
		// Gateways have the true clock, so all clocks are within the margin.
		config.Lease, config.Wait, config.Skew = lease, lockWait, time.Duration(s.random.Int64N(int64(margin)))
		name, clients := fmt.Sprint("writer-", i), 2
		if i == 0 {
			config.Original, name, clients = true, "original", 1
		}
		w := newWriterProcess(name, s.home, config)
		s.writers = append(s.writers, w)
		for range clients {
			s.raw = append(s.raw, &rawClient{client: next(), to: w})
		}
	}
}

func (s *scene) participants() []*participant {
	var all []*participant
	for _, g := range s.gateways {
		all = append(all, &g.participant)
	}
	for _, w := range s.writers {
		all = append(all, &w.participant)
	}
	return all
}

// play lets the clients ask for so long while the nemesis does its work.
func (s *scene) play(t *testing.T, length time.Duration) *nemesis {
	t.Helper()
	n := &nemesis{record: s.record, random: rand.New(rand.NewPCG(s.seed, 'n')), among: s.participants(), net: s.place.proxy, head: s.place.head}
	done := make(chan struct{})
	var clients sync.WaitGroup
	end := time.Now().Add(length)
	ask := func(step func(), rest func()) {
		clients.Go(func() {
			for time.Now().Before(end) && s.newest.Load() < enough {
				step()
				rest()
			}
		})
	}
	for _, c := range s.raw {
		ask(c.step, c.rest)
	}
	for _, c := range s.wired {
		ask(c.step, c.rest)
	}
	go func() {
		for time.Now().Before(end) && s.newest.Load() < enough {
			time.Sleep(20 * time.Millisecond)
		}
		close(done)
	}()
	if err := n.run(done); err != nil {
		t.Error(err)
	}
	clients.Wait()
	if s.place.proxy != nil {
		s.place.proxy.clear()
	}
	for _, c := range s.wired { // everybody sees the end
		if c.ready() {
			c.readAll()
			c.readPast()
			c.askFate()
		}
		c.close()
		c.rival.close()
	}
	return n
}
