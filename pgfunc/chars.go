package pgfunc

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func firstChar(s string) (c, rest string) {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n], s[n:]
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSeparator(c byte) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z'
	return c > 0x20 && c < 0x7f && !letter && !isDigit(c)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isPunctuation(c byte) bool { return c > ' ' && c < 0x7F && !isDigit(c) && !isLetter(c) }

// run counts the characters at the beginning of a text that are of a kind.
func run(s string, of func(c byte) bool) int {
	n := 0
	for n < len(s) && of(s[n]) {
		n++
	}
	return n
}

// leadingInt reads the integer a text begins with, used characters of it.
func leadingInt(s string) (v, used int, err error) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		used++
	}
	digits := used
	for used < len(s) && isDigit(s[used]) {
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

const blank = " \t\n\v\f\r"
