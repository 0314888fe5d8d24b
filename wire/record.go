package wire

import (
	"encoding/binary"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// fieldEncoders returns the encoders of the fields of a record. choose selects them as for columns.
func fieldEncoders(t column.Type, c Column, choose func(column.Type, Column) (appendValue, error)) ([]appendValue, error) {
	if len(t.Fields) < len(c.Fields) { // the engine's type of a record without fields has one field
		return nil, errNoEncoder(t, c.OID)
	}
	encoders := make([]appendValue, len(c.Fields))
	for i := range encoders {
		var err error
		if encoders[i], err = choose(t.Fields[i], c.Fields[i]); err != nil {
			return nil, err
		}
	}
	return encoders, nil
}

// textRecord is record_out: (1,"a b",). NULL is empty.
func textRecord(t column.Type, c Column, style *textout.Style) (appendValue, error) {
	fields, err := fieldEncoders(t, c, func(t column.Type, c Column) (appendValue, error) { return textEncoder(t, c, style) })
	return func(dst []byte, v *column.Vector, i int) []byte {
		dst = append(dst, '(')
		for n, encode := range fields {
			if n > 0 {
				dst = append(dst, ',')
			}
			if !v.Fields[n].IsNull(i) {
				start := len(dst)
				dst = quoteField(encode(dst, &v.Fields[n], i), start)
			}
		}
		return append(dst, ')')
	}, err
}

// quoteField quotes the field at dst[start:] if record_out does. It doubles quotes and backslashes.
func quoteField(dst []byte, start int) []byte {
	quote := len(dst) == start
	for _, c := range dst[start:] {
		quote = quote || c == '"' || c == '\\' || c == '(' || c == ')' || c == ',' || isSpace(c)
	}
	if !quote {
		return dst
	}
	field := append([]byte(nil), dst[start:]...)
	dst = append(dst[:start], '"')
	for _, c := range field {
		if c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// binaryRecord is record_send: the number of fields, and the type and value of each.
func binaryRecord(t column.Type, c Column, texts *translator) (appendValue, error) {
	fields, err := fieldEncoders(t, c, func(t column.Type, c Column) (appendValue, error) { return binaryEncoder(t, c, texts) })
	return func(dst []byte, v *column.Vector, i int) []byte {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(fields)))
		for n, encode := range fields {
			dst = binary.BigEndian.AppendUint32(dst, c.Fields[n].OID)
			dst = appendSized(dst, encode, &v.Fields[n], i)
		}
		return dst
	}, err
}
