package regex

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/chars"
)

// The escapes and bracket expressions of a regular expression: characters and sets of
// them, and the edges of words, in the syntax of RE2.

// escapes are the escapes of one character that RE2 writes otherwise.
var escapes = map[byte]string{
	'a': `\x07`, 'b': `\x08`, 'B': `\\`, 'e': `\x1b`, 'f': `\f`, 'n': `\n`, 'r': `\r`, 't': `\t`, 'v': `\x0b`,
	'd': `\d`, 'D': `\D`, 'w': `\w`, 'W': `\W`, 's': `[\t\n\x0b\f\r ]`, 'S': `[^\t\n\x0b\f\r ]`,
}

var hexEscape = regexp.MustCompile(`^\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]+))`)

func (p *regexpParser) escape() error {
	if len(p.rest) < 2 {
		return badRegexp("invalid escape \\ sequence")
	}
	c := p.rest[1]
	if m := hexEscape.FindStringSubmatch(p.rest); m != nil {
		return p.codePoint(m)
	}
	switch {
	case c == 'A' && p.later:
		p.add(nothing)
	case c == 'A':
		p.add(`\A`)
	case c == 'Z':
		p.add(`\z`)
	case c == 'y':
		p.context = true
		p.add(`\b`)
	case c == 'Y':
		p.context = true
		p.add(`\B`)
	case c == 'm', c == 'M':
		p.rest = p.rest[2:]
		return p.wordEdge(c == 'm')
	case c == 'c' && len(p.rest) > 2:
		p.add(fmt.Sprintf(`\x%02x`, p.rest[2]&0x1f))
		p.rest = p.rest[1:]
	case escapes[c] != "":
		p.add(escapes[c])
	case chars.IsDigit(c):
		return p.number()
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return badRegexp("invalid escape \\ sequence")
	default:
		_, n := utf8.DecodeRuneInString(p.rest[1:])
		p.add(regexp.QuoteMeta(p.rest[1 : 1+n]))
		p.rest = p.rest[1+n:]
		return nil
	}
	p.rest = p.rest[2:]
	return nil
}

var octalEscape = regexp.MustCompile(`^\\([0-3]?[0-7]{1,2})`)

// number is a back reference, or the number of a character: of several digits where there
// are not as many groups, or with a zero before them.
func (p *regexpParser) number() error {
	digits := p.rest[1:]
	for i := range digits {
		if !chars.IsDigit(digits[i]) {
			digits = digits[:i]
			break
		}
	}
	n, err := strconv.Atoi(digits)
	switch {
	case digits[0] != '0' && len(digits) == 1 && (p.looking || n > p.groups):
		return badRegexp("invalid backreference number")
	case digits[0] != '0' && (len(digits) == 1 || err == nil && n <= p.groups):
		return pgerr.Unsupported("back references in regular expressions are not supported")
	}
	m := octalEscape.FindStringSubmatch(p.rest)
	if m == nil {
		return badRegexp("invalid escape \\ sequence")
	}
	v, _ := strconv.ParseUint(m[1], 8, 8)
	p.add(fmt.Sprintf(`\x%02x`, v))
	p.rest = p.rest[len(m[0]):]
	return nil
}

func (p *regexpParser) codePoint(m []string) error {
	v, err := strconv.ParseUint(m[1]+m[2]+m[3], 16, 32)
	if err != nil || v > utf8.MaxRune {
		return badRegexp("invalid escape \\ sequence")
	}
	p.add(fmt.Sprintf(`\x{%x}`, v))
	p.rest = p.rest[len(m[0]):]
	return nil
}

// wordEdge is \m or \M: the beginning or the end of a word. RE2 has only the edge of
// either kind; where what stands inside is no character of words for sure, it is looked at.
func (p *regexpParser) wordEdge(beginning bool) error {
	p.context = true
	inside := wordBehind(p.out.String())
	if beginning {
		inside = wordAhead(p.rest)
	}
	p.add(`\b`)
	if !inside {
		p.hold(p.looks, look{source: `\w`, ahead: beginning})
	}
	return nil
}

var aheadIsWord = regexp.MustCompile(`^\(*(?:\?:)?(?:[A-Za-z0-9_]|\\[wd]|\[(?:[A-Za-z0-9_]|[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|\[:(?:alpha|alnum|digit|upper|lower|xdigit):\])+\])(?:[^*?{|]|\{[1-9]|$)`)

// wordAhead reports that an expression begins with a character of words.
func wordAhead(rest string) bool {
	return aheadIsWord.MatchString(rest) && !strings.Contains(rest, "|")
}

var behindIsWord = regexp.MustCompile(`(?:[^\\](?:\\\\)*|^)(?:[A-Za-z0-9_]|\\[wd])\+?\)*$`)

// wordBehind reports that a translated expression ends with a character of words.
func wordBehind(done string) bool {
	return behindIsWord.MatchString(done) && !strings.Contains(done, "|")
}

// bracket is a bracket expression.
func (p *regexpParser) bracket() error {
	for edge, beginning := range map[string]bool{"[[:<:]]": true, "[[:>:]]": false} {
		if rest, ok := strings.CutPrefix(p.rest, edge); ok {
			p.rest = rest
			return p.wordEdge(beginning)
		}
	}
	unbalanced := badRegexp("brackets [] not balanced")
	s := p.rest[1:]
	out := "["
	if rest, ok := strings.CutPrefix(s, "^"); ok {
		s, out = rest, "[^"
		if p.dotLine {
			out += `\n`
		}
	}
	for first := true; ; first = false {
		switch {
		case s == "":
			return unbalanced
		case s[0] == ']' && !first:
			p.rest = s[1:]
			p.add(out + "]")
			return nil
		case strings.HasPrefix(s, "[:"):
			end := strings.Index(s, ":]")
			if end < 0 {
				return unbalanced
			}
			name := s[2:end]
			if name == "space" {
				out += `\t\n\x0b\f\r `
			} else if classes[name] {
				out += "[:" + name + ":]"
			} else {
				return badRegexp("invalid character class")
			}
			s = s[end+2:]
		case strings.HasPrefix(s, "[."), strings.HasPrefix(s, "[="):
			end := strings.Index(s[2:], s[1:2]+"]")
			if end < 0 {
				return unbalanced
			}
			if utf8.RuneCountInString(s[2:2+end]) != 1 {
				return badRegexp("invalid collating element")
			}
			out += quoteInClass(s[2 : 2+end])
			s = s[end+4:]
		case s[0] == '\\':
			text, rest, err := classEscape(s)
			if err != nil {
				return err
			}
			out, s = out+text, rest
		case s[0] == '-':
			if first || strings.HasPrefix(s[1:], "]") {
				out += `\-`
			} else {
				out += "-"
			}
			s = s[1:]
		default:
			_, n := utf8.DecodeRuneInString(s)
			out += quoteInClass(s[:n])
			s = s[n:]
		}
	}
}

var classes = map[string]bool{
	"alnum": true, "alpha": true, "ascii": true, "blank": true, "cntrl": true, "digit": true, "graph": true, "lower": true,
	"print": true, "punct": true, "upper": true, "xdigit": true, "word": true,
}

func quoteInClass(c string) string {
	if strings.Contains(`\[]^-&~`, c) {
		return `\` + c
	}
	return c
}

func classEscape(s string) (out, rest string, err error) {
	if len(s) < 2 {
		return "", "", badRegexp("invalid escape \\ sequence")
	}
	if m := hexEscape.FindStringSubmatch(s); m != nil {
		v, err := strconv.ParseUint(m[1]+m[2]+m[3], 16, 32)
		if err != nil || v > utf8.MaxRune {
			return "", "", badRegexp("invalid escape \\ sequence")
		}
		return fmt.Sprintf(`\x{%x}`, v), s[len(m[0]):], nil
	}
	switch c := s[1]; {
	case c == 's':
		return `\t\n\x0b\f\r `, s[2:], nil
	case c == 'S' || c == 'D' || c == 'W':
		return "", "", badRegexp("invalid escape \\ sequence")
	case escapes[c] != "":
		return escapes[c], s[2:], nil
	case c|0x20 >= 'a' && c|0x20 <= 'z' || chars.IsDigit(c):
		return "", "", badRegexp("invalid escape \\ sequence")
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return quoteInClass(s[1 : 1+n]), s[1+n:], nil
}
