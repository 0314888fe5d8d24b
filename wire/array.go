package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// textList is array_out: {1,NULL,"a b"}. For int2vector and oidvector the text is 1 2 3.
func textList(t column.Type, c Column, style *textout.Style) (appendValue, error) {
	oid, elem := c.OID, c
	if t.Elem == nil {
		return nil, errNoEncoder(t, oid)
	}
	if t.Elem.Kind != column.List { // arrays of one and of two dimensions have the same type
		elem.OID, _ = arrayElement(oid)
	}
	encode, err := textEncoder(*t.Elem, elem, style)
	if err != nil {
		return nil, err
	}
	if oid == oidInt2Vector || oid == oidOIDVector {
		return func(dst []byte, v *column.Vector, i int) []byte {
			for n := range v.Lists[i].Length {
				if n > 0 {
					dst = append(dst, ' ')
				}
				dst = encode(dst, v.Child, int(v.Lists[i].Offset+n))
			}
			return dst
		}, nil
	}
	quoted := mayNeedQuotes(t.Elem.Kind) || elem.OID == oidTID
	return func(dst []byte, v *column.Vector, i int) []byte {
		dst = append(dst, '{')
		for n := range v.Lists[i].Length {
			if n > 0 {
				dst = append(dst, ',')
			}
			at := int(v.Lists[i].Offset + n)
			if v.Child.IsNull(at) {
				dst = append(dst, "NULL"...)
				continue
			}
			start := len(dst)
			dst = encode(dst, v.Child, at)
			if quoted {
				dst = quoteElement(dst, start)
			}
		}
		return append(dst, '}')
	}, nil
}

func mayNeedQuotes(kind column.Kind) bool {
	switch kind {
	case column.Text, column.JSON, column.Bytes, column.Timestamp, column.TimestampTZ, column.Date, column.Interval, column.Record:
		return true
	}
	return false
}

// quoteElement quotes the element at dst[start:] if array_out does.
func quoteElement(dst []byte, start int) []byte {
	escapes, quote := 0, false
	for _, c := range dst[start:] {
		switch {
		case c == '"' || c == '\\':
			escapes++
		case c == '{' || c == '}' || c == ',' || isSpace(c):
			quote = true
		}
	}
	if escapes == 0 && !quote && len(dst) > start && !bytes.EqualFold(dst[start:], []byte("NULL")) {
		return dst
	}
	end := len(dst)
	for range escapes + 2 {
		dst = append(dst, 0)
	}
	// The loop starts at the end, so that no byte is overwritten before it is moved.
	to := len(dst) - 1
	dst[to] = '"'
	for from := end - 1; from >= start; from-- {
		to--
		dst[to] = dst[from]
		if dst[from] == '"' || dst[from] == '\\' {
			to--
			dst[to] = '\\'
		}
	}
	dst[start] = '"'
	return dst
}

// binaryList is array_send. A list of lists is a multidimensional array, whose lists all have the
// same length.
func binaryList(t column.Type, c Column, texts *translator) (appendValue, error) {
	oid := c.OID
	elem, ok := arrayElement(oid)
	if !ok || t.Elem == nil {
		return nil, errNoEncoder(t, oid)
	}
	c.OID = elem
	inner, deep := *t.Elem, 1
	for ; inner.Kind == column.List && inner.Elem != nil; deep++ {
		inner = *inner.Elem
	}
	encode, err := binaryEncoder(inner, c, texts)
	if err != nil {
		return nil, err
	}
	lowerBound := uint32(1)
	if oid == oidInt2Vector || oid == oidOIDVector {
		lowerBound = 0
	}
	return func(dst []byte, v *column.Vector, i int) []byte {
		start := len(dst)
		dst = binary.BigEndian.AppendUint32(dst, uint32(deep))
		dst = binary.BigEndian.AppendUint32(dst, 0) // the flag for NULLs, which is set at the end
		dst = binary.BigEndian.AppendUint32(dst, elem)
		for rows, at := v, i; rows.Lists != nil; rows = rows.Child {
			span := rows.Lists[at]
			if span.Length == 0 {
				dst = dst[:start+12]
				binary.BigEndian.PutUint32(dst[start:], 0)
				return dst
			}
			dst = binary.BigEndian.AppendUint32(dst, uint32(span.Length))
			dst = binary.BigEndian.AppendUint32(dst, lowerBound)
			at = int(span.Offset)
		}
		return appendElements(dst, start, encode, v, i)
	}, nil
}

// appendElements appends the elements of the array that begins at dst[start:].
func appendElements(dst []byte, start int, encode appendValue, v *column.Vector, i int) []byte {
	span := v.Lists[i]
	for n := range span.Length {
		at := int(span.Offset + n)
		if v.Child.Lists != nil {
			dst = appendElements(dst, start, encode, v.Child, at)
			continue
		}
		if v.Child.IsNull(at) {
			binary.BigEndian.PutUint32(dst[start+4:], 1)
		}
		dst = appendSized(dst, encode, v.Child, at)
	}
	return dst
}
