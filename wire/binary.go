package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/numeric"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// binaryToText converts parameter $n from the binary format of its type to the text format, which is
// the only format that sessions get.
func binaryToText(n int, oid uint32, value []byte, encoding *charset.Encoding) ([]byte, error) {
	r := binaryReader{rest: value, encoding: encoding}
	text := r.value([]byte{}, oid) // nil is NULL
	if r.err == nil && len(r.rest) > 0 {
		r.fail("incorrect binary data format in bind parameter " + strconv.Itoa(n))
	}
	return text, r.err
}

// plain is the style of the text format that sessions get.
var plain textout.Style

const (
	microsPerDay = 86_400 * 1_000_000
	// pgEpochDays is PostgreSQL's epoch, 2000-01-01, in days since 1970-01-01.
	pgEpochDays   = 10_957
	pgEpochMicros = pgEpochDays * microsPerDay
)

// binaryReader decodes a binary value. After an error it reads zeros.
type binaryReader struct {
	rest     []byte
	encoding *charset.Encoding // of texts
	err      error
}

func (r *binaryReader) fail(message string) { r.failAs(pgerr.InvalidBinaryRepresentation, message) }

func (r *binaryReader) failAs(code, message string) {
	if r.err == nil {
		r.err = pgerr.New(code, "%s", message)
	}
}

func (r *binaryReader) take(n int) []byte {
	if r.err == nil && n >= 0 && n <= len(r.rest) {
		taken := r.rest[:n]
		r.rest = r.rest[n:]
		return taken
	}
	if r.err == nil {
		r.err = errProtocol("insufficient data left in message")
	}
	return make([]byte, max(0, min(n, 16)))
}

func (r *binaryReader) byte() byte {
	if r.err == nil && len(r.rest) == 0 {
		r.err = errProtocol("no data left in message")
	}
	return r.take(1)[0]
}

func (r *binaryReader) u16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *binaryReader) u32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *binaryReader) u64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }

// text appends the rest of the value, which is a text.
func (r *binaryReader) text(dst []byte) []byte {
	text, err := r.encoding.Decode(r.take(len(r.rest)))
	if err != nil && r.err == nil {
		r.err = err
	}
	return append(dst, text...)
}

// value appends the text form of the rest of the value, which is of type oid.
func (r *binaryReader) value(dst []byte, oid uint32) []byte {
	switch oid {
	case oidBool:
		if r.byte() != 0 {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case oidInt2:
		return strconv.AppendInt(dst, int64(int16(r.u16())), 10)
	case oidInt4:
		return strconv.AppendInt(dst, int64(int32(r.u32())), 10)
	case oidInt8:
		return strconv.AppendInt(dst, int64(r.u64()), 10)
	case oidFloat4:
		return numeric.AppendFloat(dst, float64(math.Float32frombits(r.u32())), 32)
	case oidFloat8:
		return numeric.AppendFloat(dst, math.Float64frombits(r.u64()), 64)
	case 0, oidText, oidVarchar, oidBPChar, oidName, oidUnknown, oidJSON:
		return r.text(dst)
	case oidChar:
		switch c := r.byte(); {
		case c == 0:
			return dst
		case c < 0x80:
			return append(dst, c)
		default:
			return fmt.Appendf(dst, `\%03o`, c)
		}
	case oidJSONB:
		if version := r.byte(); version != 1 {
			r.failAs(pgerr.InternalError, "unsupported jsonb version number "+strconv.Itoa(int(version)))
		}
		return r.text(dst)
	case oidBytea:
		return plain.AppendBytes(dst, r.take(len(r.rest)))
	case oidBit, oidVarbit:
		return r.bits(dst)
	case oidUUID:
		hi := r.u64()
		return appendUUID(dst, column.Int128{Hi: int64(hi), Lo: r.u64()})
	case oidDate:
		return r.date(dst)
	case oidTID:
		page := r.u32()
		return str.AppendTID(dst, str.TID(page, r.u16()))
	case oidTime:
		micros := int64(r.u64())
		if micros < 0 || micros > microsPerDay {
			r.failAs(pgerr.DatetimeFieldOverflow, "time out of range")
			return dst
		}
		return datetime.AppendTime(dst, micros)
	case oidTimeTZ:
		micros := int64(r.u64())
		if micros < 0 || micros > microsPerDay {
			r.failAs(pgerr.DatetimeFieldOverflow, "time out of range")
		}
		west := int64(int32(r.u32()))
		if west <= -16*3600 || west >= 16*3600 {
			r.failAs("22009", "time zone displacement out of range")
		}
		if r.err != nil {
			return dst
		}
		return datetime.AppendTimeTZ(dst, micros, -west)
	case oidTimestamp:
		return plain.AppendTimestamp(dst, r.timestamp())
	case oidTimestampTZ:
		return plain.AppendTimestampTZ(dst, r.timestamp())
	case oidInterval:
		micros := int64(r.u64())
		days := int32(r.u32())
		return plain.AppendInterval(dst, column.MonthsDaysMicros{Micros: micros, Days: days, Months: int32(r.u32())})
	case oidNumeric:
		return r.numeric(dst)
	}
	if elem, ok := arrayElement(oid); ok {
		return r.array(dst, elem)
	}
	if t, ok := typeOf(oid); ok && t.size == 4 { // oid and the reg types
		return strconv.AppendUint(dst, uint64(r.u32()), 10)
	}
	r.err = pgerr.New(pgerr.UndefinedFunction, "no binary input function available for type %s", typeName(oid))
	return dst
}

// bits is bit_recv.
func (r *binaryReader) bits(dst []byte) []byte {
	n := int(int32(r.u32()))
	if r.err == nil && (n < 0 || n > math.MaxInt32-8) {
		r.fail("invalid length in external bit string")
	}
	if r.err != nil {
		return dst
	}
	packed := r.take((n + 7) / 8)
	if r.err != nil {
		return dst
	}
	for i := range n {
		dst = append(dst, '0'+packed[i/8]>>(7-i%8)&1)
	}
	return dst
}

// The limits of dates in days since 1970-01-01. PostgreSQL's dates range from 4714-11-24 BC to
// 5874897-12-31. The limit of timestamps is the last whole day whose microseconds since 1970 fit
// into 64 bits.
const (
	minDay          = -2_440_588
	maxDay          = 2_145_042_905
	maxTimestampDay = 106_751_991
)

func (r *binaryReader) date(dst []byte) []byte {
	days := int64(int32(r.u32()))
	switch days {
	case math.MaxInt32:
		return plain.AppendDate(dst, column.DateInfinity)
	case math.MinInt32:
		return plain.AppendDate(dst, column.DateNegInfinity)
	}
	days += pgEpochDays
	if days < minDay || days > maxDay {
		r.failAs(pgerr.DatetimeFieldOverflow, "date out of range")
		return dst
	}
	return plain.AppendDate(dst, int32(days))
}

func (r *binaryReader) timestamp() int64 {
	micros := int64(r.u64())
	switch micros {
	case math.MaxInt64:
		return column.TimestampInfinity
	case math.MinInt64:
		return column.TimestampNegInfinity
	}
	// The comparison comes before the conversion to 1970, which could overflow.
	if micros < (minDay-pgEpochDays)*microsPerDay || micros >= (maxTimestampDay-pgEpochDays)*microsPerDay {
		r.failAs(pgerr.DatetimeFieldOverflow, "timestamp out of range")
		return 0
	}
	return micros + pgEpochMicros
}
