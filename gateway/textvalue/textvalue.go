package textvalue

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
)

// Reader reads one value from its text into element i of a vector. It returns false
// for a spelling that it does not read, valid or not. Bytes that are spelled otherwise in the text are
// appended to spare.
type Reader func(spare *[]byte, v *column.Vector, i int, text []byte) bool

// New is the reader for values of a type in the spelling that PostgreSQL prints
// and clients send. It does not allocate. Timestamps without an offset are in zone.
func New(t column.Type, zone *time.Location) Reader {
	switch t.Kind {
	case column.Bool:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.Bool[i], ok = readBool(text)
			return ok
		}
	case column.Int64:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.I64[i], ok = readInt(text)
			return ok
		}
	case column.Float64:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.F64[i], ok = readFloat(text)
			return ok
		}
	case column.Numeric:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.I128[i], ok = ReadDecimal(text, int(t.Width), int(t.Scale))
			return ok
		}
	case column.Wide:
		return func(spare *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			begin := len(*spare)
			*spare, ok = column.AppendWideKey(*spare, text)
			v.Str[i] = (*spare)[begin:len(*spare):len(*spare)]
			return ok
		}
	case column.JSON:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) bool {
			v.Str[i] = text
			return json.Valid(text) && !bytes.Contains(text, []byte(`\u0000`)) || len(text) > ontosql.MaxValueSize
		}
	case column.Bytes:
		return readBytes
	case column.UUID:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.I128[i], ok = readUUID(text)
			return ok
		}
	case column.Date:
		return func(_ *[]byte, v *column.Vector, i int, text []byte) bool {
			days, rest, ok := readDate(text)
			v.I32[i] = int32(days)
			return ok && len(rest) == 0
		}
	case column.TimestampTZ:
		moments := TimestampReader{Zone: zone}
		return func(_ *[]byte, v *column.Vector, i int, text []byte) (ok bool) {
			v.I64[i], ok = moments.Read(text)
			return ok
		}
	}
	return func(_ *[]byte, v *column.Vector, i int, text []byte) bool {
		v.Str[i] = text
		return true
	}
}

func readBool(text []byte) (value, ok bool) {
	switch string(text) {
	case "t", "true", "TRUE":
		return true, true
	case "f", "false", "FALSE":
		return false, true
	}
	return false, false
}

func readInt(text []byte) (int64, bool) {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, err == nil && len(digits) > 0 && digits[0] != '+' && digits[0] != '-'
	}
	var n int64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

func readFloat(text []byte) (float64, bool) {
	zero := true
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			zero = zero && c == '0'
		case c == '.', c == '-':
		case (c == 'e' || c == 'E' || c == '+') && i > 0:
		default:
			return readNotFinite(text)
		}
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil && (f != 0 || zero)
}

// readNotFinite reads what rewrite writes for floats that are no numbers.
func readNotFinite(text []byte) (float64, bool) {
	switch string(text) {
	case "nan":
		return math.NaN(), true
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	}
	return 0, false
}

// readBytes reads the hexadecimal form.
func readBytes(spare *[]byte, v *column.Vector, i int, text []byte) bool {
	if len(text) < 2 || text[0] != '\\' || text[1] != 'x' {
		return false
	}
	begin := len(*spare)
	all, err := hex.AppendDecode(*spare, text[2:])
	*spare, v.Str[i] = all, all[begin:len(all):len(all)]
	return err == nil
}

func readUUID(text []byte) (id column.Int128, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	var digits [32]byte
	for i, from := range [...]int{0, 9, 14, 19, 24} {
		to := [...]int{8, 13, 18, 23, 36}[i]
		copy(digits[from-i:], text[from:to])
	}
	var raw [16]byte
	if _, err := hex.Decode(raw[:], digits[:]); err != nil {
		return id, false
	}
	return column.UUIDOf(raw), true
}

// Allocate allocates a vector of n elements without NULLs.
func Allocate(v *column.Vector, n int) {
	switch v.Type.Kind {
	case column.Bool:
		v.Bool = make([]bool, n)
	case column.Int64, column.TimestampTZ:
		v.I64 = make([]int64, n)
	case column.Float64:
		v.F64 = make([]float64, n)
	case column.Numeric, column.UUID:
		v.I128 = make([]column.Int128, n)
	case column.Date:
		v.I32 = make([]int32, n)
	default:
		v.Str = make([][]byte, n)
	}
}
