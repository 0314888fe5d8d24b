package rewrite

import (
	"strings"
)

// parseArray reads PostgreSQL's text form of a one-dimensional array; nil items
// are NULL.
func parseArray(s string) (items []*string, ok bool) {
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' {
		return nil, false
	}
	s = s[1 : len(s)-1]
	if strings.Trim(s, blanks) == "" {
		return nil, true
	}
	for i := 0; i <= len(s); {
		i = skipBlanks(s, i)
		var item strings.Builder
		quoted, escaped := i < len(s) && s[i] == '"', false
		if quoted {
			for i++; i < len(s) && s[i] != '"'; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				item.WriteByte(s[i])
			}
			if i >= len(s) {
				return nil, false
			}
			i++
		} else {
			for ; i < len(s) && s[i] != ','; i++ {
				if s[i] == '{' || s[i] == '}' || s[i] == '"' {
					return nil, false
				}
				if s[i] == '\\' && i+1 < len(s) {
					i++
					escaped = true
				}
				item.WriteByte(s[i])
			}
		}
		text := item.String()
		if !quoted {
			text = strings.TrimRight(text, blanks)
		}
		switch {
		case !quoted && text == "":
			return nil, false
		case !quoted && !escaped && strings.EqualFold(text, "null"):
			items = append(items, nil)
		default:
			items = append(items, &text)
		}
		i = skipBlanks(s, i)
		if i < len(s) && s[i] != ',' {
			return nil, false
		}
		i++
	}
	return items, true
}

func skipBlanks(s string, i int) int {
	for i < len(s) && strings.IndexByte(blanks, s[i]) >= 0 {
		i++
	}
	return i
}
