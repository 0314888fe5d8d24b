package formatting

import (
	"strings"

	"github.com/ontosql/ontosql/pgfunc/chars"
)

// node is one part of a pattern of to_char and its inverses: a keyword of the tables of the
// manual (9.8) or a literal character.
type node struct {
	key       string // "" for a character
	char      string
	separator bool // the character is a blank or one of the separators
	quoted    bool // the character was quoted
	fill      bool // FM
	local     bool // TM
	th        string
}

// parsePattern takes a pattern apart. Keywords are tried in the order of the list,
// so that a longer one comes before its beginning. Of dates alone are modifiers
// before and behind a keyword.
func parsePattern(p string, keywords []string, dates bool) []node {
	var out []node
	for p != "" {
		var n node
		if dates {
			switch prefix := p[:min(2, len(p))]; prefix {
			case "FM", "fm":
				n.fill, p = true, p[2:]
			case "TM", "tm":
				n.local, p = true, p[2:]
			}
		}
		if key := keyword(p, keywords); key != "" {
			n.key, p = key, p[len(key):]
			if dates {
				switch suffix := p[:min(2, len(p))]; suffix {
				case "TH", "th":
					n.th, p = suffix, p[2:]
				case "SP":
					p = p[2:]
				}
			}
			out = append(out, n)
			continue
		}
		if p == "" {
			break
		}
		if p[0] == '"' {
			for p = p[1:]; p != "" && p[0] != '"'; {
				if p[0] == '\\' && len(p) > 1 {
					p = p[1:]
				}
				var c string
				c, p = chars.First(p)
				out = append(out, node{char: c, quoted: true})
			}
			p = strings.TrimPrefix(p, `"`)
			continue
		}
		if strings.HasPrefix(p, `\"`) {
			p = p[1:]
		}
		var c string
		c, p = chars.First(p)
		out = append(out, node{char: c, separator: chars.IsSpace(c[0]) || chars.IsSeparator(c[0])})
	}
	return out
}

func keyword(p string, keywords []string) string {
	for _, k := range keywords {
		if strings.HasPrefix(p, k) {
			return k
		}
	}
	return ""
}

// ordinal is the ending of a number: st, nd, rd or th.
func ordinal(digits, kind string) string {
	last := digits[len(digits)-1]
	if len(digits) > 1 && digits[len(digits)-2] == '1' {
		last = 0
	}
	ending := "th"
	switch last {
	case '1':
		ending = "st"
	case '2':
		ending = "nd"
	case '3':
		ending = "rd"
	}
	if kind == "TH" {
		return strings.ToUpper(ending)
	}
	return ending
}
