package writepath_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// account is the newest version of one identity.
type account struct {
	n  int
	at ontosql.CommitID
}

// bank is a store with accounts, several gateways and a writer of the
// original's behaviour, and everything that was acknowledged.
type bank struct {
	store     objstore.Bucket
	gateways  []*writepath.Committer
	accounts  int
	refused   int
	increases map[string]int // acknowledged increments, by counter

	mu    sync.Mutex
	acked map[ontosql.CommitID]acked
}

type acked struct {
	attempt string
	rows    map[string]account // what was written, and the version it was made from
}

const opening = 100 // units in each account

func accountOf(i int) string { return fmt.Sprint("account ", i) }
func counterOf(i int) string { return fmt.Sprint("counter ", i) }

// TestHistories lets several gateways and an original write to one store, at
// random, counters by compare-and-set and transfers between two accounts, each
// worked out from what the writer read at its pin. Every acknowledged change is
// then held against the chain: it is where it was said to be, and every version
// was made from the one just before it. So no increment is lost, and no unit of
// money is made or destroyed at any commit.
func TestHistories(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("memory, seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				disk := mem.New("x")
				b := &bank{store: slow(disk, time.Millisecond), accounts: 6}
				b.run(t, disk, seed, 3, 6, 8)
			})
		})
	}
	t.Run("directory", func(t *testing.T) {
		disk, err := dir.Open(t.TempDir(), dir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := &bank{store: disk, accounts: 4}
		b.run(t, disk, 99, 2, 2, 5)
	})
}

func (b *bank) run(t *testing.T, disk objstore.Bucket, seed uint64, gateways, clients, steps int) {
	initialise(t, disk, format.EngineV1, thing)
	b.acked, b.increases = map[ontosql.CommitID]acked{}, map[string]int{}
	for i := range gateways {
		b.gateways = append(b.gateways, writepath.Open(writepath.Options{
			Bucket: b.store, RuntimeID: fmt.Sprint("gateway-", i), LockTimeout: time.Minute,
		}))
	}
	b.open(t)
	var wg sync.WaitGroup
	for g := range gateways {
		for n := range clients {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(seed, uint64(g*clients+n)))
				for range steps {
					b.step(t, b.gateways[g], random)
				}
			})
		}
	}
	wg.Go(func() {
		w := &original.Writer{Bucket: b.store, Owner: "original"}
		if seed%2 == 0 { // its clock is ahead: it takes every lease over
			w.Now = ahead
		}
		for range steps {
			time.Sleep(100 * time.Millisecond)
			b.foreign(t, w)
		}
	})
	wg.Wait()
	for _, c := range b.gateways {
		closeIt(t, c)
	}
	b.check(t)
}

// open puts money into every account, in one commit.
func (b *bank) open(t *testing.T) {
	var rows []writepath.Row
	for i := range b.accounts {
		rows = append(rows, writepath.Row{Row: row(thing, accountOf(i), opening)})
	}
	if _, err := b.gateways[0].Commit(t.Context(), writepath.Tx{Pin: 1, Data: []writepath.Data{data(thing, rows...)}}); err != nil {
		t.Fatalf("open the accounts: %v", err)
	}
}

// step is one transaction of a client, tried until it is decided.
func (b *bank) step(t *testing.T, c *writepath.Committer, random *rand.Rand) {
	change, counter := map[string]int{}, ""
	if random.IntN(2) == 0 {
		counter = counterOf(random.IntN(2))
		change[counter] = 1
	} else {
		pair, amount := random.Perm(b.accounts)[:2], 1+random.IntN(30)
		change[accountOf(pair[0])], change[accountOf(pair[1])] = -amount, amount
	}
	for {
		pin, now := b.read(t)
		var rows []writepath.Row
		made := acked{rows: map[string]account{}}
		for id, by := range change {
			rows = append(rows, writepath.Row{Row: row(thing, id, now[id].n+by), Expected: now[id].at})
			made.rows[id] = account{now[id].n + by, now[id].at}
		}
		out, err := c.Commit(t.Context(), writepath.Tx{Pin: pin, Data: []writepath.Data{data(thing, rows...)}})
		var conflict *writepath.ConflictError
		switch {
		case errors.As(err, &conflict):
			if conflict.Actual <= pin || now[conflict.Key].at != conflict.Expected {
				t.Errorf("a conflict of what was read at %d: %v", pin, err)
			}
			b.mu.Lock()
			b.refused++
			b.mu.Unlock()
			continue
		case err != nil:
			t.Errorf("transaction %v: %v", change, err)
			return
		}
		b.mu.Lock()
		made.attempt = out.Attempt
		if _, twice := b.acked[out.Commit]; twice {
			t.Errorf("commit %d was acknowledged twice", out.Commit)
		}
		b.acked[out.Commit] = made
		if counter != "" {
			b.increases[counter]++
		}
		b.mu.Unlock()
		return
	}
}

// foreign lets the original increment a counter, read under its lock.
func (b *bank) foreign(t *testing.T, w *original.Writer) {
	id, err := w.Commit(t.Context(), func(*format.Head) ([]original.Data, error) {
		_, now := b.read(t)
		next := row(thing, counterOf(0), now[counterOf(0)].n+1)
		return []original.Data{{Type: thing, Rows: []format.Row{next}}}, nil
	})
	switch {
	case errors.Is(err, original.ErrHeadMismatch): // it took the lock from somebody who was faster
	case err != nil:
		t.Errorf("the original, commit %d: %v", id, err)
	default:
		b.mu.Lock()
		b.increases[counterOf(0)]++
		b.mu.Unlock()
	}
}

// read is a reader that knows nothing: the head, and down its chain the newest
// version of every identity.
func (b *bank) read(t *testing.T) (ontosql.CommitID, map[string]account) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	h := readHead(t, b.store)
	now := map[string]account{}
	for path := h.ManifestPath; path != nil; {
		m := b.manifest(ctx, t, *path)
		for i := range m.Files {
			for _, r := range b.rows(t, &m.Files[i], m.CommitID) {
				if _, newer := now[r.Key]; !newer {
					now[r.Key] = account{number(t, r.Fields), m.CommitID}
				}
			}
		}
		path = m.ParentManifestPath
	}
	return h.CommitID, now
}

// seen keeps manifests by path and rows by checksum: they never change (I4).
var seen sync.Map

func (b *bank) manifest(ctx context.Context, t *testing.T, path string) *format.Manifest {
	t.Helper()
	if m, ok := seen.Load(path); ok {
		return m.(*format.Manifest)
	}
	body, _, err := b.store.Get(ctx, path)
	if err != nil {
		t.Fatalf("read manifest: %v", err)
	}
	m, err := format.DecodeManifest(path, body)
	if err != nil {
		t.Fatal(err)
	}
	seen.Store(path, m)
	return m
}

func (b *bank) rows(t *testing.T, f *format.File, id ontosql.CommitID) []format.Row {
	t.Helper()
	if rows, ok := parsed.Load(f.ContentSHA256); ok {
		return rows.([]format.Row)
	}
	return rowsOf(t, b.store, f, id)
}

func number(t *testing.T, fields []byte) int {
	t.Helper()
	var v struct{ N int }
	if err := json.Unmarshal(fields, &v); err != nil {
		t.Fatal(err)
	}
	return v.N
}

// check replays the chain against what was acknowledged.
func (b *bank) check(t *testing.T) {
	t.Helper()
	model := map[string]account{}
	ours := 0
	for _, m := range verify(t, b.store) {
		made, acknowledged := b.acked[m.CommitID]
		if acknowledged {
			ours++
			if attemptOf(m) != made.attempt {
				t.Errorf("commit %d is of attempt %q, attempt %q was acknowledged", m.CommitID, attemptOf(m), made.attempt)
			}
		}
		total, n := 0, 0
		for i := range m.Files {
			for _, r := range b.rows(t, &m.Files[i], m.CommitID) {
				n++
				got := number(t, r.Fields)
				if want := made.rows[r.Key]; acknowledged && (got != want.n || model[r.Key].at != want.at) {
					t.Errorf("commit %d has %s = %d after version %d, acknowledged was %d made from version %d",
						m.CommitID, r.Key, got, model[r.Key].at, want.n, want.at)
				}
				model[r.Key] = account{got, m.CommitID}
			}
		}
		if acknowledged && n != len(made.rows) {
			t.Errorf("commit %d has %d rows, want %d", m.CommitID, n, len(made.rows))
		}
		for i := range b.accounts {
			total += model[accountOf(i)].n
		}
		if m.CommitID > 1 && total != b.accounts*opening {
			t.Errorf("at commit %d the accounts hold %d, want %d", m.CommitID, total, b.accounts*opening)
		}
	}
	if ours != len(b.acked) {
		t.Errorf("%d of %d acknowledged commits are on the chain", ours, len(b.acked))
	}
	for id, want := range b.increases {
		if got := model[id].n; got != want {
			t.Errorf("%s is %d, %d increments were acknowledged", id, got, want)
		}
	}
	t.Logf("%d commits acknowledged, %d conflicts", len(b.acked), b.refused)
}
