package schemas

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/writepath"
)

// The bounded form: so many histories of so many operations.
const (
	seeds  = 9
	length = 40
)

// What an operation is beyond a statement (stepOf): the original commits, and a
// client begins or ends a transaction.
const (
	foreign = 20
	block   = 100
)

// TestHistories lets sessions of two gateways, and the original where the store is a
// bucket, change one store at random, schemas and rows, in transactions and alone, and
// holds what they see of it against the model: in the end and now and then. One gateway
// has a mirror. What fails is run again with fewer operations, until none can be left out.
func TestHistories(t *testing.T) {
	try := func(seed uint64) bool {
		return t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { tell(t, seed) })
	}
	if text := os.Getenv("ONTOSQL_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		try(seed)
		return
	}
	if torture == 0 {
		for seed := range uint64(seeds) {
			try(seed)
		}
		return
	}
	began := time.Now()
	for seed := uint64(began.Unix()); time.Since(began) < torture; seed++ {
		if !try(seed) {
			return
		}
	}
}

// tell tells one history.
func tell(t *testing.T, seed uint64) {
	draw := rand.New(rand.NewPCG(seed, 7))
	ops := make([]op, length*(1+int(seed%4)))
	if torture == 0 {
		ops = ops[:length]
	}
	clients := 1 + seed/3%3 // from one session and from several
	for i := range ops {
		o := op{Who: draw.IntN(int(clients)), What: draw.IntN(21), A: draw.IntN(64), B: draw.IntN(64), N: draw.IntN(1000)}
		if draw.IntN(5) == 0 {
			o.What = block
		}
		ops[i] = o
	}
	place := places[seed%3]
	engine := []string{format.EngineV1, format.EngineV2}[seed%2]
	_, err := play(t, place, engine, seed, ops)
	if err == nil {
		return
	}
	kind := func(err error) string { first, _, _ := strings.Cut(err.Error(), " "); return first }
	ops = shrink(ops, func(fewer []op) bool {
		_, less := play(t, place, engine, seed, fewer)
		return less != nil && kind(less) == kind(err)
	})
	trace, less := play(t, place, engine, seed, ops)
	for _, line := range trace {
		t.Log(line)
	}
	again := fmt.Sprint("ONTOSQL_SEED=", seed)
	if torture > 0 { // else its first operations alone are tried again
		again += " ONTOSQL_TORTURE=" + torture.String()
	}
	t.Errorf("%s, engine %s: %v\nwith the %d operations above: %v\nagain: %s go test -count=1 -run TestHistories ./tests/schemas", place, engine, err, len(ops), less, again)
}

// shrink leaves operations out, ever fewer at once, as long as it fails without.
func shrink(ops []op, fails func([]op) bool) []op {
	until := time.Now().Add(time.Minute)
	for size := len(ops) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(ops); {
			fewer := slices.Delete(slices.Clone(ops), at, at+size)
			switch {
			case time.Now().After(until):
				return ops
			case fails(fewer):
				ops = fewer
			default:
				at += size
			}
		}
	}
	return ops
}

// history is a store, its clients, and the model of what is committed.
type history struct {
	disk    objstore.Bucket // nil for a SQLite file
	world   *world
	clients []*client
	readers []*session // one of each gateway
}

// places are where histories take place.
var places = []string{"memory", "directory", "sqlite"}

// begin makes an empty store.
func begin(ctx context.Context, t *testing.T, place, engine string) (gatewaytest.Options, error) {
	if place == "sqlite" {
		path := filepath.Join(t.TempDir(), "onto.db")
		_, err := initdb.Init(ctx, path, initdb.Options{Engine: engine})
		return gatewaytest.Options{SQLite: path}, err
	}
	var b objstore.Bucket = mem.New("onto")
	if place == "directory" {
		var err error
		if b, err = dir.Open(t.TempDir(), dir.Options{}); err != nil {
			return gatewaytest.Options{}, err
		}
	}
	_, err := writepath.Init(ctx, b, writepath.InitOptions{URI: "mem://onto", Engine: engine, Now: time.Now})
	return gatewaytest.Options{Bucket: b}, err
}

// play runs operations on a new store. trace is what was done.
func play(t *testing.T, place, engine string, seed uint64, ops []op) (trace []string, err error) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store, err := begin(ctx, t, place, engine)
	if err != nil {
		return nil, err
	}
	h := &history{disk: store.Bucket, world: &world{engine: engine, keepsRows: place == "sqlite", tables: map[string]*modelTable{}}}
	for i := range 2 {
		store.Mirror = i == 0
		g, err := openGate(ctx, store)
		if err != nil {
			return nil, err
		}
		defer g.Close()
		for k := range 3 - i { // two clients and a reader here, a client and a reader there
			s, err := g.session(ctx)
			if err != nil {
				return nil, err
			}
			defer s.Close()
			if k == 0 {
				h.readers = append(h.readers, s)
			} else {
				h.clients = append(h.clients, &client{session: s})
			}
			s.said = func(sql string, err error) {
				trace = append(trace, fmt.Sprintf("%d.%d at %d: %s -- %s", i, k, h.world.head, sql, stateOf(err)))
			}
		}
	}
	draw := rand.New(rand.NewPCG(seed, 11))
	for _, o := range ops {
		c := h.clients[o.Who]
		if err := h.take(c, o); err != nil {
			return trace, err
		}
		switch look := draw.IntN(100); {
		case look < 30:
			err = h.glance(c, draw)
		case look < 50:
			err = h.glance(&client{session: h.readers[look%2]}, draw)
		}
		if err != nil {
			return trace, err
		}
	}
	for _, c := range h.clients {
		if c.open {
			if err := h.commit(c); err != nil {
				return trace, err
			}
		}
	}
	for _, s := range h.readers {
		if err := h.everything(s); err != nil {
			return trace, err
		}
	}
	return trace, nil
}
