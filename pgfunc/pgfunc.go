// Package pgfunc lists the functions of PostgreSQL that the engine lacks and SQL cannot
// express, for the engine to register. Each sub-room holds a chapter of PostgreSQL's
// manual (part II, chapter 9) and its functions as data:
//
//   - numeric: mathematical functions, numeric, floats and sizes in bytes
//   - str: strings, identifiers, bytea, bit strings, encodings and hashes
//   - regex: LIKE, SIMILAR TO and POSIX regular expressions
//   - formatting: to_char, to_date, to_timestamp and to_number
//   - datetime: input, zones and arithmetic of dates, times and intervals
//   - jsonb, jsonpath: documents, and SQL/JSON paths into them
//   - textout: the text of values by DateStyle, IntervalStyle and the like
//
// The functions are pure: they know no clock and no setting but their arguments. The
// caller decides which types a client may pass, and what a strict function does with NULL.
package pgfunc

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/formatting"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
	"github.com/ontosql/ontosql/pgfunc/jsonpath"
	"github.com/ontosql/ontosql/pgfunc/numeric"
	"github.com/ontosql/ontosql/pgfunc/regex"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/pgfunc/textout"
)

// All are the functions. Their names begin with ontosql_.
func All() []fmgr.Function {
	return slices.Concat(numeric.Functions(), regex.Functions(), str.Functions(), jsonb.Functions(), jsonpath.Functions(), datetime.Functions(), formatting.Functions(), textout.Functions())
}

// What a function is made of, for rooms that call functions or add their own; see fmgr.
type (
	// Kind is the type of an argument or a result.
	Kind = fmgr.Kind
	// Value is an argument or a result.
	Value = fmgr.Value
	// Function is a scalar function.
	Function = fmgr.Function
	// Call computes one row.
	Call = fmgr.Call
)

// The kinds of values, see fmgr.
const (
	Text        = fmgr.Text
	Int         = fmgr.Int
	Float       = fmgr.Float
	Bytes       = fmgr.Bytes
	Texts       = fmgr.Texts
	Rows        = fmgr.Rows
	Date        = fmgr.Date
	Timestamp   = fmgr.Timestamp
	TimestampTZ = fmgr.TimestampTZ
	Interval    = fmgr.Interval
)
