package format

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the maximum nesting depth of a JSON text: more than Python writes, and small enough
// for recursion.
const MaxDepth = 5000

// SyntaxError reports the position at which a text is not valid JSON.
type SyntaxError struct {
	Offset  int // in bytes
	Reason  string
	TooDeep bool // the text is valid up to here but exceeds MaxDepth
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("json, byte %d: %s", e.Offset, e.Reason) }

// ParseJSON parses one JSON value as Python's json.loads does. It accepts NaN, Infinity, -Infinity,
// integers of any size and lone surrogates. If a name is repeated, the last member counts. Control
// characters in strings and text after the value are errors. Every error is a *SyntaxError.
func ParseJSON(text []byte) (Value, error) {
	s := scanner{text: text}
	s.space()
	v := s.value(0)
	s.space()
	if s.err == nil && s.at < len(text) {
		s.fail("something follows the value")
	}
	if s.err != nil {
		return Value{}, s.err
	}
	return v, nil
}

// scanner reads JSON from text. After the first error its methods read nothing.
type scanner struct {
	text          []byte
	at            int
	err           error
	maybeNotPlain bool // the text read so far may not be PlainJSON
}

func (s *scanner) fail(reason string) {
	if s.err == nil {
		s.err = &SyntaxError{Offset: s.at, Reason: reason}
	}
}

// peek returns the next byte, 0 at the end or after an error. A NUL byte in the text is always an
// error, so the result is not ambiguous.
func (s *scanner) peek() byte {
	if s.err != nil || s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// space skips white space. It is fast if there is none, as in canonical JSON.
func (s *scanner) space() {
	if s.at < len(s.text) && s.text[s.at] > ' ' {
		return
	}
	s.spaces()
}

func (s *scanner) spaces() {
	for {
		switch s.peek() {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// word reads exactly w.
func (s *scanner) word(w string) {
	if s.err == nil && len(s.text)-s.at >= len(w) && string(s.text[s.at:s.at+len(w)]) == w {
		s.at += len(w)
		return
	}
	s.fail("expected " + w)
}

func (s *scanner) value(depth int) Value {
	switch c := s.peek(); c {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
	case '"':
		return String(s.str())
	case 't':
		s.word("true")
		return Bool(true)
	case 'f':
		s.word("false")
		return Bool(false)
	case 'n':
		s.word("null")
		return Null()
	default:
		return s.number()
	}
}

// skip checks the syntax of a value and discards it.
func (s *scanner) skip(depth int) {
	switch s.peek() {
	case '{':
		s.elements('{', '}', depth, func() {
			if s.peek() != '"' {
				s.fail("expected a member's name")
				return
			}
			s.rawString()
			s.colon()
			s.skip(depth + 1)
		})
	case '[':
		s.elements('[', ']', depth, func() { s.skip(depth + 1) })
	case '"':
		s.rawString()
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.numeral()
	}
}

func (s *scanner) array(depth int) Value {
	v := Value{kind: JSONArray}
	s.elements('[', ']', depth, func() { v.items = append(v.items, s.value(depth+1)) })
	return v
}

func (s *scanner) object(depth int) Value {
	b := objectBuilder{}
	s.elements('{', '}', depth, func() {
		name := s.name()
		b.set(name, s.value(depth+1))
	})
	return b.value()
}

// name reads a member's name and the colon after it.
func (s *scanner) name() string {
	if s.peek() != '"' {
		s.fail("expected a member's name")
		return ""
	}
	name := s.str()
	s.colon()
	return name
}

func (s *scanner) colon() {
	s.space()
	s.word(":")
	s.space()
}

// elements reads the comma-separated elements between two brackets and calls element for each.
func (s *scanner) elements(open, closing byte, depth int, element func()) {
	if depth >= MaxDepth {
		if s.err == nil {
			s.err = &SyntaxError{Offset: s.at, Reason: "nested too deep", TooDeep: true}
		}
		return
	}
	if s.peek() != open {
		s.fail("expected " + string(open))
		return
	}
	s.at++
	s.space()
	if s.peek() == closing {
		s.at++
		return
	}
	for s.err == nil {
		element()
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case closing:
			s.at++
			return
		default:
			s.fail("expected , or " + string(closing))
		}
	}
}

// str reads a string and returns its content.
func (s *scanner) str() string {
	raw, escaped := s.rawString()
	if s.err != nil {
		return ""
	}
	if !escaped {
		return string(raw)
	}
	return string(unescape(make([]byte, 0, len(raw)), raw))
}

// rawString reads a string and returns the bytes between the quotes. It checks every escape.
func (s *scanner) rawString() (raw []byte, escaped bool) {
	s.at++ // the quote
	start := s.at
	s.plain()
	for s.err == nil && s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"':
			raw = s.text[start:s.at]
			s.at++
			return raw, escaped
		case c == '\\':
			escaped, s.maybeNotPlain = true, true
			s.escape()
		case c < 0x20:
			s.fail("control character in a string")
		case c < utf8.RuneSelf:
			s.at++
		default:
			r, n := utf8.DecodeRune(s.text[s.at:])
			if r == utf8.RuneError && n == 1 {
				s.fail("invalid UTF-8")
			}
			s.at += n
		}
	}
	s.fail("string without end")
	return nil, false
}

// plain skips bytes that need no escaping, eight at a time. Near the end of the text it may
// stop before one of them.
func (s *scanner) plain() {
	const ones = 0x0101010101010101
	for s.at+8 <= len(s.text) {
		word := binary.LittleEndian.Uint64(s.text[s.at:])
		// The high bit of a byte is set if the byte is below space, above ASCII, a quote or a
		// backslash. It may also be set after such a byte.
		odd := (word - ' '*ones) | word | ((word ^ '"'*ones) - ones) | ((word ^ '\\'*ones) - ones)
		if odd &= 0x80 * ones; odd != 0 {
			s.at += bits.TrailingZeros64(odd) / 8
			return
		}
		s.at += 8
	}
}

// escape skips an escape sequence.
func (s *scanner) escape() {
	rest := s.text[s.at:]
	if len(rest) < 2 {
		s.fail("string without end")
		return
	}
	switch rest[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at += 2
	case 'u':
		if len(rest) < 6 || hex4(rest[2:6]) < 0 {
			s.fail("expected four hexadecimal digits")
			return
		}
		s.at += 6
	default:
		s.fail("unknown escape")
	}
}

// unescape appends the content of a string that rawString has checked.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		c := raw[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		if raw[i+1] != 'u' {
			dst = append(dst, unescaped[raw[i+1]])
			i += 2
			continue
		}
		r := hex4(raw[i+2 : i+6])
		i += 6
		if utf16.IsSurrogate(r) && i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(raw[i+2:i+6])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		dst = appendCodePoint(dst, r)
	}
	return dst
}

var unescaped = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendCodePoint is utf8.AppendRune that also encodes surrogates.
func appendCodePoint(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// hex4 returns the value of four hexadecimal digits, or -1.
func hex4(digits []byte) rune {
	var r rune
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
