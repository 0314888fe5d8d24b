package pgfunc

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
)

// similarSubstring is substring(text SIMILAR pattern ESCAPE escape): the part of the
// pattern between two separators, an escape character and a double quote, where the
// whole text matches. What stands before is taken as short as possible.
func similarSubstring(a []Value) (Value, error) {
	if utf8.RuneCountInString(a[2].Text) > 1 {
		return null, pgerr.New("22025", "invalid escape string").WithHint("Escape string must be empty or one character.")
	}
	parts, err := similarParts(a[1].Text, a[2].Text)
	if err != nil {
		return null, err
	}
	source := `(?s)\A(?:` + parts[0] + `)\z`
	switch len(parts) {
	case 1:
		source = `(?s)\A(` + parts[0] + `)\z`
	case 3:
		source = `(?s)\A(?:` + strings.ReplaceAll(parts[0], `.*`, `.*?`) + `)(` + parts[1] + `)(?:` + parts[2] + `)\z`
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return null, badRegexp(err.Error())
	}
	m := re.FindStringSubmatch(a[0].Text)
	if len(m) < 2 {
		return null, nil
	}
	return text(m[1]), nil
}

// similarParts translates the parts of a pattern of SIMILAR TO.
func similarParts(p, escape string) ([]string, error) {
	var parts []string
	var s strings.Builder
	bracket := false
	for p != "" {
		var c string
		c, p = firstChar(p)
		switch {
		case c == escape && strings.HasPrefix(p, `"`):
			p = p[1:]
			if parts = append(parts, s.String()); len(parts) > 2 {
				return nil, pgerr.New("2200C", "SQL regular expression may not contain more than two escape-double-quote separators")
			}
			s.Reset()
		case c == escape && p != "":
			c, p = firstChar(p)
			s.WriteString(regexp.QuoteMeta(c))
		case bracket:
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
	return append(parts, s.String()), nil
}
