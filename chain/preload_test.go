package chain

import (
	"fmt"
	"sync"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// offer gives the log the manifest of a commit as its writer does.
func (s *store) offer(l *Log, id ontosql.CommitID, attempt string) {
	s.t.Helper()
	path := format.ManifestKey(id, attempt)
	body, _, err := s.mem.Get(s.t.Context(), path)
	if err != nil {
		s.t.Fatal(err)
	}
	l.Preload(path, body)
}

// TestOfferedManifestsAreNotRead offers manifests that this process wrote, in any order. They
// cost no request.
func TestOfferedManifestsAreNotRead(t *testing.T) {
	dir, s := t.TempDir(), newStore(t).grow(20, "a")
	l := openLog(t, dir, s)
	view(t, l, s.head)
	check := func(what string, want int64) {
		t.Helper()
		gets, lists := s.asked(func() { checkView(t, view(t, l, s.head), s.head, always("a")) })
		if gets != want || lists != 0 {
			t.Errorf("%s: %d gets and %d lists, want %d gets", what, gets, lists, want)
		}
	}
	for range 3 {
		s.grow(1, "a")
		s.offer(l, s.head.CommitID, "a")
		check("one commit, offered", 0)
	}
	s.grow(100, "a")
	for id := s.head.CommitID; id > s.head.CommitID-100; id-- {
		s.offer(l, id, "a")
	}
	check("a hundred commits, all offered", 0)
	s.grow(3, "a")
	s.offer(l, s.head.CommitID, "a")
	s.offer(l, s.head.CommitID-2, "a")
	check("a foreign commit between two offered ones", 1)

	// A later commit is offered before the one before it is asked for.
	s.grow(2, "a")
	s.offer(l, s.head.CommitID, "a")
	s.offer(l, s.head.CommitID-1, "a")
	newest := s.head.CommitID
	s.back(newest-1, "a")
	check("the head before the newest", 0)
	s.back(newest, "a")
	check("the newest head", 0)
	if gets, lists := s.asked(func() { view(t, openLog(t, dir, s), s.head) }); gets+lists != 0 {
		t.Errorf("the next start: %d gets and %d lists, want none", gets, lists)
	}
}

// TestOfferedManifestIsBelievedOnlyBelowAHead offers an attempt that lost, which is no commit,
// and bytes that contradict the head, which are ignored.
func TestOfferedManifestIsBelievedOnlyBelowAHead(t *testing.T) {
	s := newStore(t).grow(5, "a")
	l := openLog(t, "", s)
	view(t, l, s.head)
	s.write(manifest(6, "lost", *s.head.ManifestPath), "lost")
	s.offer(l, 6, "lost")
	s.grow(2, "a")
	checkView(t, view(t, l, s.head), s.head, always("a"))

	s.grow(1, "a")
	path := *s.head.ManifestPath
	body, _, err := s.mem.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s.head.CommitSHA256 = checksum(body)
	l.Preload(path, append([]byte(" "), body...))
	if _, err := l.At(t.Context(), s.head); err == nil {
		t.Error("bytes that the head contradicts were believed")
	}
	checkView(t, view(t, l, s.head), s.head, always("a")) // the store has the right ones
}

// TestOffersThatNobodyAsksFor do not pile up.
func TestOffersThatNobodyAsksFor(t *testing.T) {
	s := newStore(t).grow(1, "a")
	l := openLog(t, "", s)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := range 2 * maxPreloaded / 4 {
				l.Preload(format.ManifestKey(ontosql.CommitID(2+i), fmt.Sprintf("%08x", n)), nil)
			}
		})
	}
	wg.Wait()
	if n := len(l.preloaded); n > maxPreloaded {
		t.Errorf("%d offers are kept, want %d at most", n, maxPreloaded)
	}
	s.grow(3, "a")
	checkView(t, view(t, l, s.head), s.head, always("a"))
}
