package wire

import (
	"encoding/binary"
	"math"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgfunc/datetime"
)

// binaryEncoder returns the send function of the described type for the kind of the column's values.
// The style does not apply to the binary format. Texts are in the client's encoding.
func binaryEncoder(t column.Type, c Column, texts *translator) (appendValue, error) {
	if t.Kind == column.Null {
		return func(dst []byte, _ *column.Vector, _ int) []byte { return dst }, nil
	}
	switch oid := c.OID; oid {
	case oidBool:
		if t.Kind == column.Bool {
			return binaryBool, nil
		}
	case oidNumeric:
		return binaryNumeric(t, oid, c.scale())
	case oidFloat4, oidFloat8:
		return binaryFloat(t, oid)
	case oidText, oidVarchar, oidBPChar, oidName, oidChar, oidUnknown, oidJSON, oidXML, oidVoid:
		if oid == oidChar && t.Kind == column.Text {
			return binaryChar, nil
		}
		if t.Kind == column.Text || t.Kind == column.JSON {
			return texts.wrap(binaryRaw), nil
		}
		if t.Kind == column.Int32 { // the engine gives an untyped NULL the type integer
			return textInt(t.Kind), nil
		}
	case oidBytea:
		if t.Kind == column.Bytes {
			return binaryRaw, nil
		}
	case oidTID:
		if t.Kind == column.Int64 {
			return binaryTID, nil
		}
	case oidTimeTZ:
		if t.Kind == column.Text {
			return binaryTimeTZ, nil
		}
	case oidBit, oidVarbit:
		if t.Kind == column.Text {
			return binaryBits, nil
		}
	case oidJSONB:
		if t.Kind == column.Text || t.Kind == column.JSON {
			print := texts.wrap(textJSONB())
			return func(dst []byte, v *column.Vector, i int) []byte {
				return print(append(dst, 1), v, i) // the version number of jsonb_send
			}, nil
		}
	case oidUUID:
		if t.Kind == column.UUID {
			return binaryUUID, nil
		}
	case oidRecord:
		if t.Kind == column.Record {
			return binaryRecord(t, c, texts)
		}
	case oidDate, oidTime, oidTimestamp, oidTimestampTZ, oidInterval:
		return binaryTime(t, oid)
	default:
		if t.Kind == column.List {
			return binaryList(t, c, texts)
		}
		return binaryInt(t, oid)
	}
	return nil, errNoEncoder(t, c.OID)
}

func binaryBool(dst []byte, v *column.Vector, i int) []byte {
	if v.Bool[i] {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func binaryRaw(dst []byte, v *column.Vector, i int) []byte { return append(dst, v.Str[i]...) }

// binaryTID is tidsend: the page and the line.
func binaryTID(dst []byte, v *column.Vector, i int) []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(dst, uint32(v.I64[i]>>16)), uint16(v.I64[i]))
}

// binaryTimeTZ is timetz_send: microseconds, and seconds west of UTC.
func binaryTimeTZ(dst []byte, v *column.Vector, i int) []byte {
	micros, offset := datetime.SplitTimeTZ(string(v.Str[i]))
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, uint64(micros)), uint32(-offset))
}

// binaryBits is bit_send: the number of bits, and the bits in bytes; the last byte is padded with 0.
func binaryBits(dst []byte, v *column.Vector, i int) []byte {
	digits := v.Str[i]
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(digits)))
	start := len(dst)
	dst = append(dst, make([]byte, (len(digits)+7)/8)...)
	for at, digit := range digits {
		dst[start+at/8] |= (digit - '0') << (7 - at%8)
	}
	return dst
}

// binaryInt returns the encoder of an integer in the width of the described type. A kind wider than an
// integer type is an error, because its values might not fit. oid and the reg types are bigint
// columns in the catalogs and are accepted.
func binaryInt(t column.Type, oid uint32) (appendValue, error) {
	described, known := typeOf(oid)
	if !known || described.size != 2 && described.size != 4 && described.size != 8 {
		return nil, errNoBinary(oid)
	}
	signed := oid == oidInt2 || oid == oidInt4
	switch {
	case t.Kind == column.Int64 && described.size == 8:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, uint64(v.I64[i]))
		}, nil
	case t.Kind == column.Int64 && described.size == 4 && !signed:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint32(dst, uint32(v.I64[i]))
		}, nil
	case t.Kind == column.Int32 && described.size == 4:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint32(dst, uint32(v.I32[i]))
		}, nil
	case t.Kind == column.Int32 && described.size == 8:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, uint64(v.I32[i]))
		}, nil
	case t.Kind == column.Uint32 && described.size == 4 && !signed:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint32(dst, v.U32[i])
		}, nil
	case t.Kind == column.Uint32 && described.size == 8:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, uint64(v.U32[i]))
		}, nil
	case t.Kind == column.Int16:
		switch described.size {
		case 2:
			return func(dst []byte, v *column.Vector, i int) []byte {
				return binary.BigEndian.AppendUint16(dst, uint16(v.I16[i]))
			}, nil
		case 4:
			return func(dst []byte, v *column.Vector, i int) []byte {
				return binary.BigEndian.AppendUint32(dst, uint32(v.I16[i]))
			}, nil
		}
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, uint64(v.I16[i]))
		}, nil
	case t.Kind == column.Text:
		return nil, errNoBinary(oid) // for example a regtype whose values are names
	}
	return nil, errNoEncoder(t, oid)
}

func binaryFloat(t column.Type, oid uint32) (appendValue, error) {
	switch {
	case t.Kind == column.Float64 && oid == oidFloat8:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, floatBits(v.F64[i]))
		}, nil
	case t.Kind == column.Float32 && oid == oidFloat8:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, math.Float64bits(float64(v.F32[i])))
		}, nil
	case t.Kind == column.Float32 && oid == oidFloat4:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint32(dst, math.Float32bits(v.F32[i]))
		}, nil
	}
	return nil, errNoEncoder(t, oid)
}

// floatBits returns the bits of f with PostgreSQL's NaN for every NaN.
func floatBits(f float64) uint64 {
	if math.IsNaN(f) {
		return 0x7ff8 << 48
	}
	return math.Float64bits(f)
}

// binaryNumeric is numeric_send, computed from the text form.
func binaryNumeric(t column.Type, oid uint32, scale int) (appendValue, error) {
	var text appendValue
	switch t.Kind {
	case column.Numeric:
		text = textNumeric(t, scale)
	case column.Int16, column.Int32, column.Int64, column.Uint32:
		text = textInt(t.Kind)
	case column.Text, column.Wide:
		text = textWide(scale)
	default:
		return nil, errNoEncoder(t, oid)
	}
	scratch := make([]byte, 0, 48)
	return func(dst []byte, v *column.Vector, i int) []byte {
		scratch = text(scratch[:0], v, i)
		return appendNumericBinary(dst, scratch)
	}, nil
}

func binaryUUID(dst []byte, v *column.Vector, i int) []byte {
	id := v.I128[i].Bytes()
	return append(dst, id[:]...)
}

func binaryTime(t column.Type, oid uint32) (appendValue, error) {
	switch {
	case t.Kind == column.Date && oid == oidDate:
		return binaryDate, nil
	case t.Kind == column.Time && oid == oidTime:
		return func(dst []byte, v *column.Vector, i int) []byte {
			return binary.BigEndian.AppendUint64(dst, uint64(v.I64[i]))
		}, nil
	case t.Kind == column.Timestamp && oid == oidTimestamp, t.Kind == column.TimestampTZ && oid == oidTimestampTZ:
		return binaryTimestamp, nil
	case t.Kind == column.Interval && oid == oidInterval:
		return func(dst []byte, v *column.Vector, i int) []byte {
			dst = binary.BigEndian.AppendUint64(dst, uint64(v.Interval[i].Micros))
			dst = binary.BigEndian.AppendUint32(dst, uint32(v.Interval[i].Days))
			return binary.BigEndian.AppendUint32(dst, uint32(v.Interval[i].Months))
		}, nil
	}
	return nil, errNoEncoder(t, oid)
}

func binaryDate(dst []byte, v *column.Vector, i int) []byte {
	days := v.I32[i]
	switch days {
	case column.DateInfinity:
		days = math.MaxInt32
	case column.DateNegInfinity:
		days = math.MinInt32
	default:
		days -= pgEpochDays
	}
	return binary.BigEndian.AppendUint32(dst, uint32(days))
}

func binaryTimestamp(dst []byte, v *column.Vector, i int) []byte {
	micros := v.I64[i]
	switch micros {
	case column.TimestampInfinity:
		micros = math.MaxInt64
	case column.TimestampNegInfinity:
		micros = math.MinInt64
	default:
		micros -= pgEpochMicros
	}
	return binary.BigEndian.AppendUint64(dst, uint64(micros))
}

// binaryChar is charsend of "char": one byte. Its text is empty for 0 and \ooo above 127.
func binaryChar(dst []byte, v *column.Vector, i int) []byte {
	switch s := v.Str[i]; len(s) {
	case 0:
		return append(dst, 0)
	case 4:
		return append(dst, (s[1]-'0')<<6|(s[2]-'0')<<3|(s[3]-'0'))
	default:
		return append(dst, s[0])
	}
}
