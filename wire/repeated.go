package wire

import (
	"log/slog"
	"sync"
	"time"
)

// logInterval is the time for which repeated counts events before it logs them together.
const logInterval = 10 * time.Second

// repeated logs events that others can cause at any rate: the first ones of an interval in lines
// of their own, the number of the others in one line at its end.
type repeated struct {
	log     *slog.Logger
	message string
	lines   int // in an interval

	mu     sync.Mutex
	logged int
	more   int
	end    *time.Timer // of the interval, nil outside of one
}

// add logs or counts an event.
func (r *repeated) add(facts ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end == nil {
		r.end = time.AfterFunc(logInterval, r.flush)
	}
	if r.logged < r.lines {
		r.logged++
		r.log.Warn(r.message, facts...)
		return
	}
	r.more++
}

// flush ends the interval.
func (r *repeated) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.end != nil {
		r.end.Stop()
		r.end = nil
	}
	if r.more > 0 {
		r.log.Warn(r.message, "more", r.more)
	}
	r.logged, r.more = 0, 0
}
