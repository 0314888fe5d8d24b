package wire

import (
	"bytes"
	"slices"

	"github.com/ontosql/ontosql/column"
)

// jsonb prints JSON text as PostgreSQL prints jsonb: keys sorted by length and
// then by bytes, the last of duplicate keys, a space after colon and comma,
// numbers as numeric. It keeps its memory from value to value.
//
// Stored documents may hold what jsonb cannot: NaN and infinities, which Python
// writes bare, become null; an escape that is no character (\u0000, a lone
// surrogate) stays as it was written; text that is no JSON at all is passed on
// unchanged, because a reader is owed the value and not an error.
type jsonb struct {
	src     []byte
	at      int
	failed  bool
	members []member
	keys    []byte // unescaped keys that members point into
}

// member is a key of an object and the place of its value in the source.
type member struct {
	key   span // in jsonb.keys
	start int  // of the value in jsonb.src
	order int
}

type span struct{ start, end int }

// maxJSONDepth bounds recursion; deeper documents are passed on unchanged.
const maxJSONDepth = 1000

func (j *jsonb) appendValue(dst []byte, v *column.Vector, i int) []byte {
	return j.append(dst, v.Str[i])
}

// append appends the canonical form of text.
func (j *jsonb) append(dst, text []byte) []byte {
	start := len(dst)
	j.src, j.at, j.failed = text, 0, false
	j.members, j.keys = j.members[:0], j.keys[:0]
	dst = j.value(dst, 0)
	j.space()
	if j.failed || j.at != len(j.src) {
		dst = append(dst[:start], text...)
	}
	j.src = nil
	return dst
}

func (j *jsonb) space() {
	for j.at < len(j.src) {
		switch j.src[j.at] {
		case ' ', '\t', '\n', '\r':
			j.at++
		default:
			return
		}
	}
}

func (j *jsonb) fail(dst []byte) []byte {
	j.failed = true
	return dst
}

// take consumes c after white space, if it comes next.
func (j *jsonb) take(c byte) bool {
	j.space()
	if j.at < len(j.src) && j.src[j.at] == c {
		j.at++
		return true
	}
	return false
}

func (j *jsonb) word(word string) bool {
	if bytes.HasPrefix(j.src[j.at:], []byte(word)) {
		j.at += len(word)
		return true
	}
	return false
}

func (j *jsonb) value(dst []byte, depth int) []byte {
	j.space()
	if j.at == len(j.src) || depth > maxJSONDepth {
		return j.fail(dst)
	}
	switch c := j.src[j.at]; {
	case c == '{':
		return j.object(dst, depth)
	case c == '[':
		return j.array(dst, depth)
	case c == '"':
		return j.text(dst)
	case j.word("true"):
		return append(dst, "true"...)
	case j.word("false"):
		return append(dst, "false"...)
	case j.word("null"), j.word("NaN"), j.word("Infinity"), j.word("-Infinity"):
		return append(dst, "null"...)
	case c == '-' || isDigit(c):
		return j.number(dst)
	}
	return j.fail(dst)
}

func (j *jsonb) array(dst []byte, depth int) []byte {
	j.at++
	dst = append(dst, '[')
	if j.take(']') {
		return append(dst, ']')
	}
	for {
		if dst = j.value(dst, depth+1); j.failed {
			return dst
		}
		if j.take(']') {
			return append(dst, ']')
		}
		if !j.take(',') {
			return j.fail(dst)
		}
		dst = append(dst, ',', ' ')
	}
}

// object first finds its members, skipping over their values, and then prints
// them in order. A value is thus read once per level that it lies in.
func (j *jsonb) object(dst []byte, depth int) []byte {
	first, firstKey := len(j.members), len(j.keys)
	if !j.collect() {
		return j.fail(dst)
	}
	end := j.at
	members := j.members[first:]
	slices.SortFunc(members, j.compare)
	dst = append(dst, '{')
	printed := false
	for i := first; i < first+len(members); i++ {
		m := j.members[i]
		if i+1 < first+len(members) && bytes.Equal(j.key(m), j.key(j.members[i+1])) {
			continue // a later duplicate follows
		}
		if printed {
			dst = append(dst, ',', ' ')
		}
		printed = true
		dst = append(appendJSONString(dst, j.key(m)), ':', ' ')
		j.at = m.start
		if dst = j.value(dst, depth+1); j.failed {
			return dst
		}
	}
	j.at = end
	j.members, j.keys = j.members[:first], j.keys[:firstKey]
	return append(dst, '}')
}

func (j *jsonb) key(m member) []byte { return j.keys[m.key.start:m.key.end] }

func (j *jsonb) compare(a, b member) int {
	if d := (a.key.end - a.key.start) - (b.key.end - b.key.start); d != 0 {
		return d
	}
	if d := bytes.Compare(j.key(a), j.key(b)); d != 0 {
		return d
	}
	return a.order - b.order
}

// collect appends the members of the object that begins at j.at.
func (j *jsonb) collect() bool {
	j.at++
	if j.take('}') {
		return true
	}
	for order := 0; ; order++ {
		j.space()
		start := len(j.keys)
		if j.at == len(j.src) || j.src[j.at] != '"' {
			return false
		}
		raw, ok := j.rawString()
		if !ok {
			return false
		}
		j.keys = appendUnescaped(j.keys, raw)
		m := member{key: span{start, len(j.keys)}, order: order}
		if !j.take(':') {
			return false
		}
		j.space()
		m.start = j.at
		if !j.skip() {
			return false
		}
		j.members = append(j.members, m)
		if j.take('}') {
			return true
		}
		if !j.take(',') {
			return false
		}
	}
}

// skip moves past one value without judging it; printing it will.
func (j *jsonb) skip() bool {
	depth := 0
	for j.at < len(j.src) {
		switch c := j.src[j.at]; c {
		case '"':
			if _, ok := j.rawString(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
		j.at++
	}
	return false
}
