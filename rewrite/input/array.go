package input

import (
	"slices"
	"strings"
)

// arrayReader reads the elements of an array in the order in which they are stored.
type arrayReader struct {
	s       string
	i       int
	items   []*string // nil is NULL
	lengths []int     // of each dimension that has ended once, -1 before
}

// parseArray reads PostgreSQL's text form of an array without bounds: its elements, nil
// for NULL, and its lengths, none of an empty one.
func parseArray(s string) (items []*string, lengths []int, ok bool) {
	if len(s) > 1 && s[0] == '{' && s[len(s)-1] == '}' && strings.Trim(s[1:len(s)-1], Whitespace) == "" {
		return nil, nil, true
	}
	r := arrayReader{s: s}
	ok = r.array(0)
	return r.items, r.lengths, ok && r.i == len(s) && !slices.Contains(r.lengths, -1)
}

// array reads one that stands so deep within others.
func (r *arrayReader) array(depth int) bool {
	if depth == MaxDimensions || r.i >= len(r.s) || r.s[r.i] != '{' {
		return false
	}
	if depth == len(r.lengths) {
		if len(r.items) > 0 { // an element stood so deep
			return false
		}
		r.lengths = append(r.lengths, -1)
	}
	for n := 1; ; n++ {
		r.i = skipBlanks(r.s, r.i+1)
		if r.i < len(r.s) && r.s[r.i] == '{' {
			if !r.array(depth + 1) {
				return false
			}
		} else if depth+1 < len(r.lengths) || !r.element() {
			return false
		}
		r.i = skipBlanks(r.s, r.i)
		switch {
		case r.i >= len(r.s):
			return false
		case r.s[r.i] == ',':
			continue
		case r.s[r.i] != '}':
			return false
		}
		r.i++
		known := r.lengths[depth]
		r.lengths[depth] = n
		return known == -1 || known == n
	}
}

// element reads an element and stops at the delimiter after it.
func (r *arrayReader) element() bool {
	var item strings.Builder
	s := r.s
	if r.i < len(s) && s[r.i] == '"' {
		for r.i++; r.i < len(s) && s[r.i] != '"'; r.i++ {
			if s[r.i] == '\\' && r.i+1 < len(s) {
				r.i++
			}
			item.WriteByte(s[r.i])
		}
		r.i++
		text := item.String()
		r.items = append(r.items, &text)
		return r.i <= len(s)
	}
	escaped := false
	for ; r.i < len(s) && s[r.i] != ',' && s[r.i] != '}'; r.i++ {
		if s[r.i] == '{' || s[r.i] == '"' {
			return false
		}
		if s[r.i] == '\\' && r.i+1 < len(s) {
			r.i++
			escaped = true
		}
		item.WriteByte(s[r.i])
	}
	text := strings.TrimRight(item.String(), Whitespace)
	switch {
	case text == "":
		return false
	case !escaped && strings.EqualFold(text, "null"):
		r.items = append(r.items, nil)
	default:
		r.items = append(r.items, &text)
	}
	return true
}

func skipBlanks(s string, i int) int {
	for i < len(s) && strings.IndexByte(Whitespace, s[i]) >= 0 {
		i++
	}
	return i
}
