package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// AppendCanonical appends a JSON text to dst, rewritten in the Canonical style. Texts that the
// original wrote in another style differ only in spaces and in the order of keys; they are
// copied without parsing, which is faster. The error is a *SyntaxError; dst is then returned
// unchanged.
func AppendCanonical(dst, text []byte) ([]byte, error) {
	if out, ok := copyCanonical(dst, text); ok {
		return out, nil
	}
	return parseCanonical(dst, text)
}

// copyCanonical is AppendCanonical for texts that a canonicalCopier can copy. ok is false for
// other texts.
func copyCanonical(dst, text []byte) (out []byte, ok bool) {
	r := canonicalCopier{text: text, out: dst}
	ok = r.value(maxCopyDepth) && r.at == len(text)
	return r.out, ok
}

// parseCanonical is AppendCanonical for any text.
func parseCanonical(dst, text []byte) ([]byte, error) {
	v, err := ParseJSON(text)
	if err != nil {
		return dst, err
	}
	return v.Append(dst, Canonical), nil
}

// maxCopyDepth is the maximum nesting depth of a text that is copied.
const maxCopyDepth = 32

// canonicalCopier copies a JSON text as the original writes it: it omits spaces and sorts the
// members of each object by key. Its methods return false if the text is written in another way
// or is not JSON.
type canonicalCopier struct {
	text       []byte
	at         int
	out        []byte
	hasEscapes bool // some string has an escape
}

// memberSpan is the position of a member in the output: the start and the end of its key, and
// its end.
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

// take skips the byte c, and one space after a comma or a colon.
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
			return false // an escaped key does not sort by its bytes
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

// memberName returns the key of a member.
func (r *canonicalCopier) memberName(m memberSpan) []byte { return r.out[m.start+1 : m.key-1] }

// sortMembers sorts the members at the end of the output by key. It returns false if a key
// appears twice; parseCanonical handles such an object.
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

// copyString copies an ASCII string whose escapes are those that AppendString writes.
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

// printablePrefix returns the number of leading bytes that need no escaping in any style. It
// checks eight bytes at a time and may return fewer.
func printablePrefix(text []byte) (n int) {
	const ones = 0x0101010101010101
	for ; n+8 <= len(text); n += 8 {
		word := binary.LittleEndian.Uint64(text[n:])
		// The high bit of a byte is set if the byte is below space, above 0x7E, a quote or a
		// backslash. It may also be set after such a byte.
		odd := (word - ' '*ones) | word | (word + ones) | ((word ^ '"'*ones) - ones) | ((word ^ '\\'*ones) - ones)
		if odd &= 0x80 * ones; odd != 0 {
			return n + bits.TrailingZeros64(odd)/8
		}
	}
	return n
}

// skipEscape moves to the last byte of an escape.
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

// copyNumber copies an integer, or a float with few digits and no exponent, if it is written as
// Python writes it. parseCanonical handles other numbers.
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

// plainDecimal reports whether Python writes the float with exactly these digits, without an
// exponent. point is the position of the decimal point.
func plainDecimal(digits []byte, point int) bool {
	places := len(digits) - point - 1
	if point == 0 || places == 0 || len(digits)-1 > maxDecimalDigits {
		return false
	}
	if digits[len(digits)-1] == '0' && places > 1 {
		return false
	}
	return !bytes.HasPrefix(digits, []byte("0.0000")) // Python writes floats below 0.0001 with an exponent
}
