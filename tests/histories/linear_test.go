package histories

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// checkPatience is the time limit for the check of one partition. Every operation carries its
// commit, so a check takes milliseconds.
const checkPatience = time.Minute

// step is what an operation did to one register: the head, which is a counter,
// or the newest version of one identity.
type step struct {
	what     deed
	expected int64   // the commit of the version that a writer saw
	row      row     // that it asked for
	version  version // that it left there, if any, or saw
}

type deed int

const (
	wrote   deed = iota // the version, after the one that was expected
	took                // the version that the write produced from the version before it, or none
	saw                 // the version
	refused             // because what was there was not what was expected
	met                 // something that was there
)

// headAfter is the head of the store, which was this commit when the history
// began: every commit makes it one more.
func headAfter(commit int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return version{Commit: commit} },
		Step: func(state, input, _ any) (bool, any) {
			s, now := input.(step), state.(version)
			switch s.what {
			case saw:
				return now.Commit == s.version.Commit, now
			case refused:
				return now.Commit != s.expected, now
			}
			return now.Commit+1 == s.version.Commit, version{Commit: s.version.Commit}
		},
		DescribeOperation: describeStep,
		DescribeState:     func(state any) string { return fmt.Sprint(state.(version).Commit) },
	}
}

// register is one identity: it is written by compare-and-set on the commit of
// its newest version, and read.
var register = porcupine.Model{
	Init: func() any { return version{} },
	Step: func(state, input, _ any) (bool, any) {
		s, now := input.(step), state.(version)
		switch s.what {
		case wrote:
			return now.Commit == s.expected, s.version
		case took:
			n, writes := s.row.after(now)
			if !writes || s.version.Commit == 0 {
				return !writes && s.version.Commit == 0, now
			}
			return n == s.version.N, s.version
		case saw:
			return now == s.version, now
		case refused:
			return now.Commit != s.expected, now
		default:
			return now.Commit != 0, now
		}
	},
	DescribeOperation: describeStep,
	DescribeState: func(state any) string {
		v := state.(version)
		return fmt.Sprintf("%d of commit %d", v.N, v.Commit)
	},
}

func describeStep(input, _ any) string {
	s := input.(step)
	switch s.what {
	case wrote:
		return fmt.Sprintf("commit %d: %d after commit %d", s.version.Commit, s.version.N, s.expected)
	case took:
		if s.version.Commit == 0 {
			return fmt.Sprintf("leave it: %s %d", s.row.How, s.row.N)
		}
		return fmt.Sprintf("commit %d: %s %d is %d", s.version.Commit, s.row.How, s.row.N, s.version.N)
	case saw:
		return fmt.Sprintf("read %d of commit %d", s.version.N, s.version.Commit)
	case refused:
		return fmt.Sprintf("refused: not commit %d any more", s.expected)
	default:
		return "refused: it exists"
	}
}

// partition is a part of a history that must be linearizable by itself.
type partition struct {
	name  string
	model porcupine.Model
	steps []porcupine.Operation // Metadata is the *op
}

// partitions splits a history into the head and each identity. For an operation with an unknown
// outcome the chain shows whether it happened; if it did, it may have happened at any time
// after its call.
func (h *history) partitions(at map[string]int64) []partition {
	never := int64(1)
	for _, o := range h.ops {
		never = max(never, o.Call+1, o.Return+1)
	}
	byIdentity := map[identity][]porcupine.Operation{}
	var heads []porcupine.Operation
	for _, o := range h.ops {
		take := func(s step) porcupine.Operation {
			p := porcupine.Operation{ClientId: o.Client, Input: s, Call: o.Call, Return: o.Return, Metadata: o}
			if o.Return == 0 {
				p.Return = never
			}
			return p
		}
		on := func(id identity, s step) {
			p := take(s)
			if s.what == saw || s.what == took && s.version.Commit == 0 {
				p.Call -= o.Lag
			}
			byIdentity[id] = append(byIdentity[id], p)
		}
		switch o.Outcome {
		case committed, unknown:
			id := o.Commit
			if id == 0 || o.Outcome == unknown {
				id = at[o.Tag]
			}
			if id == 0 {
				continue
			}
			heads = append(heads, take(step{what: wrote, version: version{Commit: id}}))
			for _, r := range o.Rows {
				stands := h.chain.at(r.identity, id)
				if stands.Commit != id {
					stands = version{}
				}
				switch r.How {
				case expecting:
					on(r.identity, step{what: wrote, expected: r.Expected, version: version{id, r.N, o.Tag}})
				case totalling: // of which only the chain knows how much it is
					on(r.identity, step{what: wrote, version: stands})
				default:
					on(r.identity, step{what: took, row: r, version: stands})
				}
			}
		case nothing:
			for _, r := range o.Rows {
				on(r.identity, step{what: took, row: r})
			}
		case conflict:
			switch c := o.Clash; {
			case c == nil:
			case c.Key != "":
				on(c.identity, step{what: refused, expected: c.Expected})
			case c.Type == "":
				heads = append(heads, take(step{what: refused, expected: c.Expected}))
			}
		case exists:
			if len(o.Rows) == 1 {
				on(o.Rows[0].identity, step{what: met})
			}
		case answered:
			if o.Point != 0 {
				continue
			}
			p := take(step{what: saw, version: version{Commit: o.Head}})
			p.Call -= o.Lag
			heads = append(heads, p)
			if o.All {
				continue
			}
			for _, s := range o.Seen {
				on(s.identity, step{what: saw, version: s.version})
			}
		}
	}
	parts := []partition{{"head", headAfter(h.opened - 1), heads}}
	for _, id := range slices.SortedFunc(maps.Keys(byIdentity), identity.compare) {
		parts = append(parts, partition{id.String(), register, byIdentity[id]})
	}
	return parts
}

// check lets porcupine decide a partition. What it draws of one that is not
// linearizable it leaves in dir.
func (p *partition) check(dir string) *violation {
	result := porcupine.CheckOperationsTimeout(p.model, p.steps, checkPatience)
	if result == porcupine.Ok {
		return nil
	}
	v := &violation{what: fmt.Sprintf("%s is not linearizable", p.name)}
	if result == porcupine.Unknown {
		v.what = fmt.Sprintf("%s: porcupine could not decide in %s", p.name, checkPatience)
	}
	_, info := porcupine.CheckOperationsVerbose(p.model, p.steps, checkPatience)
	v.ops = p.stuck(info)
	if dir == "" {
		return v
	}
	path := filepath.Join(dir, strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\ []",`, r) {
			return '-'
		}
		return r
	}, p.name)+".html")
	if err := os.MkdirAll(dir, 0o755); err == nil {
		err = porcupine.VisualizePath(p.model, info, path)
		v.what += fmt.Sprintf(", see %s", path)
		if err != nil {
			v.what += fmt.Sprintf(" (%v)", err)
		}
	}
	return v
}

// shownBefore is how many operations are shown of the order that was found
// before none fitted any more.
const shownBefore = 10

// stuck returns the operations around the place where a partition stops being linearizable: the
// end of the longest linearization found, and the operations that remain.
func (p *partition) stuck(info porcupine.LinearizationInfo) []*op {
	var longest []porcupine.Operation
	for _, orders := range info.PartialLinearizationsOperations() {
		for _, order := range orders {
			if len(order) > len(longest) {
				longest = order
			}
		}
	}
	ordered := map[*op]bool{}
	var before, left []*op
	for _, s := range longest {
		o := s.Metadata.(*op)
		ordered[o] = true
		before = append(before, o)
	}
	for _, s := range p.steps {
		if o := s.Metadata.(*op); !ordered[o] {
			left = append(left, o)
		}
	}
	slices.SortFunc(left, func(a, b *op) int { return cmp.Compare(a.Call, b.Call) })
	return append(before[max(0, len(before)-shownBefore):], left...)
}
