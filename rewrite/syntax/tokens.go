package syntax

import (
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// maxWords bounds how many words, numbers, texts and signs a statement has. Each takes
// one to three kilobytes: of the parser, the tree and the engine's plan.
const maxWords = 3_000_000

// checkWords refuses a text of too many words before any of them takes memory.
func checkWords(sql string) error {
	if len(sql) <= maxWords || countWords(sql) <= maxWords {
		return nil
	}
	return pgerr.New(pgerr.ProgramLimitExceeded, "statement has too many words").
		WithDetail("A statement has %d words, numbers, texts and signs at most.", maxWords).
		WithHint("Send long lists as arrays in parameters.")
}

// countWords counts as the scanner would, but for details that make no difference of
// millions.
func countWords(sql string) int {
	n := 0
	for i := 0; i < len(sql); {
		t := firstToken(sql[i:])
		i += t.length
		if t.kind != blankToken && t.kind != commentToken {
			n++
		}
	}
	return n
}

// token is a word, number, text or sign of a statement, or what stands between them.
type token struct {
	kind   byte
	length int
	open   bool // it does not end
}

// The kinds of tokens.
const (
	wordToken = iota
	blankToken
	commentToken
	semicolonToken
)

// firstToken returns the first token of a text that is not empty (PostgreSQL manual, 4.1). It
// is quick and does not validate the text; operator characters come one by one.
func firstToken(s string) token {
	switch c := s[0]; {
	case c == ';':
		return token{semicolonToken, 1, false}
	case strings.IndexByte(Blanks, c) >= 0:
		return token{blankToken, 1, false}
	case strings.HasPrefix(s, "--"):
		if end := strings.IndexAny(s, "\r\n"); end >= 0 {
			return token{commentToken, end, false}
		}
		return token{commentToken, len(s), false}
	case strings.HasPrefix(s, "/*"):
		length, open := commented(s)
		return token{commentToken, length, open}
	case c == '"' || c == '\'':
		length, open := QuotedLength(s, false)
		return token{wordToken, length, open}
	case c == '$':
		tag := dollarTag(s)
		if tag == "" {
			return token{wordToken, 1, false}
		}
		if end := strings.Index(s[len(tag):], tag); end >= 0 {
			return token{wordToken, end + 2*len(tag), false}
		}
		return token{wordToken, len(s), true}
	case IsWordByte(c):
		end := 1
		for end < len(s) && (IsWordByte(s[end]) || s[end] == '$' && (c < '0' || c > '9')) {
			end++
		}
		if end == 1 && c|0x20 == 'e' && strings.HasPrefix(s[1:], "'") {
			length, open := QuotedLength(s[1:], true)
			return token{wordToken, 1 + length, open}
		}
		return token{wordToken, end, false}
	}
	return token{wordToken, 1, false}
}

// commented is the length of the comment that s begins with, which may have others in it.
func commented(s string) (length int, open bool) {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1, false
		}
	}
	return len(s), true
}

// QuotedLength is the length of the quoted text at the start of s.
func QuotedLength(s string, escapes bool) (length int, open bool) {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] != s[0]:
		case i+1 < len(s) && s[i+1] == s[0]:
			i++
		default:
			return i + 1, false
		}
	}
	return len(s), true
}

// dollarTag is what opens a text in dollars, empty where nothing does.
func dollarTag(s string) string {
	end := 1
	for end < len(s) && IsWordByte(s[end]) {
		end++
	}
	if end < len(s) && s[end] == '$' && (end == 1 || s[1] < '0' || s[1] > '9') {
		return s[:end+1]
	}
	return ""
}

// IsWordByte reports whether a byte may be part of an identifier or a number.
func IsWordByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
