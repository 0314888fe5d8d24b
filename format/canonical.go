package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// AppendCanonical appends a JSON text, rewritten in the Canonical style, to dst.
// Texts that the original wrote in one of the other styles, of which only spaces and
// the order of keys differ, take a fraction of the time that others do. The error is
// a *SyntaxError; dst is then returned as it was.
func AppendCanonical(dst, text []byte) ([]byte, error) {
	if out, ok := copyCanonical(dst, text); ok {
		return out, nil
	}
	return parseCanonical(dst, text)
}

// copyCanonical is AppendCanonical of a text that a respeller takes.
func copyCanonical(dst, text []byte) (out []byte, ok bool) {
	r := canonicalCopier{text: text, out: dst}
	ok = r.value(maxCopyDepth) && r.at == len(text)
	return r.out, ok
}

// parseCanonical is AppendCanonical of any text.
func parseCanonical(dst, text []byte) ([]byte, error) {
	v, err := ParseJSON(text)
	if err != nil {
		return dst, err
	}
	return v.Append(dst, Canonical), nil
}

// maxCopyDepth is how deep a text may be nested that is respelled.
const maxCopyDepth = 32

// canonicalCopier copies a text in the original's spelling without its spaces, the members
// of each object by their keys. Its methods report false where the text is spelled in
// another way, or is no JSON.
type canonicalCopier struct {
	text    []byte
	at      int
	out     []byte
	hasEscapes bool // a string had one
}

// memberSpan is a member as the output spells it.
type memberSpan struct{ start, key, end int }

func (r *canonicalCopier) value(depth int) bool {
	if r.at >= len(r.text) || depth == 0 {
		return false
	}
	switch c := r.text[r.at]; {
	case c == '"':
		return r.copyString()
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '-' || '0' <= c && c <= '9':
		return r.copyNumber()
	}
	for _, word := range []string{"null", "true", "false"} {
		if bytes.HasPrefix(r.text[r.at:], []byte(word)) {
			r.out = append(r.out, word...)
			r.at += len(word)
			return true
		}
	}
	return false
}

// take skips a byte and the white space behind it.
func (r *canonicalCopier) take(c byte) bool {
	if r.at >= len(r.text) || r.text[r.at] != c {
		return false
	}
	r.at++
	if (c == ',' || c == ':') && r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
	return true
}

func (r *canonicalCopier) object(depth int) bool {
	r.at++
	r.out = append(r.out, '{')
	if r.take('}') {
		r.out = append(r.out, '}')
		return true
	}
	var few [16]memberSpan
	members, sorted := few[:0], true
	for {
		m := memberSpan{start: len(r.out)}
		if !r.copyString() {
			return false
		}
		m.key = len(r.out)
		if bytes.IndexByte(r.memberName(m), '\\') >= 0 {
			return false // its bytes do not sort as it does
		}
		r.out = append(r.out, ':')
		if !r.take(':') || !r.value(depth-1) {
			return false
		}
		m.end = len(r.out)
		if n := len(members); n > 0 {
			order := bytes.Compare(r.memberName(members[n-1]), r.memberName(m))
			if order == 0 {
				return false
			}
			sorted = sorted && order < 0
		}
		members = append(members, m)
		if r.take('}') {
			break
		}
		if !r.take(',') {
			return false
		}
		r.out = append(r.out, ',')
	}
	if !sorted && !r.sortMembers(members) {
		return false
	}
	r.out = append(r.out, '}')
	return true
}

// memberName is a member's key.
func (r *canonicalCopier) memberName(m memberSpan) []byte { return r.out[m.start+1 : m.key-1] }

// sortMembers brings the members, which are the end of the output, into the order of their
// keys. A key that comes twice is left to others.
func (r *canonicalCopier) sortMembers(members []memberSpan) bool {
	first, last := members[0].start, members[len(members)-1].end
	for i := range members {
		for k := i; k > 0; k-- {
			order := bytes.Compare(r.memberName(members[k-1]), r.memberName(members[k]))
			if order == 0 {
				return false
			}
			if order < 0 {
				break
			}
			members[k-1], members[k] = members[k], members[k-1]
		}
	}
	for i, m := range members {
		if i > 0 {
			r.out = append(r.out, ',')
		}
		r.out = append(r.out, r.out[m.start:m.end]...)
	}
	r.out = append(r.out[:first], r.out[last:]...)
	return true
}

func (r *canonicalCopier) array(depth int) bool {
	r.at++
	r.out = append(r.out, '[')
	if r.take(']') {
		r.out = append(r.out, ']')
		return true
	}
	for r.value(depth - 1) {
		if r.take(']') {
			r.out = append(r.out, ']')
			return true
		}
		if !r.take(',') {
			return false
		}
		r.out = append(r.out, ',')
	}
	return false
}

// copyString copies a string of ASCII whose escapes are those that AppendString writes.
func (r *canonicalCopier) copyString() bool {
	start := r.at
	if !r.skipString() {
		return false
	}
	r.out = append(r.out, r.text[start:r.at]...)
	return true
}

func (r *canonicalCopier) skipString() bool {
	if r.at >= len(r.text) || r.text[r.at] != '"' {
		return false
	}
	r.at++
	r.at += printablePrefix(r.text[r.at:])
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return true
		case c < 0x20 || c >= 0x7F:
			return false
		case c == '\\':
			if !r.skipEscape() {
				return false
			}
		}
	}
	return false
}

// printablePrefix is the number of bytes at the beginning of a text that need no escaping in any
// spelling, as far as a check of eight bytes at a time finds.
func printablePrefix(text []byte) (n int) {
	const ones = 0x0101010101010101
	for ; n+8 <= len(text); n += 8 {
		word := binary.LittleEndian.Uint64(text[n:])
		// A byte's high bit is set where it is below space, above 0x7E, a quote or a
		// backslash, and perhaps where one before it is.
		odd := (word - ' '*ones) | word | (word + ones) | ((word ^ '"'*ones) - ones) | ((word ^ '\\'*ones) - ones)
		if odd &= 0x80 * ones; odd != 0 {
			return n + bits.TrailingZeros64(odd)/8
		}
	}
	return n
}

// skipEscape passes an escape up to its last byte.
func (r *canonicalCopier) skipEscape() bool {
	r.hasEscapes = true
	rest := r.text[r.at+1:]
	if len(rest) == 0 {
		return false
	}
	if rest[0] != 'u' {
		r.at++
		return bytes.IndexByte([]byte(`"\nrtbf`), rest[0]) >= 0
	}
	if len(rest) < 5 {
		return false
	}
	code := 0
	for _, c := range rest[1:5] {
		switch {
		case '0' <= c && c <= '9':
			code = code<<4 | int(c-'0')
		case 'a' <= c && c <= 'f':
			code = code<<4 | int(c-'a'+10)
		default:
			return false
		}
	}
	r.at += 5
	return code >= 0x7F || code < 0x20 && bytes.IndexByte([]byte("\n\r\t\b\f"), byte(code)) < 0
}

// copyNumber copies a number as Python writes one: an integer, or a float of few digits
// and without an exponent. What else a float may look like is left to others.
func (r *canonicalCopier) copyNumber() bool {
	start := r.at
	if !r.skipNumber() {
		return false
	}
	r.out = append(r.out, r.text[start:r.at]...)
	return true
}

func (r *canonicalCopier) skipNumber() bool {
	start, point := r.at, -1
	if r.text[r.at] == '-' {
		r.at++
	}
	first := r.at
	for ; r.at < len(r.text); r.at++ {
		c := r.text[r.at]
		if c == '.' && point < 0 {
			point = r.at
			continue
		}
		if c < '0' || c > '9' {
			if c == 'e' || c == 'E' || c == '.' {
				return false
			}
			break
		}
	}
	digits := r.text[first:r.at]
	if len(digits) == 0 || first > start && string(digits) == "0" || digits[0] == '0' && len(digits) > 1 && point != first+1 {
		return false
	}
	if point >= 0 && !plainDecimal(digits, point-first) {
		return false
	}
	return true
}

// maxDecimalDigits is the maximum number of digits of a decimal that is always the shortest spelling
// of its nearest double.
const maxDecimalDigits = 15

// plainDecimal reports whether Python writes a float with these digits, and a point
// among them, in this way.
func plainDecimal(digits []byte, point int) bool {
	places := len(digits) - point - 1
	if point == 0 || places == 0 || len(digits)-1 > maxDecimalDigits {
		return false
	}
	if digits[len(digits)-1] == '0' && places > 1 {
		return false
	}
	return !bytes.HasPrefix(digits, []byte("0.0000")) // below 0.0001 there is an exponent
}
