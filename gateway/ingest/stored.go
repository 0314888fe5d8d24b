package ingest

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/textvalue"
)

// Converter makes of rows the columns in which the native copies of a type have them
// (scan.StoredColumns), without the engine. It is safe for concurrent use.
type Converter struct {
	typ    *catalog.Type
	cols   []column.Named
	keys   int
	fields map[string]int // of StoredColumns, by the name of the field
	typed  []typedKey     // columns with the value of a key
}

// typedKey is a column of StoredColumns that has the value of a key text.
type typedKey struct{ column, key int }

// NewConverter is for the rows of a type.
func NewConverter(t *catalog.Type) *Converter {
	keys := scan.KeyColumns(t.Ref.Kind)
	c := &Converter{typ: t, cols: scan.StoredColumns(t), keys: len(keys), fields: map[string]int{}}
	at := c.keys + 3
	for _, shown := range t.Columns {
		switch {
		case shown.Role == catalog.FromField:
			c.fields[shown.Field] = at
			at++
		case shown.Type.Kind != column.Text:
			for k, name := range keys {
				if name == scan.KeyColumn(shown.Role) {
					c.typed = append(c.typed, typedKey{at, k})
				}
			}
			at++
		}
	}
	return c
}

// Type is the type of the rows.
func (c *Converter) Type() *catalog.Type { return c.typ }

// Convert makes a batch of rows; the order of those of one identity and commit is that in which they
// come. ok is false if it is not certain what the engine would read: if a row was written with another
// schema, or has a value that is not in the form in which a gateway writes it, or one that reads as
// NULL with a warning (A17). The batch refers to the rows.
func (c *Converter) Convert(rows []format.Row) (b *column.Batch, ok bool) {
	b = &column.Batch{Len: len(rows), Cols: make([]column.Vector, len(c.cols))}
	for i := range b.Cols {
		b.Cols[i].Type = c.cols[i].Type
		textvalue.Allocate(&b.Cols[i], len(rows))
	}
	for i := range rows {
		if !c.row(b, i, &rows[i]) {
			return nil, false
		}
	}
	return b, true
}

func (c *Converter) row(b *column.Batch, i int, r *format.Row) bool {
	if r.SchemaVersionID != c.typ.SchemaID || !Plain(r) || !utf8.Valid(r.Fields) {
		return false
	}
	texts := r.KeyTexts(c.typ.Ref.Kind)
	for k, text := range texts {
		if !utf8.ValidString(text) {
			return false
		}
		b.Cols[k].Str[i] = []byte(text)
	}
	for _, t := range c.typed {
		if !readKey(texts[t.key], &b.Cols[t.column], i) {
			return false
		}
	}
	b.Cols[c.keys].I64[i], b.Cols[c.keys+1].I64[i], b.Cols[c.keys+2].Str[i] = int64(r.Commit), r.SchemaVersionID, r.Fields
	if r.SchemaVersionID == 0 {
		b.Cols[c.keys+1].SetNull(i, b.Len)
	}
	b.Cols[len(b.Cols)-1].I64[i] = int64(i)
	for _, at := range c.fields {
		b.Cols[at].SetNull(i, b.Len)
	}
	ok := true
	err := format.EachMember(r.Fields, func(name, value format.Span) {
		field := r.Fields[name.From:name.To]
		at, known := c.fields[string(field)]
		switch {
		case bytes.IndexByte(field, '\\') >= 0: // the escaped name may be that of any column
			ok = false
		case known && ok:
			v := &b.Cols[at]
			// A member that is repeated is left to the engine.
			ok = v.IsNull(i) && readStored(r.Fields[value.From:value.To], v, i)
		}
	})
	return ok && err == nil
}

// readKey reads the text of a key that is shown as another type. It accepts the one text that a value has.
func readKey(text string, into *column.Vector, i int) bool {
	var back string
	switch into.Type.Kind {
	case column.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return false
		}
		into.I64[i], back = n, strconv.FormatInt(n, 10)
	case column.Date:
		return readDate([]byte(text), into, i)
	case column.UUID:
		return readUUID([]byte(text), into, i)
	}
	return back == text
}

// readStored reads a JSON value into row i of a column that is NULL there. It returns false if the
// value is not in the form in which it is written.
func readStored(text []byte, into *column.Vector, i int) bool {
	if string(text) == "null" {
		return true
	}
	ok := false
	switch into.Type.Kind {
	case column.Text, column.Float64, column.Bool:
		return readValue(text, into, i)
	case column.Int64:
		n, err := strconv.ParseInt(string(text), 10, 64)
		into.I64[i], ok = n, err == nil && strconv.FormatInt(n, 10) == string(text)
	case column.JSON:
		into.Str[i], ok = text, spelledAlike(text)
	default:
		ok = len(text) > 1 && text[0] == '"' && readText(text[1:len(text)-1], into, i)
	}
	if ok {
		into.Valid[i>>6] |= 1 << (i & 63)
	}
	return ok
}

// readText reads the text of a value that JSON has no kind for.
func readText(text []byte, into *column.Vector, i int) bool {
	switch t := into.Type; t.Kind {
	case column.Numeric:
		n, ok := textvalue.ReadDecimal(text, int(t.Width), int(t.Scale))
		into.I128[i] = n
		return ok && string(n.AppendDecimal(nil, int(t.Scale), 0)) == string(text)
	case column.Bytes:
		value, err := format.ParseBytes(string(text))
		into.Str[i] = value
		return err == nil && format.FormatBytes(value) == string(text)
	case column.UUID:
		return readUUID(text, into, i)
	case column.Date:
		return readDate(text, into, i)
	case column.TimestampTZ:
		micros, err := format.ParseDatetime(string(text))
		if err != nil {
			return false
		}
		into.I64[i] = micros
		back, err := format.FormatDatetime(micros)
		return err == nil && back == string(text)
	}
	return false
}

func readUUID(text []byte, into *column.Vector, i int) bool {
	id, err := format.ParseUUID(string(text))
	into.I128[i] = column.UUIDOf(id)
	return err == nil && format.FormatUUID(id) == string(text)
}

func readDate(text []byte, into *column.Vector, i int) bool {
	days, err := format.ParseDate(string(text))
	if err != nil {
		return false
	}
	into.I32[i] = days
	back, err := format.FormatDate(days)
	return err == nil && back == string(text)
}

// spelledAlike reports whether the engine is certain to spell a document as it is written: without
// spaces between values, without escapes, and with small integers as its only numbers.
func spelledAlike(text []byte) bool {
	inside, digits := false, 0
	for i, c := range text {
		switch {
		case c == '\\':
			return false
		case c == '"':
			inside, digits = !inside, 0
		case inside:
		case '0' <= c && c <= '9':
			if digits++; digits > maxIntLength || c == '0' && i > 0 && text[i-1] == '-' {
				return false
			}
		case c == ' ', c == '\t', c == '\n', c == '\r', c == '.', c == '+', c == 'E', c == 'e' && digits > 0:
			return false
		default:
			digits = 0
		}
	}
	return true
}
