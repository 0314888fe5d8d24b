package wire

import (
	"sync"
	"sync/atomic"
	"time"
)

// readAheadDelay is the time after which another goroutine reads ahead for a session that is not
// reading, to notice when the client disconnects. The actual time may be up to twice as long.
const readAheadDelay = 10 * time.Millisecond

// slowWatch finds the sessions of a server that run a statement for long. It scans periodically while
// sessions are running statements.
type slowWatch struct {
	scheduled atomic.Bool

	mu   sync.Mutex
	seen map[*inbox]uint64 // the turn of each inbox at the last scan
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

// schedule schedules a scan unless one is scheduled. It is called when a session starts to work.
func (w *slowWatch) schedule() {
	if !w.scheduled.Load() && w.scheduled.CompareAndSwap(false, true) {
		time.AfterFunc(readAheadDelay, w.scan)
	}
}

// scan starts reading ahead for the sessions that are in the same turn as at the last scan.
func (w *slowWatch) scan() {
	w.scheduled.Store(false) // sessions that start from here on are found by the next scan
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

// wakeAll wakes every waiting session.
func (w *slowWatch) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for in := range w.seen {
		in.wake()
	}
}
