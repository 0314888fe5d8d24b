package sqlstate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/input"
)

// conditions maps the engine's conditions to SQLSTATEs.
var conditions = map[duckdb.Condition]string{
	duckdb.SyntaxError:          pgerr.SyntaxError,
	duckdb.UndefinedColumn:      pgerr.UndefinedColumn,
	duckdb.AmbiguousColumn:      pgerr.AmbiguousColumn,
	duckdb.UndefinedTable:       pgerr.UndefinedTable,
	duckdb.DuplicateAlias:       pgerr.DuplicateAlias,
	duckdb.UndefinedSchema:      pgerr.InvalidSchemaName,
	duckdb.UndefinedFunction:    pgerr.UndefinedFunction,
	duckdb.AmbiguousFunction:    pgerr.AmbiguousFunction,
	duckdb.UndefinedType:        pgerr.UndefinedObject,
	duckdb.Grouping:             pgerr.GroupingError,
	duckdb.TypeMismatch:         pgerr.DatatypeMismatch,
	duckdb.InvalidText:          pgerr.InvalidTextRepresentation,
	duckdb.InvalidDatetime:      pgerr.InvalidDatetimeFormat,
	duckdb.DatetimeOverflow:     pgerr.DatetimeFieldOverflow,
	duckdb.NumericOverflow:      pgerr.NumericValueOutOfRange,
	duckdb.DivisionByZero:       pgerr.DivisionByZero,
	duckdb.InvalidRegexp:        pgerr.InvalidRegularExpression,
	duckdb.InvalidEscape:        "22025",
	duckdb.InvalidArgument:      pgerr.InvalidParameterValue,
	duckdb.CardinalityViolation: pgerr.CardinalityViolation,
	duckdb.TooComplex:           pgerr.StatementTooComplex,
	duckdb.MemoryExhausted:      pgerr.OutOfMemory,
	duckdb.DiskFull:             pgerr.DiskFull,
	duckdb.Denied:               pgerr.InsufficientPrivilege,
	duckdb.Damaged:              pgerr.DataCorrupted,
}

// messages are PostgreSQL's messages for conditions whose text does not depend on the
// statement.
var messages = map[duckdb.Condition]string{
	duckdb.DivisionByZero:       "division by zero",
	duckdb.InvalidEscape:        "LIKE pattern must not end with escape character",
	duckdb.CardinalityViolation: "more than one row returned by a subquery used as an expression",
	duckdb.MemoryExhausted:      "out of memory",
	duckdb.TooComplex:           "stack depth limit exceeded",
	duckdb.DiskFull:             "could not write to temporary file: No space left on device",
	duckdb.Denied:               "permission denied",
}

// localFolder is the folder part of an absolute path in a message of the engine.
var localFolder = regexp.MustCompile(`(^|["' ])/(?:[^"'\s/]+/)+`)

// withoutLocalFolders leaves of each absolute path in a message of the engine the file's name.
func withoutLocalFolders(text string) string { return localFolder.ReplaceAllString(text, "$1") }

// outOfRange maps the engine's messages about results out of range to PostgreSQL's.
var outOfRange = map[string]string{
	"Date out of range":                     "date out of range",
	"Could not convert Day to Microseconds": "interval out of range",
	"Date and time not in timestamp range":  "timestamp out of range",
	"Timestamp out of range":                "date out of range for timestamp", // of the sum of a date and a time
}

// dayAsMoment matches the engine's message for a date that is out of range for timestamp.
var dayAsMoment = regexp.MustCompile(`^Type INT32 with value \S+( \(BC\))? can't be cast to the destination type INT64`)

// unknownZone matches the engine's message for an unknown time zone.
var unknownZone = regexp.MustCompile(`^Unknown TimeZone '([^']*)'`)

// OfEngine turns an error of the engine into the client's. An error without a condition is
// an internal one; the client gets the engine's message without local paths.
func OfEngine(e *duckdb.Error) *pgerr.Error {
	code, known := conditions[e.Condition]
	if !known {
		code = pgerr.InternalError
		switch e.Type {
		case duckdb.NotImplemented:
			code = pgerr.FeatureNotSupported
		case duckdb.IO:
			code = pgerr.IOError
		}
	}
	out, ok := enginesql.Raised(e.Message)
	if !ok {
		out = ofNumeric(e)
	}
	if out == nil {
		out = pgerr.New(code, "%s", EngineMessage(e))
	}
	if out.Code == pgerr.OutOfMemory {
		out.Hint = "Only this statement failed. Ask for less, or give the gateway more with --memory-limit."
	}
	if e.Condition == duckdb.TooComplex {
		out.Hint = "The statement nests too deeply, or is made of too many queries."
	}
	return out.Because(e)
}

// numericOverflow matches the engine's messages for a value that a numeric(p,s) has no
// digits for.
var numericOverflow = regexp.MustCompile(`to (?:type )?DECIMAL\((\d+),(\d+)\)`)

// infiniteValue matches a value in such a message that is infinite.
var infiniteValue = regexp.MustCompile(`\b(?i:inf|infinity)\b`)

// ofNumeric is PostgreSQL's error of a value that a numeric(p,s) has no digits for, nil for
// any other.
func ofNumeric(e *duckdb.Error) *pgerr.Error {
	m := numericOverflow.FindStringSubmatch(e.Message)
	if m == nil || e.Condition != duckdb.NumericOverflow {
		return nil
	}
	precision, _ := strconv.Atoi(m[1])
	scale, _ := strconv.Atoi(m[2])
	if precision == 38 { // that of a numeric without precision
		return nil
	}
	out := input.NumericOverflow(int32(precision<<16|scale) + 4)
	if infiniteValue.MatchString(e.Message) {
		out.Detail = fmt.Sprintf("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
	}
	return out
}

// castFailure matches the engine's message for a text that is not a value of a type.
var castFailure = regexp.MustCompile(`(?s)^Could not convert string ['"](.*)['"] to ([A-Z0-9]+)`)

// overflow matches the engine's messages for a result or a cast that overflows its type.
var overflow = regexp.MustCompile(`^Overflow in .* of ([A-Z0-9]+)\b|(?:out of range for the destination type|^Failed to cast decimal value .* to type) ([A-Z0-9]+)|^(?:Casting value .* to type|Could not (?:cast value|convert string) .* to) (DECIMAL)\b`)

// doubleToFloat matches the engine's message for a DOUBLE that no FLOAT can be. Of a column it has
// more words.
var doubleToFloat = regexp.MustCompile(`^Type DOUBLE .* type FLOAT\b`)

// overflowOfAbs matches the engine's message for abs() of the least integer of a type.
var overflowOfAbs = regexp.MustCompile(`^Overflow on abs\((-\d+)\)`)

// leastOf maps the least integer of each type to the type's name.
var leastOf = map[string]string{"-32768": "smallint", "-2147483648": "integer", "-9223372036854775808": "bigint"}

// postgresNames maps the engine's type names to those in PostgreSQL's messages.
var postgresNames = map[string]string{
	"INT16": "smallint", "INT32": "integer", "INT64": "bigint",
	"INT128":   "uuid", // the engine's way to keep one; numeric is never an INT128
	"SMALLINT": "smallint", "INTEGER": "integer", "BIGINT": "bigint", "HUGEINT": "numeric",
	"UINT32": "OID", "FLOAT": "real", "DOUBLE": "double precision", "BOOL": "boolean", "BOOLEAN": "boolean",
	"DECIMAL": "numeric", "UUID": "uuid", "DATE": "date", "TIMESTAMP": "timestamp",
}

// EngineMessage is the message that a client gets for an error of the engine: PostgreSQL's
// where it has one.
func EngineMessage(e *duckdb.Error) string {
	if text, ok := messages[e.Condition]; ok {
		return text
	}
	if doubleToFloat.MatchString(e.Message) {
		return "value out of range: overflow"
	}
	if m := overflow.FindStringSubmatch(e.Message); m != nil && e.Condition == duckdb.NumericOverflow {
		if name, ok := postgresNames[m[1]+m[2]+m[3]]; ok && name != "uuid" { // no one calculates with uuids
			return name + " out of range"
		}
	}
	if m := overflowOfAbs.FindStringSubmatch(e.Message); m != nil {
		return leastOf[m[1]] + " out of range"
	}
	if strings.HasPrefix(e.Message, "input value ") && e.Condition == duckdb.NumericOverflow {
		return "input is out of range"
	}
	if m := castFailure.FindStringSubmatch(e.Message); m != nil {
		if name, ok := postgresNames[m[2]]; ok {
			return "invalid input syntax for type " + name + `: "` + m[1] + `"`
		}
	}
	if dayAsMoment.MatchString(e.Message) {
		return "date out of range for timestamp"
	}
	if text, ok := outOfRange[strings.TrimSuffix(e.Message, "!")]; ok {
		return text
	}
	if m := unknownZone.FindStringSubmatch(e.Message); m != nil {
		return `time zone "` + m[1] + `" not recognized`
	}
	if e.Condition == duckdb.UndefinedColumn && e.Name != "" {
		return `column "` + e.Name + `" does not exist`
	}
	text := strings.TrimSuffix(e.Message, "!")
	if e.Type == duckdb.IO {
		text = withoutLocalFolders(text)
	}
	return text
}
