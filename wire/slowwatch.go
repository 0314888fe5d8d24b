package wire

import (
	"sync"
	"sync/atomic"
	"time"
)

// readAheadDelay is how long a session works before another goroutine reads its client's messages
// ahead and notices that the client leaves. It may take up to twice as long.
const readAheadDelay = 10 * time.Millisecond

// slowWatch finds the sessions of a server that work for long. It runs periodically while sessions
// begin to work, and stops when none does.
type slowWatch struct {
	scheduled atomic.Bool

	mu   sync.Mutex
	seen map[*inbox]uint64 // the turn in which each was at the last look
}

func (w *slowWatch) add(in *inbox) {
	w.mu.Lock()
	if w.seen == nil {
		w.seen = map[*inbox]uint64{}
	}
	w.seen[in] = 0
	w.mu.Unlock()
	w.schedule()
}

func (w *slowWatch) remove(in *inbox) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.seen, in)
}

// schedule is called when a session begins to work.
func (w *slowWatch) schedule() {
	if !w.scheduled.Load() && w.scheduled.CompareAndSwap(false, true) {
		time.AfterFunc(readAheadDelay, w.scan)
	}
}

// scan makes the inboxes read ahead of the sessions that are in the same turn as at the last
// look.
func (w *slowWatch) scan() {
	w.scheduled.Store(false) // sessions that begin from here on are seen by the next look
	w.mu.Lock()
	defer w.mu.Unlock()
	for in, seen := range w.seen {
		turn := in.turn.Load()
		switch {
		case turn%2 == 0:
		case turn == seen:
			in.startReadAhead(turn)
		default:
			w.seen[in] = turn
			w.schedule()
		}
	}
}

// wakeAll wakes every session that waits.
func (w *slowWatch) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for in := range w.seen {
		in.wake()
	}
}
