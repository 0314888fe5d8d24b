package regex

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// Look-ahead and look-behind, and what else RE2's searches cannot do, without going
// back: for each of them one pass over the text finds all the places where it holds,
// against the reading direction for look-ahead. Then the expression is run as RE2 runs
// its own, so that time grows with the length of the text and of the expression only.

// look is a look-ahead or look-behind.
type look struct {
	source   string
	ahead    bool
	negative bool
}

// lookName begins the names of the empty groups that represent lookaround assertions in an
// expression.
const lookName = "look"

// program is an expression of which some groups represent lookaround assertions.
type program struct {
	*syntax.Prog
	look   map[uint32]int // the assertion that the start of a group represents
	groups []uint32       // the groups of the client, and 0, the whole
}

// searcher finds matches of an expression with looks.
type searcher struct {
	program
	looks   []program // what they look for, those ahead reversed
	kinds   []look
	shortly bool // it prefers short matches
	states  int  // of the greatest of the expressions
}

func (e *expression) searcher() (*searcher, error) {
	main, err := compileProgram(e.source, false)
	if err != nil {
		return nil, err
	}
	s := &searcher{program: main, kinds: e.looks, shortly: e.prefer == short, states: len(main.Inst)}
	for _, l := range e.looks {
		p, err := compileProgram(l.source, l.ahead)
		if err != nil {
			return nil, err
		}
		s.looks, s.states = append(s.looks, p), max(s.states, len(p.Inst))
	}
	return s, nil
}

func compileProgram(source string, reversed bool) (program, error) {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return program{}, badSyntax(err)
	}
	if reversed {
		reverse(tree)
	}
	p := program{look: map[uint32]int{}}
	for i, name := range tree.CapNames() {
		if number, ok := strings.CutPrefix(name, lookName); ok {
			p.look[uint32(2*i)], _ = strconv.Atoi(number)
			continue
		}
		p.groups = append(p.groups, uint32(i))
	}
	p.Prog, err = syntax.Compile(tree.Simplify())
	if err != nil {
		return program{}, badSyntax(err)
	}
	return p, nil
}

// reverse makes an expression of the same texts read backwards. Where it asks for the
// edge of a line or a word it does so at the same place.
func reverse(tree *syntax.Regexp) {
	switch tree.Op {
	case syntax.OpLiteral:
		slices.Reverse(tree.Rune)
	case syntax.OpConcat:
		slices.Reverse(tree.Sub)
	}
	for _, sub := range tree.Sub {
		reverse(sub)
	}
}

// search is a searcher at work on one text.
type search struct {
	*searcher
	text   string
	holds  [][]bool // of each look, by places
	visits int
	seen   []int // when each state was seen last
	now    int
}

// maxVisits bounds the steps of one search: two seconds.
const maxVisits = 1 << 26

func (s *search) visit(n int) error {
	if s.visits += n; s.visits > maxVisits {
		return pgerr.New(pgerr.ProgramLimitExceeded, "regular expression takes too many steps")
	}
	return nil
}

// find gives the places of matches from a byte on, as matcher.find does.
func (m *searcher) find(text string, from, limit int) ([][]int, error) {
	s := &search{searcher: m, text: text, seen: make([]int, m.states)}
	for i := range m.looks { // those within come before
		holds, err := s.places(&m.looks[i], m.kinds[i].ahead)
		if err != nil {
			return nil, err
		}
		if m.kinds[i].negative {
			for at := range holds {
				holds[at] = !holds[at]
			}
		}
		s.holds = append(s.holds, holds)
	}
	var found [][]int
	for at := from; at <= len(text) && (limit < 0 || len(found) < limit); {
		bounds, err := s.run(at, -1)
		if err != nil || bounds == nil {
			return found, err
		}
		places, err := s.run(bounds[0], bounds[1])
		if err != nil {
			return nil, err
		}
		found = append(found, places)
		if at = bounds[1]; bounds[0] == bounds[1] {
			_, n := utf8.DecodeRuneInString(text[at:])
			at += max(n, 1)
		}
	}
	return found, nil
}

// step is the character behind a place and its bytes, or the one before it.
func (s *search) step(at int, backwards bool) (rune, int) {
	switch {
	case backwards && at > 0:
		return utf8.DecodeLastRuneInString(s.text[:at])
	case !backwards && at < len(s.text):
		return utf8.DecodeRuneInString(s.text[at:])
	}
	return -1, 0
}

// places are those at which an expression ends, wherever it began; read backwards those
// at which it begins.
func (s *search) places(p *program, backwards bool) ([]bool, error) {
	holds := make([]bool, len(s.text)+1)
	at := 0
	if backwards {
		at = len(s.text)
	}
	var list []thread
	for {
		list = append(list, thread{pc: uint32(p.Start)})
		ready, matched := s.follow(p, list, at, nil)
		holds[at] = len(matched) > 0
		if err := s.visit(len(ready) + 1); err != nil {
			return nil, err
		}
		r, n := s.step(at, backwards)
		if n == 0 {
			return holds, nil
		}
		list = list[:0]
		for _, t := range ready {
			if inst := &p.Inst[t.pc]; inst.MatchRune(r) {
				list = append(list, thread{pc: inst.Out})
			}
		}
		if at += n; backwards {
			at -= 2 * n
		}
	}
}

// thread is a state of the expression, and the places that were noted on the way there.
type thread struct {
	pc   uint32
	caps []int
}

// run finds the bounds of the first match from a place on: the longest one from its
// beginning, or the shortest. With an end it finds the groups of the match that begins
// and ends there.
func (s *search) run(from, end int) ([]int, error) {
	var list []thread
	var best []int
	var groups []uint32
	if end >= 0 {
		groups = s.groups
	}
	for at := from; ; {
		if best == nil && (end < 0 || at == from) {
			list = append(list, thread{pc: uint32(s.Start), caps: s.begun(at, end)})
		}
		ready, matched := s.follow(&s.program, list, at, groups)
		for _, m := range matched {
			switch {
			case end >= 0 && at == end:
				m.caps[1] = at
				return m.caps, nil
			case end < 0 && (best == nil || m.caps[0] < best[0] || m.caps[0] == best[0] && !s.shortly):
				best = []int{m.caps[0], at}
			}
		}
		if err := s.visit(len(ready) + 1); err != nil {
			return nil, err
		}
		r, n := s.step(at, false)
		if n == 0 || at == end {
			return best, nil
		}
		list = list[:0]
		for _, t := range ready {
			late := best != nil && (t.caps[0] > best[0] || t.caps[0] == best[0] && s.shortly)
			if inst := &s.Inst[t.pc]; !late && inst.MatchRune(r) {
				list = append(list, thread{inst.Out, t.caps})
			}
		}
		if best != nil && len(list) == 0 {
			return best, nil
		}
		at += n
	}
}

// begun are the places of a match that begins, with those of its groups if its end is
// known.
func (s *search) begun(at, end int) []int {
	if end < 0 {
		return []int{at}
	}
	caps := make([]int, 2*len(s.groups))
	for i := range caps {
		caps[i] = -1
	}
	caps[0] = at
	return caps
}

// follow advances each thread of a list, in order, as far as it can go without a character: to
// threads that wait for a character, and those that match. It records the positions of groups.
func (s *search) follow(p *program, list []thread, at int, groups []uint32) (ready, matched []thread) {
	before, _ := s.step(at, true)
	behind, _ := s.step(at, false)
	holds := syntax.EmptyOpContext(before, behind)
	s.now++
	var stack []thread
	for _, t := range list {
		for stack = append(stack, t); len(stack) > 0; {
			t := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if s.seen[t.pc] == s.now {
				continue
			}
			s.seen[t.pc] = s.now
			s.visits++
			switch inst := &p.Inst[t.pc]; inst.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				stack = append(stack, thread{inst.Arg, t.caps}, thread{inst.Out, t.caps})
			case syntax.InstNop:
				stack = append(stack, thread{inst.Out, t.caps})
			case syntax.InstCapture:
				if number, is := p.look[inst.Arg]; is && !s.holds[number][at] {
					continue
				}
				if i := slices.Index(groups, inst.Arg/2); i > 0 {
					t.caps = slices.Clone(t.caps)
					t.caps[2*i+int(inst.Arg%2)] = at
				}
				stack = append(stack, thread{inst.Out, t.caps})
			case syntax.InstEmptyWidth:
				if syntax.EmptyOp(inst.Arg)&^holds == 0 {
					stack = append(stack, thread{inst.Out, t.caps})
				}
			case syntax.InstMatch:
				matched = append(matched, t)
			case syntax.InstFail:
			default:
				ready = append(ready, t)
			}
		}
	}
	return ready, matched
}
