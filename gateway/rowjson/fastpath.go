package rowjson

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/format"
)

// plainRow is Row for values that only their type restricts, which nearly all rows have.
// The most common types go straight from the vectors to fields_json. ok is false for every
// other row and for one with an error; checkedRow then finds the error of the first column.
func (m *Encoder) plainRow(b *column.Batch, i int) (r format.Row, ok bool) {
	r.SchemaVersionID = m.Type.SchemaID
	for _, k := range m.Type.Key {
		role := m.Type.Columns[k].Role
		text, ok := m.plainKey(&b.Cols[k], i, k)
		if !ok || role == catalog.FromInstanceKey { // an instance key may be blank
			return r, false
		}
		*keyPart(&r, role) = text
	}
	if m.Text, ok = m.appendFields(m.Text[:0], b, i); !ok {
		return r, false
	}
	r.Fields = m.Keep(m.Text)
	return r, true
}

// appendFields appends fields_json of row i; ok is false at the first value that is not
// plain.
func (m *Encoder) appendFields(dst []byte, b *column.Batch, i int) (_ []byte, ok bool) {
	dst = append(dst, '{')
	for n, f := range m.fields {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.label...)
		if dst, ok = m.appendPlain(dst, &b.Cols[f.column], i, f.column); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// plainKey is the text of a key that is a number or a text.
func (m *Encoder) plainKey(v *column.Vector, i, k int) (text string, ok bool) {
	if v.IsNull(i) {
		return "", false
	}
	switch v.Type.Kind {
	case column.Int64:
		var digits [20]byte
		return string(strconv.AppendInt(digits[:0], v.I64[i], 10)), true
	case column.Text:
		return string(v.Str[i]), !m.numbers[k] && storable(v.Str[i])
	}
	return "", false
}

// appendPlain appends value i of a vector as fields_json has it.
func (m *Encoder) appendPlain(dst []byte, v *column.Vector, i, k int) (_ []byte, ok bool) {
	switch c := &m.Type.Columns[k]; {
	case v.IsNull(i):
		return append(dst, "null"...), !c.NotNull
	case m.Rules[k] != nil || m.numbers[k]:
		return dst, false
	}
	switch v.Type.Kind {
	case column.Bool:
		return strconv.AppendBool(dst, v.Bool[i]), true
	case column.Int64:
		return strconv.AppendInt(dst, v.I64[i], 10), true
	case column.Float64:
		return format.AppendFloat(dst, v.F64[i]), true
	case column.TimestampTZ:
		quoted, err := format.AppendDatetime(append(dst, '"'), v.I64[i])
		return append(quoted, '"'), err == nil
	case column.Text:
		if m.Type.Columns[k].Type.Kind == column.Wide {
			break
		}
		text := v.Str[i]
		if plainASCII(text) {
			return append(append(append(dst, '"'), text...), '"'), true
		}
		if !storable(text) {
			return dst, false
		}
		return format.AppendString(dst, text), true
	}
	value, err := Value(v, i, &m.Type.Columns[k])
	if err != nil || value.IsNull() {
		return dst, false
	}
	return value.Append(dst, format.Canonical), true
}

// plainASCII reports whether a text is storable and needs no escapes in JSON.
func plainASCII(text []byte) bool {
	for _, c := range text {
		if c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			return false
		}
	}
	return len(text) <= ontosql.MaxValueSize
}

// storable reports whether a text can be stored: valid UTF-8 without NUL, and not too long.
func storable(text []byte) bool {
	return len(text) <= ontosql.MaxValueSize && utf8.Valid(text) && bytes.IndexByte(text, 0) < 0
}

// arenaSize is the size of the memory blocks that small rows share.
const arenaSize = 64 << 10

// Keep copies a row's text.
func (m *Encoder) Keep(text []byte) []byte {
	if len(text) > arenaSize/8 {
		return bytes.Clone(text)
	}
	if cap(m.arena)-len(m.arena) < len(text) {
		m.arena = make([]byte, 0, arenaSize)
	}
	start := len(m.arena)
	m.arena = append(m.arena, text...)
	return m.arena[start:len(m.arena):len(m.arena)]
}
