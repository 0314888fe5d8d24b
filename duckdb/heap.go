package duckdb

import (
	"math"
	"sync"
)

// heap bounds what the engines of the process take together. What a statement computes
// from the rows at hand, up to 2,048 a thread, the engine does not count in its
// MemoryLimit: texts above all. It has room for half as much as all limits together,
// and for leastBeside at least; who wants more hears that there is no memory.
type heap struct {
	mu        sync.Mutex
	limits    int64 // of all engines
	unlimited int   // engines without a limit
	granted   int64
}

// minExtra is what engines may take beside their limits, however small these are.
const minExtra = 1 << 30

var engines heap

// count counts engines of a limit, 0 for none.
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
