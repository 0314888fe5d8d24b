package codec

import (
	"bytes"
	"fmt"

	"github.com/ontosql/ontosql/format"
)

// FieldsEncoder encodes fields_json as in SQLite (COMPAT 2.1): the fields in declared order,
// separated by ", " and ": ".
type FieldsEncoder struct {
	order   []string // JSON-escaped, without quotes
	members []member // of the current row
	place   map[string]int
	at      []int // at[i] is the member of field i, -1 for none
}

// member is a member of a row, by its places in the text.
type member struct{ name, value format.Span }

// NewFieldsEncoder returns an encoder for a type with fields declared in this order.
func NewFieldsEncoder(order []string) *FieldsEncoder {
	e := &FieldsEncoder{place: make(map[string]int, len(order)), at: make([]int, len(order))}
	for i, name := range order {
		quoted := format.AppendString(nil, name)
		e.order = append(e.order, string(quoted[1:len(quoted)-1]))
		e.place[e.order[i]] = i
	}
	return e
}

// Append appends a row's fields, which are canonical JSON, to dst. Members of unknown fields
// come last, in their order.
func (e *FieldsEncoder) Append(dst, fields []byte) ([]byte, error) {
	e.members = e.members[:0]
	for i := range e.at {
		e.at[i] = -1
	}
	err := format.EachMember(fields, func(name, value format.Span) {
		if i, known := e.place[string(fields[name.From:name.To])]; known {
			e.at[i] = len(e.members)
		}
		e.members = append(e.members, member{name, value})
	})
	if err != nil {
		return dst, fmt.Errorf("fields of a row: %w", err)
	}
	dst = append(dst, '{')
	first := true
	put := func(m member) {
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = append(dst, fields[m.name.From-1:m.name.To+1]...)
		dst = append(dst, ": "...)
		dst = appendSpaced(dst, fields[m.value.From:m.value.To])
	}
	for _, i := range e.at {
		if i >= 0 {
			put(e.members[i])
		}
	}
	for _, m := range e.members {
		if _, known := e.place[string(fields[m.name.From:m.name.To])]; !known {
			put(m)
		}
	}
	return append(dst, '}'), nil
}

// appendSpaced appends canonical JSON with a space after each comma and colon between its
// values.
func appendSpaced(dst, canonical []byte) []byte {
	for len(canonical) > 0 {
		plain := bytes.IndexAny(canonical, `",:`)
		if plain < 0 {
			return append(dst, canonical...)
		}
		dst = append(dst, canonical[:plain+1]...)
		mark := canonical[plain]
		canonical = canonical[plain+1:]
		if mark != '"' {
			dst = append(dst, ' ')
			continue
		}
		end := endOfString(canonical)
		dst = append(dst, canonical[:end]...)
		canonical = canonical[end:]
	}
	return dst
}

// endOfString returns the length of a string from after its first quote to after its last.
func endOfString(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
