package regex

import (
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
)

// SimilarToRegexp is the regular expression of a pattern of SIMILAR TO; escape is one
// character, or empty for none. An escape and a double quote, twice, part the pattern in
// what comes before, taken as short as possible, what substring returns, and the rest.
func SimilarToRegexp(pattern, escape string) (string, error) {
	if utf8.RuneCountInString(escape) > 1 {
		return "", pgerr.New("22025", "invalid escape string").WithHint("Escape string must be empty or one character.")
	}
	separators := []string{"){1,1}?(", "){1,1}(?:"}
	var s strings.Builder
	s.WriteString("^(?:")
	bracket := false
	for pattern != "" {
		var c string
		c, pattern = chars.First(pattern)
		switch {
		case c == escape && pattern != "":
			c, pattern = chars.First(pattern)
			switch {
			case c != `"` || bracket:
				s.WriteString(`\` + c) // any may be: \d is a digit
			case len(separators) == 0:
				return "", pgerr.New("2200C", "SQL regular expression may not contain more than two escape-double-quote separators")
			default:
				s.WriteString(separators[0])
				separators = separators[1:]
			}
		case c == escape:
		case bracket && c != `\`:
			bracket = c != "]"
			s.WriteString(c)
		case c == "[":
			bracket = true
			s.WriteString(c)
		case c == "%":
			s.WriteString(".*")
		case c == "_":
			s.WriteString(".")
		case c == "(":
			s.WriteString("(?:")
		case strings.Contains(`\.^$`, c):
			s.WriteString(`\` + c)
		default:
			s.WriteString(c)
		}
	}
	return s.String() + ")$", nil
}
