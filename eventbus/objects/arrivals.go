package objects

import (
	"sync"

	"github.com/ontosql/ontosql/format"
)

// maxArrivals is the number of events that a Bus keeps to tell of. Who asks later finds them by
// listing.
const maxArrivals = 1000

// arrivals are the events that this process has sent last, so that its own workers and listeners know
// of them before they list. Its zero value is empty. It is safe for concurrent use.
type arrivals struct {
	mu   sync.Mutex
	last []*format.Event
	all  int // ever added; last has the newest of them
}

func (a *arrivals) add(events []*format.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = append(a.last, events...)
	if more := len(a.last) - maxArrivals; more > 0 {
		a.last = append(a.last[:0:0], a.last[more:]...)
	}
	a.all += len(events)
}

// since returns the events of a namespace that were added after the first n, and how many were added
// up to now.
func (a *arrivals) since(n int, namespace string) (fresh []*format.Event, all int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.last[max(0, len(a.last)-(a.all-n)):] {
		if e.Namespace == namespace {
			fresh = append(fresh, e)
		}
	}
	return fresh, a.all
}

// count is how many events were added.
func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}
