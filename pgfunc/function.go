// Package pgfunc has functions of PostgreSQL that the engine lacks and SQL cannot
// say: patterns of dates and numbers, regular expressions, paths into documents.
// They are pure: values in, a value out, no clock, no setting but what is given to them. Which types a client
// may give them, and what a NULL among the arguments means to a strict one, is
// settled before they are called; the engine calls them by their names here.
package pgfunc

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
	// Effect tells that a call does something: it is made for each row of each execution.
	Effect bool
	Nulls  bool // it is called with NULLs too; else one among the arguments gives NULL
	// New makes what computes the rows of one batch, so that a pattern need be read
	// once only.
	New func() Call
}

// Call computes one row. Its error is what the client is told: a *pgerr.Error.
type Call func(args []Value) (Value, error)

// plain is a call that keeps nothing from row to row.
func plain(c Call) func() Call { return func() Call { return c } }

// null is the result NULL.
var null = Value{Null: true}

func text(s string) Value { return Value{Text: s} }

func integer(n int) Value { return Value{Int: int64(n)} }

func truth(b bool) Value {
	if b {
		return Value{Int: 1}
	}
	return Value{}
}

func invalid(format string, args ...any) error {
	return pgerr.New(pgerr.InvalidParameterValue, format, args...)
}

// kept remembers what was made of patterns, while a batch lasts.
type kept[V any] struct {
	made  map[string]V
	bytes int // of the patterns
}

// maxPattern bounds the bytes of a pattern, and of those together of which something is
// kept: it may take a hundred times as many.
const maxPattern = 1 << 20

func (k *kept[V]) of(pattern string, make func() (V, error)) (V, error) {
	if v, ok := k.made[pattern]; ok {
		return v, nil
	}
	if len(pattern) > maxPattern {
		var none V
		return none, pgerr.New(pgerr.ProgramLimitExceeded, "pattern exceeds 1 MiB")
	}
	v, err := make()
	if err != nil {
		return v, err
	}
	if k.bytes += len(pattern); k.made == nil || k.bytes > maxPattern {
		k.made, k.bytes = map[string]V{}, len(pattern)
	}
	k.made[pattern] = v
	return v, nil
}

// maxResult bounds what one call makes, in bytes.
const maxResult = 64 << 20

func tooLong(name string) error {
	return pgerr.New(pgerr.ProgramLimitExceeded, "result of %s() exceeds 64 MiB", name)
}
