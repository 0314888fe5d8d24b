package rewrite

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
		rest := sql[i:]
		switch c := sql[i]; {
		case c <= ' ':
			i++
			continue
		case strings.HasPrefix(rest, "--"):
			i += through(rest, "\n")
			continue
		case strings.HasPrefix(rest, "/*"):
			i += through(rest, "*/")
			continue
		case c == '"' || c == '\'':
			i += quoted(rest, i > 0 && sql[i-1]|0x20 == 'e')
		case c == '$':
			if tag := dollarTag(rest); tag != "" {
				i += len(tag) + through(rest[len(tag):], tag)
			} else {
				i++
			}
		case inWord(c):
			for i < len(sql) && (inWord(sql[i]) || sql[i] == '$') {
				i++
			}
		default:
			i++
		}
		n++
	}
	return n
}

// through is the length up to the end of what is looked for, or of all.
func through(s, end string) int {
	if at := strings.Index(s, end); at >= 0 {
		return at + len(end)
	}
	return len(s)
}

// quoted is the length of what stands in the quotes that s begins with.
func quoted(s string, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && escapes:
			i++
		case s[i] != s[0]:
		case i+1 < len(s) && s[i+1] == s[0]:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// dollarTag is what opens a text in dollars, empty where nothing does.
func dollarTag(s string) string {
	end := 1
	for end < len(s) && inWord(s[end]) {
		end++
	}
	if end < len(s) && s[end] == '$' && (end == 1 || s[1] < '0' || s[1] > '9') {
		return s[:end+1]
	}
	return ""
}

func inWord(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
