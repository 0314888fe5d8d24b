package format

import (
	"slices"
	"unicode/utf8"
)

// Style is one of the three styles in which the original writes JSON (COMPAT 2.1). All write ASCII
// only.
type Style uint8

// The styles and their uses.
const (
	// Canonical: keys sorted by code point, "," and ":". Used for every JSON object of a bucket,
	// for fields_json in Parquet, and as the input of schema hashes.
	Canonical Style = iota
	// Spaced: keys sorted, ", " and ": ". Used for schema_json in schema versions.
	Spaced
	// SpacedInOrder: keys in the given order, ", " and ": ". Used in SQLite for fields_json,
	// commit metadata and the schema registry, and for the lines of an export.
	SpacedInOrder
)

// Append appends the JSON text of v to dst.
func (v Value) Append(dst []byte, style Style) []byte {
	switch v.kind {
	case JSONBool:
		if v.boolean {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case JSONInt:
		return append(dst, v.text...)
	case JSONFloat:
		return AppendFloat(dst, v.num)
	case JSONString:
		return AppendString(dst, v.text)
	case JSONArray:
		return v.appendArray(dst, style)
	case JSONObject:
		return v.appendObject(dst, style)
	}
	return append(dst, "null"...)
}

func (v Value) appendArray(dst []byte, style Style) []byte {
	dst = append(dst, '[')
	for i, item := range v.items {
		if i > 0 {
			dst = style.comma(dst)
		}
		dst = item.Append(dst, style)
	}
	return append(dst, ']')
}

func (v Value) appendObject(dst []byte, style Style) []byte {
	order := make([]int, len(v.names))
	for i := range order {
		order[i] = i
	}
	if style != SpacedInOrder {
		// UTF-8 bytes, including lone surrogates, sort in the order of code points.
		slices.SortFunc(order, func(a, b int) int {
			switch {
			case v.names[a] < v.names[b]:
				return -1
			case v.names[a] > v.names[b]:
				return 1
			}
			return 0
		})
	}
	dst = append(dst, '{')
	for n, i := range order {
		if n > 0 {
			dst = style.comma(dst)
		}
		dst = AppendString(dst, v.names[i])
		dst = append(dst, ':')
		if style != Canonical {
			dst = append(dst, ' ')
		}
		dst = v.items[i].Append(dst, style)
	}
	return append(dst, '}')
}

func (s Style) comma(dst []byte) []byte {
	if s == Canonical {
		return append(dst, ',')
	}
	return append(dst, ", "...)
}

// Canonicalize rewrites a JSON text in the Canonical style. Every error is a
// *SyntaxError.
func Canonicalize(text []byte) ([]byte, error) {
	v, err := ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return v.Append(make([]byte, 0, len(text)), Canonical), nil
}

const lowerHex = "0123456789abcdef"

// AppendString appends s as an ASCII JSON string with Python's escapes: the short escapes of JSON,
// and \u with lower-case digits for other characters outside 0x20-0x7e. Characters above U+FFFF
// become surrogate pairs, lone surrogates stay lone. "/", "<", ">" and "&" are not escaped.
// Invalid UTF-8 becomes U+FFFD.
func AppendString[S string | []byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		plain := i
		for i < len(s) && 0x20 <= s[i] && s[i] < 0x7F && s[i] != '"' && s[i] != '\\' {
			i++
		}
		if plain < i {
			dst = append(dst, s[plain:i]...)
			continue
		}
		if c := s[i]; c < utf8.RuneSelf {
			dst = appendASCII(dst, c)
			i++
			continue
		}
		r, n := decodeCodePoint(string(s[i:min(i+utf8.UTFMax, len(s))]))
		i += n
		if r > 0xFFFF {
			r -= 0x10000
			dst = appendEscape(dst, 0xD800+r>>10)
			r = 0xDC00 + r&0x3FF
		}
		dst = appendEscape(dst, r)
	}
	return append(dst, '"')
}

// appendASCII appends a character that needs an escape.
func appendASCII(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return appendEscape(dst, rune(c))
}

func appendEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', lowerHex[r>>12&0xF], lowerHex[r>>8&0xF], lowerHex[r>>4&0xF], lowerHex[r&0xF])
}

// decodeCodePoint is utf8.DecodeRuneInString that also decodes lone surrogates.
func decodeCodePoint(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 && len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80 {
		return rune(s[0]&0x0F)<<12 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return r, n
}
