package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// figures are the counters of a run. Several worlds add to one.
type figures struct {
	mu           sync.Mutex
	began        time.Time
	fell         map[string]*[windows]int // by what was aimed at
	acknowledged map[string]int           // by shape
	rows         int
	refused      map[string]int // by the error that the client received
	landed, lost int            // of the unknown: visible, and not
	back         []time.Duration
}

func newFigures() *figures {
	return &figures{began: time.Now(), fell: map[string]*[windows]int{}, acknowledged: map[string]int{}, refused: map[string]int{}}
}

func (f *figures) op(o *op, visible bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case o.verdict == acknowledged:
		f.acknowledged[o.shape]++
	case o.verdict == refused:
		f.refused[o.reason]++
	case visible:
		f.landed++
	default:
		f.lost++
	}
	if visible {
		f.rows += len(o.rows)
	}
}

func (f *figures) kill(a aim, w window) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fell[a.name()] == nil {
		f.fell[a.name()] = new([windows]int)
	}
	f.fell[a.name()][w]++
}

// again takes down how long after its start a server's first commit was
// acknowledged, the wait for the dead one's lease included.
func (f *figures) again(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.back = append(f.back, d)
}

func (f *figures) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	var sums [windows]int
	kills, acknowledged := 0, 0
	for _, row := range f.fell {
		for w, n := range row {
			sums[w] += n
			kills += n
		}
	}
	shapes := []string{}
	for _, name := range slices.Sorted(maps.Keys(f.acknowledged)) {
		acknowledged += f.acknowledged[name]
		shapes = append(shapes, fmt.Sprintf("%d %s", f.acknowledged[name], name))
	}
	fmt.Fprintf(&b, "%d kills in %s; %d commits acknowledged; %d unknown, %d of them visible; %d rows\n",
		kills, time.Since(f.began).Round(100*time.Millisecond), acknowledged, f.landed+f.lost, f.landed, f.rows)
	fmt.Fprintf(&b, "acknowledged: %s\n", strings.Join(shapes, "; "))
	refused := []string{}
	for _, reason := range slices.Sorted(maps.Keys(f.refused)) {
		refused = append(refused, fmt.Sprintf("%d %s", f.refused[reason], reason))
	}
	fmt.Fprintf(&b, "not committed: %s\n", strings.Join(refused, "; "))
	if n := len(f.back); n > 0 {
		slices.Sort(f.back)
		fmt.Fprintf(&b, "from the start of a server to its first acknowledged commit: median %s, longest %s\n",
			f.back[n/2].Round(time.Millisecond), f.back[n-1].Round(time.Millisecond))
	}
	if kills > 0 {
		fmt.Fprintf(&b, "%-18s", "aimed at \\ fell")
		for w := range windows {
			fmt.Fprintf(&b, " %22s", w)
		}
		for _, name := range slices.Sorted(maps.Keys(f.fell)) {
			fmt.Fprintf(&b, "\n%-18s", name)
			for _, n := range f.fell[name] {
				fmt.Fprintf(&b, " %22d", n)
			}
		}
		fmt.Fprintf(&b, "\n%-18s", "all")
		for _, n := range sums {
			fmt.Fprintf(&b, " %22d", n)
		}
	}
	return b.String()
}
