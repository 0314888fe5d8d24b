package duckdb

import (
	"math"
	"sync"
)

// heap limits the memory that all engines of the process use together. DuckDB does not count
// in its memory limit what a statement computes from the current rows (up to 2,048 per
// thread), mainly texts. The limit for that is half the sum of all memory limits, and at least
// minExtra; an allocation beyond it fails with out of memory.
type heap struct {
	mu        sync.Mutex
	limits    int64 // of all engines
	unlimited int   // engines without a limit
	granted   int64
}

// minExtra is the least memory that engines may use beyond their limits.
const minExtra = 1 << 30

var engines heap

// count adds n engines, or removes them if n is negative, with a memory limit each, 0 for
// none.
func (h *heap) count(n int, limit int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limits += int64(n) * limit
	if limit == 0 {
		h.unlimited += n
	}
	give := h.limits + max(h.limits/2, minExtra)
	if h.unlimited > 0 {
		give = math.MaxInt64 / 2
	}
	addHeap(give - h.granted)
	h.granted = give
}
