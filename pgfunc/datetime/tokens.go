package datetime

import (
	"strings"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// tokenKind is what the characters of a part of a text make it (PostgreSQL manual, B.1).
type tokenKind uint8

const (
	numberToken     tokenKind = iota // digits, with or without a point
	dateToken                        // digits or a word with -, / or . behind: a date, or the name of a zone
	clockToken                       // digits and colons
	wordToken                        // letters
	signedWordToken                  // a sign and letters: -infinity
	signedToken                      // a sign and digits: an offset, or an amount in an interval
)

// timeToken is a part of a text of a date, time or interval, in small letters.
type timeToken struct {
	kind tokenKind
	text string
}

// maxTimeTokens is the most that PostgreSQL reads.
const maxTimeTokens = 25

// timeTokens takes a text apart. Blanks and other punctuation stand between parts.
func timeTokens(s string) (tokens []timeToken, ok bool) {
	s = chars.LowerASCII(s)
	for s != "" {
		c := s[0]
		switch {
		case chars.IsSpace(c), chars.IsPunctuation(c) && c != '.' && c != '+' && c != '-':
			s = s[1:]
			continue
		case len(tokens) == maxTimeTokens:
			return nil, false
		}
		var t timeToken
		used := 0
		switch {
		case chars.IsDigit(c):
			t.kind, used = numberOrDate(s)
		case c == '.':
			used = 1 + chars.Prefix(s[1:], chars.IsDigit)
		case chars.IsLetter(c):
			t.kind, used = wordOrZone(s)
		case c == '+' || c == '-':
			blanks := chars.Prefix(s[1:], chars.IsSpace)
			rest := s[1+blanks:]
			switch {
			case rest != "" && chars.IsDigit(rest[0]):
				t.kind = signedToken
				t.text = s[:1] + rest[:chars.Prefix(rest, func(c byte) bool { return chars.IsDigit(c) || strings.IndexByte(":.-", c) >= 0 })]
			case rest != "" && chars.IsLetter(rest[0]):
				t.kind = signedWordToken
				t.text = s[:1] + rest[:chars.Prefix(rest, chars.IsLetter)]
			default:
				return nil, false
			}
			used = blanks + len(t.text)
		default:
			return nil, false
		}
		if t.text == "" {
			t.text = s[:used]
		}
		tokens, s = append(tokens, t), s[used:]
	}
	return tokens, true
}

// numberOrDate finds how far a part goes that begins with a digit.
func numberOrDate(s string) (kind tokenKind, used int) {
	used = chars.Prefix(s, chars.IsDigit)
	if used == len(s) {
		return numberToken, used
	}
	delimiter := s[used]
	switch {
	case delimiter == ':':
		return clockToken, used + chars.Prefix(s[used:], func(c byte) bool { return chars.IsDigit(c) || c == ':' || c == '.' })
	case strings.IndexByte("-/.", delimiter) < 0:
		return numberToken, used
	}
	used++
	digits := chars.Prefix(s[used:], chars.IsDigit)
	if digits == 0 { // a month by name
		return dateToken, used + chars.Prefix(s[used:], func(c byte) bool { return chars.IsDigit(c) || chars.IsLetter(c) || c == delimiter })
	}
	used += digits
	if used < len(s) && s[used] == delimiter {
		return dateToken, used + chars.Prefix(s[used:], func(c byte) bool { return chars.IsDigit(c) || c == delimiter })
	}
	if delimiter == '.' {
		return numberToken, used
	}
	return dateToken, used
}

// wordOrZone finds the end of a part that begins with a letter. A part that may be the name of
// a zone continues behind a digit or a plus; a keyword ends there.
func wordOrZone(s string) (kind tokenKind, used int) {
	used = chars.Prefix(s, chars.IsLetter)
	if used == len(s) {
		return wordToken, used
	}
	switch c := s[used]; {
	case strings.IndexByte("-/.", c) >= 0:
	case c == '+' || chars.IsDigit(c):
		if _, ours := timeWords[s[:used]]; ours {
			return wordToken, used
		}
	default:
		return wordToken, used
	}
	return dateToken, used + chars.Prefix(s[used:], func(c byte) bool {
		return chars.IsDigit(c) || chars.IsLetter(c) || strings.IndexByte("+-/_.:", c) >= 0
	})
}
