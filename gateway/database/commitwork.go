package database

import (
	"sync/atomic"
	"time"
)

// CommitWork is what the commits of a database are doing, in this gateway.
type CommitWork struct{ waiting, last atomic.Int64 }

// Begin counts a transaction that is committed. The caller calls end with what became of it.
func (w *CommitWork) Begin() (end func(err error)) {
	began := time.Now()
	w.waiting.Add(1)
	return func(err error) {
		w.waiting.Add(-1)
		if err == nil {
			w.last.Store(time.Since(began).Milliseconds())
		}
	}
}

// Figures are how many transactions wait for their commit, and how many milliseconds the last one waited
// that was committed.
func (w *CommitWork) Figures() (waiting, last int64) { return w.waiting.Load(), w.last.Load() }
