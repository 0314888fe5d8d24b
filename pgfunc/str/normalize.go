package str

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"golang.org/x/text/unicode/norm"
)

// form is a normal form of Unicode.
type form struct {
	norm.Form
	parts norm.Form // the same, taken apart
}

func normalForm(name string) (form, error) {
	switch strings.ToUpper(name) {
	case "NFC":
		return form{norm.NFC, norm.NFD}, nil
	case "NFD":
		return form{norm.NFD, norm.NFD}, nil
	case "NFKC":
		return form{norm.NFKC, norm.NFKD}, nil
	case "NFKD":
		return form{norm.NFKD, norm.NFKD}, nil
	}
	return form{}, fmgr.InvalidParameter("invalid normalization form: %s", name)
}

// joiner is the character by which the library keeps a text "stream-safe": it puts one
// within every thirty marks.
const joiner = "\u034f"

// of is a text in the form.
func (f form) of(s string) string {
	out := f.String(s)
	if strings.Count(out, joiner) == strings.Count(s, joiner) {
		return out
	}
	var runes []rune
	for _, c := range s {
		runes = append(runes, []rune(f.parts.String(string(c)))...)
	}
	orderMarks(runes)
	if f.Form != f.parts {
		runes = composed(runes)
	}
	return string(runes)
}

// orderMarks puts the marks behind each starter into the order of their classes.
func orderMarks(runes []rune) {
	for from := 0; from < len(runes); from++ {
		end := from
		for end < len(runes) && class(runes[end]) > 0 {
			end++
		}
		slices.SortStableFunc(runes[from:end], func(a, b rune) int { return class(a) - class(b) })
		from = end
	}
}

// composed joins each starter with the characters after it that no mark of the same or a higher
// class separates from it.
func composed(runes []rune) []rune {
	out := runes[:0]
	starter, between := -1, -1 // the index of the starter, and the class of the last character after it
	for _, r := range runes {
		if starter >= 0 && between < class(r) {
			if joined, ok := pair(out[starter], r); ok {
				out[starter] = joined
				continue
			}
		}
		between = class(r)
		if between == 0 {
			starter, between = len(out), -1
		}
		out = append(out, r)
	}
	return out
}

// class is the canonical combining class of a character, 0 for a starter.
func class(r rune) int { return int(norm.NFD.PropertiesString(string(r)).CCC()) }

// pair is the character that two make together.
func pair(a, b rune) (rune, bool) {
	joined := []rune(norm.NFC.String(string([]rune{a, b})))
	return joined[0], len(joined) == 1
}
