package pgfunc

import "strings"

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
	s = LowerASCII(s)
	for s != "" {
		c := s[0]
		switch {
		case isSpace(c), isPunctuation(c) && c != '.' && c != '+' && c != '-':
			s = s[1:]
			continue
		case len(tokens) == maxTimeTokens:
			return nil, false
		}
		var t timeToken
		used := 0
		switch {
		case isDigit(c):
			t.kind, used = numberOrDate(s)
		case c == '.':
			used = 1 + run(s[1:], isDigit)
		case isLetter(c):
			t.kind, used = wordOrZone(s)
		case c == '+' || c == '-':
			blanks := run(s[1:], isSpace)
			rest := s[1+blanks:]
			switch {
			case rest != "" && isDigit(rest[0]):
				t.kind = signedToken
				t.text = s[:1] + rest[:run(rest, func(c byte) bool { return isDigit(c) || strings.IndexByte(":.-", c) >= 0 })]
			case rest != "" && isLetter(rest[0]):
				t.kind = signedWordToken
				t.text = s[:1] + rest[:run(rest, isLetter)]
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
	used = run(s, isDigit)
	if used == len(s) {
		return numberToken, used
	}
	delimiter := s[used]
	switch {
	case delimiter == ':':
		return clockToken, used + run(s[used:], func(c byte) bool { return isDigit(c) || c == ':' || c == '.' })
	case strings.IndexByte("-/.", delimiter) < 0:
		return numberToken, used
	}
	used++
	digits := run(s[used:], isDigit)
	if digits == 0 { // a month by name
		return dateToken, used + run(s[used:], func(c byte) bool { return isDigit(c) || isLetter(c) || c == delimiter })
	}
	used += digits
	if used < len(s) && s[used] == delimiter {
		return dateToken, used + run(s[used:], func(c byte) bool { return isDigit(c) || c == delimiter })
	}
	if delimiter == '.' {
		return numberToken, used
	}
	return dateToken, used
}

// wordOrZone finds how far a part goes that begins with a letter. What may be the name of
// a zone goes on behind a digit or a plus; a word of ours ends there.
func wordOrZone(s string) (kind tokenKind, used int) {
	used = run(s, isLetter)
	if used == len(s) {
		return wordToken, used
	}
	switch c := s[used]; {
	case strings.IndexByte("-/.", c) >= 0:
	case c == '+' || isDigit(c):
		if _, ours := timeWords[s[:used]]; ours {
			return wordToken, used
		}
	default:
		return wordToken, used
	}
	return dateToken, used + run(s[used:], func(c byte) bool {
		return isDigit(c) || isLetter(c) || strings.IndexByte("+-/_.:", c) >= 0
	})
}
