// Package chars classifies bytes of texts by ASCII alone, as the parsers of PostgreSQL do in
// the C locale, and reads what several parsers have in common.
package chars

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// First is the first UTF-8 character of a text that is not empty, and the rest of the text.
func First(s string) (c, rest string) {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n], s[n:]
}

// IsSpace reports whether c is white space, as C's isspace does.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// IsDigit reports whether c is one of 0 to 9.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsSeparator reports whether c is printable and neither a letter, a digit nor a space.
func IsSeparator(c byte) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z'
	return c > 0x20 && c < 0x7f && !letter && !IsDigit(c)
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsPunctuation reports whether c is punctuation, as C's ispunct does.
func IsPunctuation(c byte) bool { return c > ' ' && c < 0x7F && !IsDigit(c) && !IsLetter(c) }

// Prefix counts the characters at the beginning of a text that are of a kind.
func Prefix(s string, of func(c byte) bool) int {
	n := 0
	for n < len(s) && of(s[n]) {
		n++
	}
	return n
}

// LeadingInt reads the integer a text begins with, used characters of it.
func LeadingInt(s string) (v, used int, err error) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		used++
	}
	digits := used
	for used < len(s) && IsDigit(s[used]) {
		used++
	}
	if used == digits {
		return 0, 0, nil
	}
	n, err := strconv.ParseInt(s[:used], 10, 32)
	return int(n), used, err
}

// LowerASCII is a name that stands without quotes: ASCII letters in lower case, others as
// they are (PostgreSQL manual, 4.1.1).
func LowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Blanks are the characters of IsSpace.
const Blanks = " \t\n\v\f\r"
