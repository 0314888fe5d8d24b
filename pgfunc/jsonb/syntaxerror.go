package jsonb

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
)

// jsonLexer reads the tokens of a json as PostgreSQL's jsonapi.c does, and has its error
// messages.
type jsonLexer struct {
	text       string
	jsonb      bool // it becomes a jsonb, which has no U+0000
	kind       byte // of the token: one of "{}[],:", s for a string, v for another value, 0 for the end
	start, end int  // of the token
	line       int  // counted from 1
	lineStart  int
	depth      int
	fault      *pgerr.Error
}

// maxCheckedDepth is how deep documents may nest (encoding/json's bound).
const maxCheckedDepth = 10000

// SyntaxError is the error of a text that is no json or jsonb, nil for a valid one. A lone
// surrogate, which PostgreSQL accepts in a json, is an error because the engine has no such
// text.
func SyntaxError(text string, jsonb bool) *pgerr.Error {
	l := &jsonLexer{text: text, jsonb: jsonb, line: 1}
	if l.next() && l.value() && l.kind != 0 {
		l.unexpected("end of input")
	}
	return l.fault
}

// fail notes a fault and what of the line it was found in.
func (l *jsonLexer) fail(detail string) bool {
	from := l.lineStart
	for l.end-from >= 50 {
		_, n := utf8.DecodeRuneInString(l.text[from:])
		from += n
	}
	if from-l.lineStart <= 3 {
		from = l.lineStart
	}
	prefix, suffix := "", ""
	if from > l.lineStart {
		prefix = "..."
	}
	if l.kind != 0 && l.end < len(l.text) && l.text[l.end] != '\n' && l.text[l.end] != '\r' {
		suffix = "..."
	}
	l.fault = pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail("%s", detail)
	l.fault.Where = fmt.Sprintf("JSON data, line %d: %s%s%s", l.line, prefix, l.text[from:l.end], suffix)
	return false
}

// unexpected refuses the token where something else should stand.
func (l *jsonLexer) unexpected(wanted string) bool {
	if l.kind == 0 {
		return l.fail("The input string ended unexpectedly.")
	}
	return l.fail(fmt.Sprintf(`Expected %s, but found "%s".`, wanted, l.text[l.start:l.end]))
}

func (l *jsonLexer) invalidToken() bool {
	return l.fail(fmt.Sprintf(`Token "%s" is invalid.`, l.text[l.start:l.end]))
}

// next reads a token.
func (l *jsonLexer) next() bool {
	at := l.end
	for ; at < len(l.text) && strings.IndexByte(" \t\n\r", l.text[at]) >= 0; at++ {
		if l.text[at] == '\n' {
			l.line++
			l.lineStart = at + 1
		}
	}
	l.start, l.end, l.kind = at, at, 0
	if at == len(l.text) {
		return true
	}
	switch c := l.text[at]; {
	case strings.IndexByte("{}[],:", c) >= 0:
		l.kind, l.end = c, at+1
		return true
	case c == '"':
		l.kind = 's'
		return l.str()
	case c == '-' || chars.IsDigit(c):
		l.kind = 'v'
		return l.number()
	}
	l.kind = 'v'
	for l.end < len(l.text) && isWordByte(l.text[l.end]) {
		l.end++
	}
	switch l.text[at:l.end] {
	case "true", "false", "null":
		return true
	case "":
		l.end++
	}
	return l.invalidToken()
}

// isWordByte says what stands together in one token.
func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || chars.IsDigit(c) || c == '_' || c >= utf8.RuneSelf
}

func (l *jsonLexer) number() bool {
	at := l.start
	digits := func() bool {
		from := at
		for at < len(l.text) && chars.IsDigit(l.text[at]) {
			at++
		}
		return at > from
	}
	has := func(chars string) bool {
		if at < len(l.text) && strings.IndexByte(chars, l.text[at]) >= 0 {
			at++
			return true
		}
		return false
	}
	has("-")
	ok := has("0") || digits()
	if ok && has(".") {
		ok = digits()
	}
	if ok && has("eE") {
		has("+-")
		ok = digits()
	}
	for l.end = at; l.end < len(l.text) && isWordByte(l.text[l.end]); l.end++ {
		ok = false
	}
	return ok || l.invalidToken()
}

// str reads a string.
func (l *jsonLexer) str() bool {
	high := false // the escape before was the first one of a pair
	pair := func(c rune) bool {
		before := high
		high = c >= 0xd800 && c <= 0xdbff
		switch low := c >= 0xdc00 && c <= 0xdfff; {
		case before == low && !(before && high):
			return true
		case before && high:
			return l.fail("Unicode high surrogate must not follow a high surrogate.")
		}
		return l.fail("Unicode low surrogate must follow a high surrogate.")
	}
	for at := l.start + 1; ; at++ {
		l.end = at
		switch {
		case at == len(l.text):
			return l.invalidToken()
		case l.text[at] == '"':
			l.end++
			return pair(0)
		case l.text[at] < ' ':
			return l.fail(fmt.Sprintf("Character with value 0x%02x must be escaped.", l.text[at]))
		case l.text[at] != '\\':
			_, n := utf8.DecodeRuneInString(l.text[at:])
			if l.end = at + n; !pair(0) {
				return false
			}
			at = l.end - 1
			continue
		}
		at++
		if l.end = at; at == len(l.text) {
			return l.invalidToken()
		}
		if l.text[at] != 'u' {
			if strings.IndexByte(`"\/bfnrt`, l.text[at]) < 0 {
				_, n := utf8.DecodeRuneInString(l.text[at:])
				l.start, l.end = at, at+n
				return l.fail(fmt.Sprintf(`Escape sequence "\%s" is invalid.`, l.text[l.start:l.end]))
			}
			if l.end = at + 1; !pair(0) {
				return false
			}
			continue
		}
		var c rune
		for range 4 {
			at++
			if l.end = at; at == len(l.text) {
				return l.invalidToken()
			}
			digit := strings.IndexByte("0123456789abcdef", l.text[at]|0x20)
			if digit < 0 || l.text[at] < '0' {
				_, n := utf8.DecodeRuneInString(l.text[at:])
				l.end = at + n
				return l.fail(`"\u" must be followed by four hexadecimal digits.`)
			}
			c = c<<4 | rune(digit)
		}
		l.end = at + 1
		if !pair(c) {
			return false
		}
		if c == 0 && l.jsonb {
			l.fail(`\u0000 cannot be converted to text.`)
			l.fault.Code, l.fault.Message = pgerr.UntranslatableCharacter, "unsupported Unicode escape sequence"
			return false
		}
	}
}

// value reads the value that begins with the token, and the token after it.
func (l *jsonLexer) value() bool {
	if l.depth++; l.depth > maxCheckedDepth {
		l.fault = pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
		return false
	}
	defer func() { l.depth-- }()
	switch l.kind {
	case '{':
		return l.members()
	case '[':
		return l.elements()
	case 's', 'v':
		return l.next()
	}
	return l.unexpected("JSON value")
}

func (l *jsonLexer) members() bool {
	if !l.next() {
		return false
	}
	switch l.kind {
	case '}':
		return l.next()
	case 's':
	default:
		return l.unexpected(`string or "}"`)
	}
	for {
		if l.kind != 's' {
			return l.unexpected("string")
		}
		if !l.next() {
			return false
		}
		if l.kind != ':' {
			return l.unexpected(`":"`)
		}
		if !l.next() || !l.value() {
			return false
		}
		switch l.kind {
		case '}':
			return l.next()
		case ',':
		default:
			return l.unexpected(`"," or "}"`)
		}
		if !l.next() {
			return false
		}
	}
}

func (l *jsonLexer) elements() bool {
	if !l.next() {
		return false
	}
	if l.kind == ']' {
		return l.next()
	}
	for {
		if !l.value() {
			return false
		}
		switch l.kind {
		case ']':
			return l.next()
		case ',':
		default:
			return l.unexpected(`"," or "]"`)
		}
		if !l.next() {
			return false
		}
	}
}
