package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// textList is array_out: {1,NULL,"a b"}, and 1 2 3 for int2vector and oidvector.
func textList(t column.Type, c Column, style *pgfunc.Style) (appendValue, error) {
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
	// From the back, so that no byte is overwritten before it was moved.
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

// binaryList is array_send for arrays of one dimension. Lists of lists need not
// be rectangular and have no binary form.
func binaryList(t column.Type, c Column, texts *translator) (appendValue, error) {
	oid := c.OID
	elem, ok := arrayElement(oid)
	if !ok || t.Elem == nil {
		return nil, errNoEncoder(t, oid)
	}
	if t.Elem.Kind == column.List {
		return nil, pgerr.Unsupported("nested lists have no binary format")
	}
	c.OID = elem
	encode, err := binaryEncoder(*t.Elem, c, texts)
	if err != nil {
		return nil, err
	}
	lowerBound := uint32(1)
	if oid == oidInt2Vector || oid == oidOIDVector {
		lowerBound = 0
	}
	return func(dst []byte, v *column.Vector, i int) []byte {
		span := v.Lists[i]
		dimensions, hasNull := uint32(1), uint32(0)
		if span.Length == 0 {
			dimensions = 0
		}
		for n := range span.Length {
			if v.Child.IsNull(int(span.Offset + n)) {
				hasNull = 1
				break
			}
		}
		dst = binary.BigEndian.AppendUint32(dst, dimensions)
		dst = binary.BigEndian.AppendUint32(dst, hasNull)
		dst = binary.BigEndian.AppendUint32(dst, elem)
		if dimensions == 0 {
			return dst
		}
		dst = binary.BigEndian.AppendUint32(dst, uint32(span.Length))
		dst = binary.BigEndian.AppendUint32(dst, lowerBound)
		for n := range span.Length {
			dst = appendSized(dst, encode, v.Child, int(span.Offset+n))
		}
		return dst
	}, nil
}
