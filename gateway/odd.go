package gateway

import (
	"bytes"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// Some texts that the original takes for JSON are none to the engine: numbers that
// are not finite, texts with half of a surrogate pair. A data file has typed columns
// beside them; of rows without such columns the engine reads a tame text.

// tameColumn is the name of the column of tame texts, NULL where fields_json is one.
const tameColumn = "__tame"

// odd reports whether a canonical JSON text may be none to the engine.
func odd(text []byte) bool {
	return bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) ||
		bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\u0000`))
}

// tame appends a canonical JSON text as the engine can read it, with numbers that are
// not finite as texts, which it casts to the same, and null for a text that it has no
// place for: lost is true then. A text in which nothing had to be changed is not tame,
// but was never odd: changed is false then.
func tame(dst, text []byte) (_ []byte, changed, lost bool) {
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case c == '"':
			end := stringEnd(text, at)
			key := end < len(text) && text[end] == ':'
			if s := text[at:end]; !key && (escape(s, `\u0000`) >= 0 || halved(s)) {
				dst, changed, lost = append(dst, "null"...), true, true
			} else {
				dst = append(dst, s...)
			}
			at = end
		case c == 'N' || c == 'I' || c == '-' && at+1 < len(text) && text[at+1] == 'I':
			end := at + 1
			for end < len(text) && 'A' <= text[end]&^0x20 && text[end]&^0x20 <= 'Z' { // letters
				end++
			}
			dst = append(append(append(dst, '"'), text[at:end]...), '"')
			at, changed = end, true
		default:
			dst = append(dst, c)
			at++
		}
	}
	return dst, changed, lost
}

// stringEnd is behind the string that begins at a place.
func stringEnd(text []byte, at int) int {
	for at++; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(text))
}

// halved reports whether a canonical string has half of a surrogate pair.
func halved(s []byte) bool {
	for {
		i := escape(s, `\ud`)
		if i < 0 {
			return false
		}
		rest := s[i+6:]
		switch digit := s[i+3]; {
		case digit < '8': // a character below the surrogates
		case digit > 'b' || !bytes.HasPrefix(rest, []byte(`\ud`)) || rest[3] < 'c':
			return true
		default:
			rest = rest[6:]
		}
		s = rest
	}
}

// escape is the first place in a canonical string where an escape begins in this way,
// -1 for none.
func escape(s []byte, begins string) int {
	for at := 0; at < len(s); at++ {
		if s[at] != '\\' {
			continue
		}
		if bytes.HasPrefix(s[at:], []byte(begins)) {
			return at
		}
		at++
	}
	return -1
}

// tamed are the odd rows of a table, of which file is the others, with typed columns.
func tamed(t *catalog.Type, table string, file scan.File) scan.File {
	list := ownColumns(t)
	for _, c := range typedFields(t) {
		list = append(list, scan.FieldOf(c, tameColumn)+" AS "+duckdb.Ident(c.Field))
	}
	duplicates := file.Facts.Duplicates
	file.Facts = typedFacts(t)
	file.Facts.Duplicates = duplicates
	file.Rows = "(SELECT " + strings.Join(list, ", ") + " FROM " + table + " WHERE " + tameColumn + " IS NOT NULL) AS odd"
	if file.Path != "" {
		file.Path += ", odd rows"
	}
	return file
}
