package histories

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// figures are what histories were made of.
type figures struct {
	histories, operations, commits       int
	conflicts, exists, failures, reads   int
	unknown, unknownVisible              int // of the unknown outcomes, those that turned out visible
	kills, stops, partitions, violations int
	network                              [weathers]int
	kinds                                map[string]map[outcome]int // operations by what they were
}

func figuresOf(h *history, n *nemesis, v verdict) figures {
	f := figures{
		histories: 1, operations: len(h.ops), commits: len(h.chain.chain), kills: n.kills, stops: n.stops,
		partitions: v.partitions, violations: len(v.violations), kinds: map[string]map[outcome]int{},
	}
	visible := map[string]bool{}
	for _, l := range h.chain.chain {
		for _, s := range l.Rows {
			visible[s.Op] = true
		}
	}
	for _, o := range h.ops {
		if f.kinds[o.What] == nil {
			f.kinds[o.What] = map[outcome]int{}
		}
		f.kinds[o.What][o.Outcome]++
		switch o.Outcome {
		case conflict:
			f.conflicts++
		case exists:
			f.exists++
		case failed:
			f.failures++
		case answered:
			f.reads++
		case unknown:
			f.unknown++
			if visible[o.Tag] {
				f.unknownVisible++
			}
		}
	}
	if n.net != nil {
		f.network = n.net.troubles()
	}
	return f
}

func (f *figures) add(g figures) {
	f.histories += g.histories
	f.operations += g.operations
	f.commits += g.commits
	f.conflicts += g.conflicts
	f.exists += g.exists
	f.failures += g.failures
	f.reads += g.reads
	f.unknown += g.unknown
	f.unknownVisible += g.unknownVisible
	f.kills += g.kills
	f.stops += g.stops
	f.partitions += g.partitions
	f.violations += g.violations
	for i := range f.network {
		f.network[i] += g.network[i]
	}
	if f.kinds == nil {
		f.kinds = map[string]map[outcome]int{}
	}
	for what, ended := range g.kinds {
		if f.kinds[what] == nil {
			f.kinds[what] = map[outcome]int{}
		}
		for end, n := range ended {
			f.kinds[what][end] += n
		}
	}
}

func (f *figures) String() string {
	var network []string
	for w := noQuestion; w < weathers; w++ {
		network = append(network, fmt.Sprintf("%d %s", f.network[w], w))
	}
	return fmt.Sprintf("%d histories, %d operations, %d commits, %d reads, %d conflicts, %d keys that existed, %d failures, "+
		"%d unknown outcomes (%d visible), %d kills, %d stops, requests: %s; %d linearizability checks, %d violations",
		f.histories, f.operations, f.commits, f.reads, f.conflicts, f.exists, f.failures,
		f.unknown, f.unknownVisible, f.kills, f.stops, strings.Join(network, ", "), f.partitions, f.violations)
}

// table tells how operations of each kind ended.
func (f *figures) table() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(f.kinds)) {
		fmt.Fprintf(&b, "\n%s:", what)
		for _, end := range slices.Sorted(maps.Keys(f.kinds[what])) {
			fmt.Fprintf(&b, " %d %s", f.kinds[what][end], end)
		}
	}
	return b.String()
}
