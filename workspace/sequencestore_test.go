package workspace_test

import (
	"sync"
	"testing"

	"github.com/ontosql/ontosql/workspace"
)

// sequence is the sequence s.q of the house, which it creates if there is none.
func (h *house) sequence() *workspace.Sequence {
	h.Helper()
	s := h.session()
	defer s.conn.Close()
	if q := s.temp.Shared().Sequence("s", "q"); q != nil {
		return q
	}
	state, err := s.temp.NewState(h.Context(), s.conn, "s", 1, false)
	if err != nil {
		h.Fatal(err)
	}
	s.temp.PutSequence(&workspace.Sequence{Schema: "s", Name: "q", Start: 1, Increment: 1, Min: 1, Max: 1 << 40, State: state})
	s.end(true)
	return s.temp.Shared().Sequence("s", "q")
}

// next takes values from a sequence.
func (h *house) next(q *workspace.Sequence, n int64) workspace.Values {
	h.Helper()
	v, ok, err := q.Next(h.Context(), h.engine, n)
	if err != nil || !ok {
		h.Errorf("no value: %v", err)
	}
	return v
}

// TestSequenceAfterCrash takes values, and looks at the sequence after a crash and after an
// orderly end of the process.
func TestSequenceAfterCrash(t *testing.T) {
	h := openHouse(t, t.TempDir())
	q := h.sequence()
	last := int64(0)
	for range 3000 {
		last = h.next(q, 1).Last
	}
	crashed := h.crash()
	h.close()

	h = openHouse(t, crashed)
	if v := h.next(h.sequence(), 1).First; v <= last || v > 4*last {
		t.Errorf("after a crash at %d the next value is %d", last, v)
	}
	h.close()

	h = openHouse(t, h.dir)
	q = h.sequence()
	first := h.next(q, 5)
	if err := q.Set(t.Context(), h.engine, 7, false); err != nil {
		t.Fatal(err)
	}
	crashed = h.crash()
	h.close()
	if first.Last-first.First != 4 {
		t.Errorf("five values are %v", first)
	}

	h = openHouse(t, crashed)
	defer h.close()
	if v := h.next(h.sequence(), 1).First; v != 7 {
		t.Errorf("after setval(7, false) the next value is %d", v)
	}
}

// TestSequenceShared takes values in many goroutines: each is given once.
func TestSequenceShared(t *testing.T) {
	h := openHouse(t, t.TempDir())
	defer h.close()
	q := h.sequence()
	var all sync.WaitGroup
	given := make(chan int64, 8000)
	for range 8 {
		all.Go(func() {
			for range 1000 {
				given <- h.next(q, 1).First
			}
		})
	}
	all.Wait()
	close(given)
	seen := map[int64]bool{}
	for v := range given {
		if seen[v] || v > 8000 {
			t.Fatalf("%d is given twice or too large", v)
		}
		seen[v] = true
	}
}

// TestSequenceOrderlyEnd looks at the next value after an orderly end: none is lost.
func TestSequenceOrderlyEnd(t *testing.T) {
	h := openHouse(t, t.TempDir())
	last := h.next(h.sequence(), 10).Last
	h.close()
	h = openHouse(t, h.dir)
	defer h.close()
	if v := h.next(h.sequence(), 1).First; v != last+1 {
		t.Errorf("after %d the next value is %d", last, v)
	}
}
