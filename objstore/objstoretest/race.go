package objstoretest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/objstore"
)

const racers = 64

func testRaceCreate(t *testing.T, b objstore.Bucket) {
	for round := range 3 {
		race(t, b, fmt.Sprintf("locks/%d", round), objstore.Absent)
	}
}

func testRaceSwap(t *testing.T, b objstore.Bucket) {
	v := put(t, b, "meta/head.json", "start")
	for range 3 {
		v = race(t, b, "meta/head.json", v)
	}
}

// race runs many concurrent swaps from one version. Exactly one must succeed. The
// others must fail with ErrPreconditionFailed or ErrConflict. The object must have the
// winner's content.
func race(t *testing.T, b objstore.Bucket, key string, from objstore.Version) objstore.Version {
	t.Helper()
	var wins atomic.Int32
	var winner atomic.Value
	start := make(chan struct{})
	var g errgroup.Group
	for i := range racers {
		body := fmt.Sprintf("%s: racer %d", from, i)
		g.Go(func() error {
			<-start
			for {
				_, err := b.Swap(t.Context(), key, from, []byte(body))
				switch {
				case err == nil:
					wins.Add(1)
					winner.Store(body)
					return nil
				case errors.Is(err, objstore.ErrConflict):
					continue
				case errors.Is(err, objstore.ErrPreconditionFailed):
					return nil
				}
				return err
			}
		})
	}
	close(start)
	if err := g.Wait(); err != nil {
		t.Fatalf("Swap of %s by one of %d racers: %v", key, racers, err)
	}
	body, v, err := b.Get(t.Context(), key)
	if err != nil || wins.Load() != 1 || string(body) != winner.Load() {
		t.Fatalf("%d racers for %s: %d won, the object is %q of %v, %v; want one winner and its body", racers, key, wins.Load(), body, winner.Load(), err)
	}
	return v
}

// testRaceCounter increments a number by compare-and-swap in several goroutines. A lost
// update shows in the sum.
func testRaceCounter(t *testing.T, b objstore.Bucket) {
	const writers, each = 8, 6
	put(t, b, "counter", "0")
	var g errgroup.Group
	for range writers {
		g.Go(func() error {
			for done := 0; done < each; {
				body, v, err := b.Get(t.Context(), "counter")
				if err != nil {
					return err
				}
				n, err := strconv.Atoi(string(body))
				if err != nil {
					return err
				}
				_, err = b.Swap(t.Context(), "counter", v, []byte(strconv.Itoa(n+1)))
				switch {
				case err == nil:
					done++
				case !errors.Is(err, objstore.ErrPreconditionFailed) && !errors.Is(err, objstore.ErrConflict):
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatalf("raise the counter: %v", err)
	}
	if got := string(get(t, b, "counter")); got != strconv.Itoa(writers*each) {
		t.Errorf("counter raised %d times by %d writers: got %s", each, writers, got)
	}
}

// testRaceTorn replaces an object while readers read it in every way. Each content is
// one repeated letter with its own length, so a mix is detected.
func testRaceTorn(t *testing.T, b objstore.Bucket) {
	content := func(i int) []byte {
		return bytes.Repeat([]byte{byte('a' + i%26)}, 1000+i%26*10000)
	}
	whole := func(body []byte) error {
		if len(body) == 0 || !bytes.Equal(body, content(int(body[0]-'a'))) {
			return fmt.Errorf("torn read: %d bytes beginning with %.10q", len(body), body)
		}
		return nil
	}
	put(t, b, "k", string(content(0)))
	var done atomic.Bool
	var g errgroup.Group
	g.Go(func() error {
		defer done.Store(true)
		for i := range 40 {
			if _, err := b.Put(t.Context(), "k", content(i)); err != nil {
				return err
			}
		}
		return nil
	})
	for range 3 {
		g.Go(func() error {
			for !done.Load() {
				body, _, err := b.Get(t.Context(), "k")
				if err != nil {
					return err
				}
				if err := whole(body); err != nil {
					return err
				}
			}
			return nil
		})
		g.Go(func() error {
			for !done.Load() {
				body, _, err := tryOpen(t.Context(), b, "k")
				if err != nil {
					return err
				}
				if err := whole(body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Errorf("read while the object is replaced: %v", err)
	}
}

// testRaceList writes during a List. The List must contain all objects written before
// it, a replaced object exactly once, and no key that was not written.
func testRaceList(t *testing.T, b objstore.Bucket) {
	put(t, b, "commits/replaced", "0")
	var written atomic.Int64
	var done atomic.Bool
	var g errgroup.Group
	g.Go(func() error {
		defer done.Store(true)
		for i := range 60 {
			if _, err := b.Put(t.Context(), fmt.Sprintf("commits/%03d", i), []byte("x")); err != nil {
				return err
			}
			written.Store(int64(i + 1))
			if _, err := b.Put(t.Context(), "commits/replaced", []byte(strconv.Itoa(i))); err != nil {
				return err
			}
		}
		return nil
	})
	for !done.Load() {
		before := written.Load()
		seen := map[string]int{}
		for _, key := range list(t, b, "commits/") {
			seen[key]++
		}
		want := []string{"commits/replaced"}
		for i := range before {
			want = append(want, fmt.Sprintf("commits/%03d", i))
		}
		for _, key := range want {
			if seen[key] != 1 {
				t.Errorf("List while writing: %q told %d times, want once, its write was acknowledged before", key, seen[key])
			}
			delete(seen, key)
		}
		for key := range seen {
			var i int64
			if n, err := fmt.Sscanf(key, "commits/%03d", &i); n != 1 || err != nil || i < before {
				t.Errorf("List while writing: told %q, which nobody wrote", key)
			}
		}
	}
	if err := g.Wait(); err != nil {
		t.Errorf("write: %v", err)
	}
}
