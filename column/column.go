// Package column is the batch of columns that flows from any engine to the
// wire: values lie in slices of their physical kind, so that an encoder makes
// one decision per column and none per value. It knows neither DuckDB nor
// PostgreSQL's formats.
package column

import "fmt"

// Kind is the meaning of a column's values and decides which slice of a Vector
// holds them.
type Kind uint8

// The kinds and the slice each one uses.
const (
	Invalid     Kind = iota // the engine could not type the column
	Null                    // every value is NULL; no slice
	Bool                    // Bool
	Int16                   // I16
	Int32                   // I32
	Int64                   // I64
	Uint32                  // U32; PostgreSQL's oid
	Float32                 // F32
	Float64                 // F64
	Numeric                 // I128, scaled by 10^Type.Scale
	Text                    // Str, UTF-8
	JSON                    // Str, JSON text as the engine spells it
	Bytes                   // Str, raw bytes
	UUID                    // I128, the 16 bytes big-endian in Hi, Lo
	Date                    // I32, days since 1970-01-01
	Time                    // I64, microseconds since midnight
	Timestamp               // I64, microseconds since 1970-01-01 00:00:00
	TimestampTZ             // I64, microseconds since 1970-01-01 00:00:00 UTC
	Interval                // Interval
	List                    // Lists into Child
	Record                  // Fields
	Wide                    // Str, the keys of wide numbers (AppendWideKey)
)

var kindNames = [...]string{
	"invalid", "null", "bool", "int16", "int32", "int64", "uint32", "float32", "float64", "numeric", "text",
	"json", "bytes", "uuid", "date", "time", "timestamp", "timestamptz", "interval", "list",
	"record", "wide numeric",
}

// String is the kind's name in this package.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Values of a Date, Timestamp or TimestampTZ that mean infinity.
const (
	DateInfinity         int32 = 1<<31 - 1
	DateNegInfinity      int32 = -DateInfinity
	TimestampInfinity    int64 = 1<<63 - 1
	TimestampNegInfinity int64 = -TimestampInfinity
)

// Type is the type of a column.
type Type struct {
	Kind  Kind
	Width uint8  // Numeric: decimal digits in all, 38 at most
	Scale uint8  // Numeric: digits after the point
	Name  string // the engine's alias of the type, such as "name" or "regtype"; usually ""
	Elem  *Type  // List: the elements' type
	// Fields are the types of a Record's fields, which have no names.
	Fields []Type
}

// String is for error messages and tests: "numeric(38,12)", "int64[]".
func (t Type) String() string {
	switch {
	case t.Kind == List && t.Elem != nil:
		return t.Elem.String() + "[]"
	case t.Name != "":
		return t.Name
	case t.Kind == Numeric:
		return fmt.Sprintf("numeric(%d,%d)", t.Width, t.Scale)
	}
	return t.Kind.String()
}

// MonthsDaysMicros is an interval; its three parts do not mix, as in PostgreSQL.
type MonthsDaysMicros struct {
	Months, Days int32
	Micros       int64
}

// Span is the part of a List's Child that one value consists of.
type Span struct{ Offset, Length uint64 }

// Vector is one column of a batch. Exactly one of the slices is in use, chosen
// by Type.Kind, and holds Batch.Len values (Child as many as the spans reach,
// each of Fields as many as its record).
// Slices may point into memory of the engine and are valid until the next
// batch is asked for.
type Vector struct {
	Type Type
	// Valid has bit i%64 of word i/64 set where value i is not NULL; nil means
	// that no value is NULL.
	Valid []uint64

	Bool     []bool
	I16      []int16
	I32      []int32
	U32      []uint32
	I64      []int64
	F32      []float32
	F64      []float64
	I128     []Int128
	Str      [][]byte
	Interval []MonthsDaysMicros
	Lists    []Span
	Child    *Vector
	Fields   []Vector
}

// IsNull reports whether value i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.Type.Kind == Null || v.Valid != nil && v.Valid[i>>6]&(1<<(i&63)) == 0
}

// SetNull marks value i of a vector of n values as NULL.
func (v *Vector) SetNull(i, n int) {
	if v.Valid == nil {
		v.Valid = make([]uint64, (n+63)/64)
		for w := range v.Valid {
			v.Valid[w] = ^uint64(0)
		}
	}
	v.Valid[i>>6] &^= 1 << (i & 63)
}

// Batch is a run of rows, column by column.
type Batch struct {
	Len  int
	Cols []Vector
	// Texts is one piece of valid UTF-8 memory that may contain the values of Str, nil for
	// none. An engine need not copy such values.
	Texts []byte
}

// Named is a column of a result or of a relation: its name and type.
type Named struct {
	Name string
	Type Type
}
