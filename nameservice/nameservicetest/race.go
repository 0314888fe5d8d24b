package nameservicetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/nameservice"
)

// writers is the number of concurrent writers in a race, and services how many processes they are.
const writers, services = 16, 4

func (w *world) services() []nameservice.Service {
	all := make([]nameservice.Service, services)
	for i := range all {
		all[i] = w.store.Open()
	}
	return all
}

func testRaceCreate(w *world) {
	var won atomic.Int32
	all := w.services()
	var g errgroup.Group
	for i := range writers {
		g.Go(func() error {
			_, err := all[i%services].Create(w.Context(), nameservice.New{Alias: shop, CreatedAt: created.AddDate(0, 0, i)})
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, nameservice.ErrExists) {
				return err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil || won.Load() != 1 {
		w.Errorf("%d creators: %d have created the record, %v; want 1", writers, won.Load(), err)
	}
}

// testRaceHead: of those who push from the same head one wins, and its payload is what the next one
// must expect.
func testRaceHead(w *world) {
	w.create(shop)
	all := w.services()
	for commit := int64(1); commit <= 5; commit++ {
		from := w.get(shop).Head
		var mu sync.Mutex
		var winners []nameservice.Value
		var g errgroup.Group
		for i := range writers {
			g.Go(func() error {
				next := value(commit, fmt.Sprintf(`{"t":%d,"by":%d}`, commit, i))
				result, err := all[i%services].Write(w.Context(), shop, nameservice.NewPush(nameservice.Head, from, next))
				if result.Updated {
					mu.Lock()
					winners = append(winners, next)
					mu.Unlock()
				} else if err == nil && (result.Actual == nil || result.Actual.V != commit) {
					return fmt.Errorf("the loser %d saw %s, want commit %d", i, show(result.Actual), commit)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil || len(winners) != 1 {
			w.Fatalf("commit %d: %d winners, %v; want 1", commit, len(winners), err)
		}
		w.want("the winner's head", shop, nameservice.Head, winners[0])
	}
}

// accepted notes accepted pushes of one concern, each before the next one can begin from it.
type accepted struct {
	mu     sync.Mutex
	pushes []nameservice.Value
}

// testRaceConcerns: 16 writers push all four concerns at a time, and each pushes from what it has
// read. Every accepted push follows the one before it, and no push of a concern undoes that of
// another one.
func testRaceConcerns(w *world) {
	w.create(shop)
	all := w.services()
	const each = 8
	notes := [len(nameservice.Concerns)]accepted{}
	var g errgroup.Group
	for i := range writers {
		g.Go(func() error {
			s, c := all[i%services], nameservice.Concerns[i/services]
			note := &notes[c]
			for n := 0; n < each; {
				r, err := s.Get(w.Context(), shop)
				if err != nil {
					return err
				}
				from := r.Value(c)
				next := value(from.V+1, fmt.Sprintf(`{"writer":%d,"n":%d,"after":%d}`, i, n, from.V))
				result, err := s.Write(w.Context(), shop, nameservice.NewPush(c, from, next))
				switch {
				case err != nil:
					return err
				case result.Updated:
					note.mu.Lock()
					note.pushes = append(note.pushes, next)
					note.mu.Unlock()
					n++
				case result.Actual == nil || result.Actual.V <= from.V:
					return fmt.Errorf("%s: pushed from %d, the conflict is %s, want a later value", c, from.V, show(result.Actual))
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		w.Fatal(err)
	}
	end := w.get(shop)
	for _, c := range nameservice.Concerns {
		pushes := notes[c].pushes
		first := int64(1)
		if c == nameservice.Status {
			first = 2
		}
		seen := map[int64]nameservice.Value{}
		for _, p := range pushes {
			if other, twice := seen[p.V]; twice {
				w.Errorf("%s: %s and %s were both accepted", c, show(&other), show(&p))
			}
			seen[p.V] = p
		}
		for v := first; v < first+int64(writers/len(nameservice.Concerns)*each); v++ {
			if _, ok := seen[v]; !ok {
				w.Errorf("%s: nobody pushed %d, and later values were accepted", c, v)
			}
		}
		last := seen[end.Value(c).V]
		if got := end.Value(c); len(seen) == 0 || got.V != first+int64(len(pushes))-1 || !got.Equal(last) {
			w.Errorf("%s ends at %s, want the last of %d accepted pushes %s", c, show(&got), len(pushes), show(&last))
		}
	}
}

// testRaceLock: of all who want a soft lock at a time one gets it.
func testRaceLock(w *world) {
	w.create(shop)
	all := w.services()
	var mu sync.Mutex
	var holders []string
	var g errgroup.Group
	for i := range writers {
		g.Go(func() error {
			h := nameservice.Holder{Service: all[i%services], Name: fmt.Sprint("indexer-", i)}
			_, err := h.Acquire(w.Context(), shop, nameservice.IndexLock, 1)
			var held *nameservice.LockHeldError
			if errors.As(err, &held) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			holders = append(holders, h.Name)
			return err
		})
	}
	if err := g.Wait(); err != nil || len(holders) != 1 {
		w.Fatalf("the lock is held by %q, %v; want one holder", holders, err)
	}
	if l := nameservice.HeldLock(w.get(shop).Status, nameservice.IndexLock); l == nil || l.Holder != holders[0] {
		text, _ := json.Marshal(l)
		w.Errorf("the stored lock is %s, want that of %s", text, holders[0])
	}
}
