package jsonb

import (
	"bytes"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// rawString consumes a string and returns what stands between its quotes.
func (j *Printer) rawString() ([]byte, bool) {
	j.at++
	start := j.at
	for j.at < len(j.src) {
		switch c := j.src[j.at]; {
		case c == '"':
			j.at++
			return j.src[start : j.at-1], true
		case c == '\\':
			j.at += 2
		case c < 0x20:
			return nil, false
		default:
			j.at++
		}
	}
	return nil, false
}

func (j *Printer) text(dst []byte) []byte {
	raw, ok := j.rawString()
	if !ok {
		return j.fail(dst)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		dst = append(append(dst, '"'), raw...)
		return append(dst, '"')
	}
	start := len(j.keys)
	j.keys = appendUnescaped(j.keys, raw)
	dst = appendJSONString(dst, j.keys[start:])
	j.keys = j.keys[:start]
	return dst
}

// unescapable marks, in unescaped text, an escape without a character, which is kept as it was
// written. 0xFF occurs in no UTF-8.
const unescapable = 0xFF

// appendUnescaped appends the text that raw, the inside of a JSON string, means.
func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			dst = append(dst, raw[i])
			i++
			continue
		}
		c := raw[i+1]
		if c != 'u' {
			dst = append(dst, unescapeByte(c))
			i += 2
			continue
		}
		r, size := unescapeRune(raw[i:])
		if r == utf8.RuneError {
			dst = append(append(dst, unescapable), raw[i+1:i+size]...)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		i += size
	}
	return dst
}

func unescapeByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unescapeRune reads \uXXXX or a surrogate pair of them at the beginning of b. It returns
// RuneError if the escape is no character of PostgreSQL.
func unescapeRune(b []byte) (r rune, size int) {
	hi, ok := hex4(b)
	switch {
	case !ok:
		return utf8.RuneError, 2
	case hi >= 0xD800 && hi < 0xDC00:
		if lo, ok := hex4(b[6:]); ok && lo >= 0xDC00 && lo < 0xE000 {
			return (hi-0xD800)<<10 + (lo - 0xDC00) + 0x10000, 12
		}
		return utf8.RuneError, 6
	case hi >= 0xDC00 && hi < 0xE000, hi == 0:
		return utf8.RuneError, 6
	}
	return hi, 6
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case chars.IsDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// appendJSONString is escape_json of PostgreSQL.
func appendJSONString(dst, text []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == unescapable:
			dst = append(dst, '\\')
		case c >= 0x20:
			dst = append(dst, c)
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(dst, '"')
}
