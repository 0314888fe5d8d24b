package rowstore

import (
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// maxIdle is the number of iterators of a table that are kept for the next look-ups.
const maxIdle = 32

// idleIterators are iterators of a table that a look-up has left, since making one takes as long as
// seeking with it. Each sees the store as it was when it was made, so they are closed before more of
// the store becomes known: that begins an epoch.
type idleIterators struct {
	mu    sync.Mutex
	epoch int
	free  []*pebble.Iterator
}

// take is an iterator of the current epoch, nil if there is none.
func (i *idleIterators) take() (free *pebble.Iterator, epoch int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if last := len(i.free) - 1; last >= 0 {
		free = i.free[last]
		i.free = i.free[:last]
	}
	return free, i.epoch
}

// put keeps an iterator that was made in an epoch, or closes it.
func (i *idleIterators) put(iter *pebble.Iterator, epoch int) error {
	i.mu.Lock()
	keep := iter.Error() == nil && epoch == i.epoch && len(i.free) < maxIdle
	if keep {
		i.free = append(i.free, iter)
	}
	i.mu.Unlock()
	if keep {
		return nil
	}
	return iter.Close()
}

// close begins an epoch.
func (i *idleIterators) close() {
	i.mu.Lock()
	old := i.free
	i.epoch, i.free = i.epoch+1, nil
	i.mu.Unlock()
	for _, iter := range old {
		_ = iter.Close() // it had no error when it was put
	}
}

// closeIdle closes the idle iterators of all tables. Idle iterators hold the files and the memory that
// they read, also where another table grows.
func (s *Store) closeIdle() {
	s.mu.RLock()
	all := slices.Clone(s.old)
	for _, e := range s.types {
		if e.table != nil {
			all = append(all, e.table)
		}
	}
	s.mu.RUnlock()
	for _, t := range all {
		t.idle.close()
	}
}
