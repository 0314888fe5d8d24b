package wire

import (
	"strconv"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// textEncoder returns the encoder of the text format for the kind of the column's values. Only jsonb
// depends on the type instead.
func textEncoder(t column.Type, c Column, style *textout.Style) (appendValue, error) {
	switch t.Kind {
	case column.Null:
		return func(dst []byte, _ *column.Vector, _ int) []byte { return dst }, nil
	case column.Bool:
		return textBool, nil
	case column.Int16, column.Int32, column.Int64, column.Uint32:
		if c.OID == oidTID && t.Kind == column.Int64 {
			return textTID, nil
		}
		return textInt(t.Kind), nil
	case column.Float32:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return style.AppendFloat(dst, float64(v.F32[i]), 32)
		}, nil
	case column.Float64:
		return func(dst []byte, v *column.Vector, i int) []byte { return style.AppendFloat(dst, v.F64[i], 64) }, nil
	case column.Numeric:
		return textNumeric(t, c.scale()), nil
	case column.Wide:
		return textWide(c.scale()), nil
	case column.Text, column.JSON:
		if c.OID == oidJSONB {
			return textJSONB(), nil
		}
		if c.OID == oidNumeric {
			return textWide(c.scale()), nil
		}
		return func(dst []byte, v *column.Vector, i int) []byte { return append(dst, v.Str[i]...) }, nil
	case column.Bytes:
		return func(dst []byte, v *column.Vector, i int) []byte { return style.AppendBytes(dst, v.Str[i]) }, nil
	case column.UUID:
		return func(dst []byte, v *column.Vector, i int) []byte { return appendUUID(dst, v.I128[i]) }, nil
	case column.Date:
		return func(dst []byte, v *column.Vector, i int) []byte { return style.AppendDate(dst, v.I32[i]) }, nil
	case column.Time:
		return func(dst []byte, v *column.Vector, i int) []byte { return datetime.AppendTime(dst, v.I64[i]) }, nil
	case column.Timestamp:
		return func(dst []byte, v *column.Vector, i int) []byte { return style.AppendTimestamp(dst, v.I64[i]) }, nil
	case column.TimestampTZ:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return style.AppendTimestampTZ(dst, v.I64[i])
		}, nil
	case column.Interval:
		return func(dst []byte, v *column.Vector, i int) []byte { return style.AppendInterval(dst, v.Interval[i]) }, nil
	case column.List:
		return textList(t, c, style)
	case column.Record:
		return textRecord(t, c, style)
	}
	return nil, errNoEncoder(t, c.OID)
}

// Text returns the text format of value i of v, which is not NULL, in a result column.
func Text(v *column.Vector, i int, c Column, style *textout.Style) (string, error) {
	encode, err := textEncoder(v.Type, c, style)
	if err != nil {
		return "", err
	}
	return string(encode(nil, v, i)), nil
}

func textJSONB() appendValue {
	j := new(jsonb.Printer)
	return func(dst []byte, v *column.Vector, i int) []byte { return j.Append(dst, v.Str[i]) }
}

func textBool(dst []byte, v *column.Vector, i int) []byte {
	if v.Bool[i] {
		return append(dst, 't')
	}
	return append(dst, 'f')
}

func textTID(dst []byte, v *column.Vector, i int) []byte { return str.AppendTID(dst, v.I64[i]) }

func textInt(kind column.Kind) appendValue {
	switch kind {
	case column.Int16:
		return func(dst []byte, v *column.Vector, i int) []byte { return strconv.AppendInt(dst, int64(v.I16[i]), 10) }
	case column.Int32:
		return func(dst []byte, v *column.Vector, i int) []byte { return strconv.AppendInt(dst, int64(v.I32[i]), 10) }
	case column.Int64:
		return func(dst []byte, v *column.Vector, i int) []byte { return strconv.AppendInt(dst, v.I64[i], 10) }
	}
	return func(dst []byte, v *column.Vector, i int) []byte { return strconv.AppendUint(dst, uint64(v.U32[i]), 10) }
}

// textNumeric prints at least least digits after the decimal point.
func textNumeric(t column.Type, least int) appendValue {
	scale := int(t.Scale)
	switch {
	case unconstrained(t), computed(t):
		least = min(least, scale)
	case quotient(t):
		return func(dst []byte, v *column.Vector, i int) []byte { return appendQuotient(dst, v.I128[i], scale, least) }
	default:
		least = scale
	}
	return func(dst []byte, v *column.Vector, i int) []byte { return v.I128[i].AppendDecimal(dst, scale, least) }
}

func appendUUID(dst []byte, v column.Int128) []byte {
	const digits = "0123456789abcdef"
	for half, bits := range [2]uint64{uint64(v.Hi), v.Lo} {
		for n := range 16 {
			if at := half*16 + n; at == 8 || at == 12 || at == 16 || at == 20 {
				dst = append(dst, '-')
			}
			dst = append(dst, digits[bits>>(60-4*n)&15])
		}
	}
	return dst
}
