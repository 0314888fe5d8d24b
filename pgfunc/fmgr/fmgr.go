// Package fmgr defines what a function is: its arguments and result, its call, and the
// cache of compiled patterns. It is named after PostgreSQL's function manager.
package fmgr

import (
	"github.com/ontosql/ontosql/pgerr"
)

// Kind is a type that arguments and results may have.
type Kind int

// The kinds of values.
const (
	Text  Kind = iota
	Int        // 64 bits
	Float      // 64 bits
	Bytes
	Texts       // a list of texts, any of which may be NULL
	Rows        // a list of lists of texts
	Date        // days since 1970-01-01
	Timestamp   // microseconds since 1970-01-01
	TimestampTZ // microseconds since 1970-01-01 UTC
	Interval    // a list of its months, days and microseconds
)

// Value is an argument or a result: the field of its Kind says what it is.
type Value struct {
	Null  bool
	Text  string // of Bytes, too
	Int   int64  // of dates and timestamps, too
	Float float64
	List  []Value // of Texts, Rows and Interval
}

// Function is a scalar function.
type Function struct {
	Name   string
	Args   []Kind
	Result Kind
	// Effect tells that a call has a side effect: the engine calls the function for each row
	// of each execution.
	Effect bool
	Nulls  bool // it is called with NULLs too; else one among the arguments gives NULL
	// New makes what computes the rows of one batch, so that a pattern need be read
	// once only.
	New func() Call
}

// Call computes one row. Its error is a *pgerr.Error, which the client sees.
type Call func(args []Value) (Value, error)

// Stateless makes a Function.New of a call that keeps nothing from row to row.
func Stateless(c Call) func() Call { return func() Call { return c } }

// Null is the result NULL.
var Null = Value{Null: true}

// TextValue is a text as a Value.
func TextValue(s string) Value { return Value{Text: s} }

// IntValue is an integer as a Value.
func IntValue(n int) Value { return Value{Int: int64(n)} }

// BoolValue is a boolean as a Value: 1 or 0.
func BoolValue(b bool) Value {
	if b {
		return Value{Int: 1}
	}
	return Value{}
}

// InvalidParameter is an error with SQLSTATE 22023.
func InvalidParameter(format string, args ...any) error {
	return pgerr.New(pgerr.InvalidParameterValue, format, args...)
}

// Cache keeps what was compiled of patterns for one batch. It is not safe for concurrent use.
type Cache[V any] struct {
	made  map[string]V
	bytes int // of the patterns
}

// MaxPattern bounds the bytes of a pattern, and of those together of which something is
// kept: it may take a hundred times as many.
const MaxPattern = 1 << 20

// Get is what make compiles of a pattern, once. A pattern of more than MaxPattern bytes is
// an error with SQLSTATE 54000.
func (k *Cache[V]) Get(pattern string, make func() (V, error)) (V, error) {
	if v, ok := k.made[pattern]; ok {
		return v, nil
	}
	if len(pattern) > MaxPattern {
		var none V
		return none, pgerr.New(pgerr.ProgramLimitExceeded, "pattern exceeds 1 MiB")
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	if k.bytes += len(pattern); k.made == nil || k.bytes > MaxPattern {
		k.made, k.bytes = map[string]V{}, len(pattern)
	}
	k.made[pattern] = v
	return v, nil
}

// MaxResult bounds the result of one call, in bytes.
const MaxResult = 64 << 20

// ResultTooLong is the error of a call of the function name whose result exceeds MaxResult.
func ResultTooLong(name string) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "result of %s() exceeds 64 MiB", name)
}
