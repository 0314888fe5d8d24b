package format

import "bytes"

// The original accepts JSON texts that the engines cannot read: with non-finite numbers or with
// lone surrogates. A text of PostgreSQL cannot contain U+0000.

// PlainJSON reports whether a canonical JSON text has none of these, so that every JSON reader
// accepts it.
func PlainJSON(text []byte) bool {
	return !hasUnreadable(text) && !bytes.Contains(text, []byte("NaN")) && !bytes.Contains(text, []byte("Infinity"))
}

// StrictJSON reports whether a canonical JSON text has none of these. Unlike PlainJSON it is exact:
// a string may have the letters NaN.
func StrictJSON(text []byte) bool { return !hasUnreadable(text) && !containsNonFinite(text) }

// ReadableJSON appends a canonical JSON object in a form that every JSON reader accepts. A
// non-finite number becomes a string. A member's value that PostgreSQL cannot represent is replaced
// by lost. A text that is not a JSON object is appended unchanged.
func ReadableJSON(dst, text []byte, lost string) []byte {
	start := len(dst)
	dst = append(dst, '{')
	err := EachMember(text, func(name, value Span) {
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		// Fields have valid names, so the name of this member is not needed.
		if n := text[name.From:name.To]; !hasUnreadable(n) {
			dst = append(append(append(dst, '"'), n...), '"', ':')
		} else {
			dst = append(dst, `"\ufffd":`...)
		}
		switch v := text[value.From:value.To]; {
		case isNonFinite(v):
			dst = append(append(append(dst, '"'), v...), '"')
		case hasUnreadable(v) || (v[0] == '{' || v[0] == '[') && containsNonFinite(v):
			dst = append(dst, lost...)
		default:
			dst = append(dst, v...)
		}
	})
	if err != nil {
		return append(dst[:start], text...)
	}
	return append(dst, '}')
}

func isNonFinite(v []byte) bool { return v[0] == 'N' || v[0] == 'I' || v[0] == '-' && v[1] == 'I' }

// containsNonFinite reports whether a text contains a non-finite number.
func containsNonFinite(v []byte) bool {
	for at := 0; at < len(v); at++ {
		switch v[at] {
		case '"':
			for at++; at < len(v) && v[at] != '"'; at++ {
				if v[at] == '\\' {
					at++
				}
			}
		case 'N', 'I':
			return true
		}
	}
	return false
}

// hasUnreadable reports whether some string of a canonical text has U+0000 or a lone surrogate.
func hasUnreadable(text []byte) bool {
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '\\')
		if next < 0 || at+next+1 >= len(text) {
			return false
		}
		at += next
		if text[at+1] != 'u' || len(text) < at+6 {
			at += 2
			continue
		}
		switch unit := text[at+2 : at+6]; {
		case string(unit) == "0000", isSurrogate(unit) && unit[1] >= 'c':
			return true
		case isSurrogate(unit):
			rest := text[at+6:]
			if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || !isSurrogate(rest[2:6]) || rest[3] < 'c' {
				return true
			}
			at += 12
		default:
			at += 6
		}
	}
}

// isSurrogate reports whether four hexadecimal digits are a surrogate.
func isSurrogate(unit []byte) bool { return unit[0] == 'd' && unit[1] >= '8' }
