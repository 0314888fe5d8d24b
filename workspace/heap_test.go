package workspace_test

import (
	"testing"
)

// TestRowsOfAHeap: a heap knows about how many rows it has, also after the file is opened again.
func TestRowsOfAHeap(t *testing.T) {
	h := openHouse(t, t.TempDir())
	s := h.session()
	for v := range 5 {
		s.insert(v)
	}
	s.end(true)
	if got := s.table().Heap.Rows(); got != 5 {
		t.Errorf("the heap has about %d rows, want 5", got)
	}
	h.close()
	h = openHouse(t, h.dir)
	defer h.close()
	if got := h.session().table().Heap.Rows(); got != 5 {
		t.Errorf("opened again, the heap has about %d rows, want 5", got)
	}
}
