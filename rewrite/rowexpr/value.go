package rowexpr

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ontosql/ontosql/column"
)

// Value is a value of any kind that an expression has. One field holds it, as its kind says.
type Value struct {
	Null  bool
	Int   int64         // of whole numbers, dates and times; 1 for true, 0 for false
	Float float64       // of Float32 and Float64
	Bytes []byte        // of Text, JSON, Bytes and Wide; not to be changed
	Wide  column.Int128 // of Numeric and UUID
}

// ErrUndecided is the error of an expression that only the engine can decide, as one that
// overflows.
var ErrUndecided = errors.New("the engine has to compute the expression")

// True reports whether a condition holds: NULL does not.
func (v Value) True() bool { return !v.Null && v.Int != 0 }

// holds reports whether a Value can have a value of a kind.
func holds(k column.Kind) bool {
	switch k {
	case column.Bool, column.Int16, column.Int32, column.Int64, column.Uint32, column.Float32, column.Float64,
		column.Numeric, column.Text, column.JSON, column.Bytes, column.UUID, column.Date, column.Time,
		column.Timestamp, column.TimestampTZ, column.Wide:
		return true
	}
	return false
}

// Of is value i of a vector, of a kind that a Column may have. It refers to memory of the vector.
func Of(v *column.Vector, i int) Value {
	if v.IsNull(i) {
		return Value{Null: true}
	}
	switch v.Type.Kind {
	case column.Bool:
		return truth(v.Bool[i])
	case column.Int16:
		return Value{Int: int64(v.I16[i])}
	case column.Int32, column.Date:
		return Value{Int: int64(v.I32[i])}
	case column.Uint32:
		return Value{Int: int64(v.U32[i])}
	case column.Int64, column.Time, column.Timestamp, column.TimestampTZ:
		return Value{Int: v.I64[i]}
	case column.Float32:
		return Value{Float: float64(v.F32[i])}
	case column.Float64:
		return Value{Float: v.F64[i]}
	case column.Numeric, column.UUID:
		return Value{Wide: v.I128[i]}
	}
	return Value{Bytes: v.Str[i]}
}

// Append appends a value of the vector's type, which becomes value i. The vector then refers to
// the value's bytes.
func (v Value) Append(to *column.Vector, i int) {
	switch to.Type.Kind {
	case column.Bool:
		to.Bool = append(to.Bool, v.Int != 0)
	case column.Int16:
		to.I16 = append(to.I16, int16(v.Int))
	case column.Int32, column.Date:
		to.I32 = append(to.I32, int32(v.Int))
	case column.Uint32:
		to.U32 = append(to.U32, uint32(v.Int))
	case column.Int64, column.Time, column.Timestamp, column.TimestampTZ:
		to.I64 = append(to.I64, v.Int)
	case column.Float32:
		to.F32 = append(to.F32, float32(v.Float))
	case column.Float64:
		to.F64 = append(to.F64, v.Float)
	case column.Numeric, column.UUID:
		to.I128 = append(to.I128, v.Wide)
	default:
		to.Str = append(to.Str, v.Bytes)
	}
	if !v.Null && to.Valid == nil {
		return
	}
	for len(to.Valid) <= i>>6 {
		to.Valid = append(to.Valid, ^uint64(0))
	}
	if v.Null {
		to.Valid[i>>6] &^= 1 << (i & 63)
	}
}

func truth(b bool) Value {
	if b {
		return Value{Int: 1}
	}
	return Value{}
}

// Read is the value of a text as input.Canonical writes those of a kind that a Param may have. An
// infinite date or time is an error, and so is a time in the session's time zone.
func Read(text string, k column.Kind) (v Value, err error) {
	switch k {
	case column.Bool:
		return truth(text == "TRUE"), nil
	case column.Float64:
		v.Float, err = strconv.ParseFloat(text, 64)
	case column.Text, column.JSON:
		v.Bytes = []byte(text)
	case column.Numeric:
		return readNumeric(text)
	case column.Date:
		var at time.Time
		at, err = time.Parse(time.DateOnly, text)
		v.Int = at.Unix() / (24 * 60 * 60)
	case column.Timestamp, column.TimestampTZ:
		text, utc := strings.CutSuffix(text, "+00")
		if k == column.TimestampTZ && !utc {
			return v, ErrUndecided // in the session's time zone
		}
		var at time.Time
		at, err = time.Parse("2006-01-02 15:04:05.999999", text)
		v.Int = at.UnixMicro()
	case column.UUID:
		id, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
		if err != nil || len(id) != 16 {
			return v, ErrUndecided
		}
		v.Wide = column.UUIDOf([16]byte(id))
	default:
		v.Int, err = strconv.ParseInt(text, 10, 64)
	}
	return v, err
}

// readArgument is the value of an argument as input.Argument has read it, nil for NULL.
func readArgument(arg []byte, k column.Kind) (v Value, err error) {
	switch {
	case arg == nil:
		return Value{Null: true}, nil
	case k == column.Text || k == column.JSON:
		return Value{Bytes: arg}, nil
	}
	return Read(string(arg), k)
}

// compare compares two values that are not NULL.
func compare(k column.Kind, a, b Value) int {
	switch k {
	case column.Float64:
		return compareFloats(a.Float, b.Float)
	case column.Text:
		return bytes.Compare(a.Bytes, b.Bytes)
	case column.Numeric:
		return cmp.Or(cmp.Compare(a.Wide.Hi, b.Wide.Hi), cmp.Compare(a.Wide.Lo, b.Wide.Lo))
	}
	return cmp.Compare(a.Int, b.Int)
}

// compareFloats compares as PostgreSQL and the engine do: all NaNs are equal, and greater than
// any number.
func compareFloats(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(a, b)
}
