package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// textList is array_out: {1,NULL,"a b"}, and 1 2 3 for int2vector and oidvector.
func textList(t column.Type, c Column, style *textout.Style) (appendValue, error) {
	oid, elem := c.OID, c
	if t.Elem == nil {
		return nil, errNoEncoder(t, oid)
	}
	if t.Elem.Kind != column.List { // an array of two dimensions has the type of one of one
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
	quoted := mayNeedQuotes(t.Elem.Kind)
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

// quoteElement quotes what stands in dst from start on, if array_out would.
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
	// The bytes move from the back, so that none is overwritten before it has moved.
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

// binaryList is array_send. A list of lists is an array of several dimensions, all of
// whose rows have one length.
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
		dst = binary.BigEndian.AppendUint32(dst, 0) // whether there are NULLs, which shows at the end
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

// appendElements appends the elements of an array that begins at start of dst.
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
