package input

import (
	"fmt"
	"strings"
)

// arrayState is where the reader of an array stands (ArrayParseState of PostgreSQL).
type arrayState uint8

const (
	beforeLevel arrayState = iota
	levelStarted
	elementStarted
	quotedStarted
	quotedCompleted
	elementDelimited
	levelCompleted
	levelDelimited
)

// tooManyDimensions marks, in place of a DETAIL, the fault that an array has too many
// dimensions.
const tooManyDimensions = ""

// arrayFault is the DETAIL of a malformed array, whose text behind the bounds is given: the
// first fault that ArrayCount of PostgreSQL reports.
func arrayFault(s string) string {
	if !strings.HasPrefix(s, "{") {
		return `Array value must start with "{" or dimension information.`
	}
	const atEnd = "Unexpected end of input."
	state, depth, quoted := beforeLevel, 0, false
	var counts, before [MaxDimensions]int // of the elements at each depth, and of the array before at it
	in := func(states ...arrayState) bool {
		for _, known := range states {
			if state == known {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		unexpected := fmt.Sprintf(`Unexpected "%c" character.`, c)
		switch {
		case c == '\\':
			if !in(levelStarted, elementStarted, quotedStarted, elementDelimited) {
				return unexpected
			}
			if !quoted {
				state = elementStarted
			}
			if i++; i == len(s) {
				return atEnd
			}
		case c == '"':
			if !in(levelStarted, quotedStarted, elementDelimited) {
				return "Unexpected array element."
			}
			if quoted = !quoted; quoted {
				state = quotedStarted
			} else {
				state = quotedCompleted
			}
		case quoted:
		case c == '{':
			if !in(beforeLevel, levelStarted, levelDelimited) {
				return unexpected
			}
			state = levelStarted
			if depth == MaxDimensions {
				return tooManyDimensions
			}
			depth++
		case c == '}':
			if !in(elementStarted, quotedCompleted, levelCompleted) && (depth != 1 || state != levelStarted) {
				return unexpected
			}
			state = levelCompleted
			depth--
			if before[depth] != 0 && counts[depth]+1 != before[depth] {
				return "Multidimensional arrays must have sub-arrays with matching dimensions."
			}
			before[depth], counts[depth] = counts[depth]+1, 0
			if depth == 0 {
				if strings.Trim(s[i+1:], Whitespace) != "" {
					return "Junk after closing right brace."
				}
				return "Specified array dimensions do not match array contents."
			}
		case c == ',':
			if !in(elementStarted, quotedCompleted, levelCompleted) {
				return unexpected
			}
			counts[depth-1]++
			if state == levelCompleted {
				state = levelDelimited
			} else {
				state = elementDelimited
			}
		case strings.IndexByte(Whitespace, c) < 0:
			if !in(levelStarted, elementStarted, elementDelimited) {
				return "Unexpected array element."
			}
			state = elementStarted
		}
	}
	return atEnd
}

// MaxDimensions is MAXDIM of PostgreSQL.
const MaxDimensions = 6

// UnknownDimensions is the error of an array whose number of dimensions depends on its value,
// or differs among values that have one type in the engine.
const UnknownDimensions = "arrays whose number of dimensions is not known beforehand are not supported"

// OtherLowerBounds is said of an array that does not count from 1: the engine's lists do.
const OtherLowerBounds = "arrays whose subscripts do not begin at 1 are not supported"

// boundsFault is the DETAIL of an array whose bounds cannot be read, of which the text is
// given from them on, as array_in of PostgreSQL has it; "" for an array without such a
// fault.
func boundsFault(s string) string {
	if !strings.HasPrefix(s, "[") {
		return ""
	}
	number := func(s string) (rest string, ok bool) {
		rest = strings.TrimLeft(s, "0123456789+-")
		return rest, rest != s
	}
	for strings.HasPrefix(s, "[") {
		rest, ok := number(s[1:])
		if !ok {
			return `"[" must introduce explicitly-specified array dimensions.`
		}
		if after, isRange := strings.CutPrefix(rest, ":"); isRange {
			if rest, ok = number(after); !ok {
				return "Missing array dimension value."
			}
		}
		if !strings.HasPrefix(rest, "]") {
			return `Missing "]" after array dimensions.`
		}
		s = strings.TrimLeft(rest[1:], Whitespace)
	}
	contents, assigned := strings.CutPrefix(s, "=")
	switch {
	case !assigned:
		return `Missing "=" after array dimensions.`
	case !strings.HasPrefix(strings.TrimLeft(contents, Whitespace), "{"):
		return `Array contents must start with "{".`
	}
	return ""
}
