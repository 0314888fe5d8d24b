// Package pgerr is the error a PostgreSQL client sees: a SQLSTATE and the other
// fields of an ErrorResponse (PostgreSQL manual, 55.8). Rooms that speak SQL
// return it when they know the state and the position; gateway turns every
// other error into one.
package pgerr

import (
	"fmt"
	"strings"
)

// Error carries the fields of an ErrorResponse or, with a Severity below
// ERROR, of a NoticeResponse. The zero Severity is ERROR.
type Error struct {
	Severity   string // ERROR, FATAL, WARNING, NOTICE; "" is ERROR
	Code       string // SQLSTATE, one of the constants of this package
	Message    string
	Detail     string
	Hint       string
	Position   int // 1-based, in characters of the statement as the client sent it; 0 is none
	Where      string
	Schema     string
	Table      string
	Column     string
	DataType   string
	Constraint string
	Routine    string // drivers key on a few of these, RevalidateCachedQuery above all
	Err        error  // the cause, for logs; never sent
}

// New makes an ERROR of the given state.
func New(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: sprintf(format, args...)}
}

// sprintf is fmt.Sprintf whose %q is PostgreSQL's: a text as it is in double quotes.
func sprintf(format string, args ...any) string {
	return fmt.Sprintf(strings.ReplaceAll(format, "%q", `"%s"`), args...)
}

func (e *Error) Error() string { return e.Message + " (SQLSTATE " + e.Code + ")" }

func (e *Error) Unwrap() error { return e.Err }

// At sets the position and returns e.
func (e *Error) At(position int) *Error { e.Position = position; return e }

// Within adds a line to the context (CONTEXT), after the lines about more specific places.
func (e *Error) Within(context string) {
	if e.Where != "" {
		e.Where += "\n"
	}
	e.Where += context
}

// WithDetail sets the detail line and returns e.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = sprintf(format, args...)
	return e
}

// WithHint sets the hint line and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = sprintf(format, args...)
	return e
}

// WithColumn names the column that the error is about, and returns e.
func (e *Error) WithColumn(schema, table, column string) *Error {
	e.Schema, e.Table, e.Column = schema, table, column
	return e
}

// WithConstraint names the constraint that the error is about, and returns e.
func (e *Error) WithConstraint(schema, table, constraint string) *Error {
	e.Schema, e.Table, e.Constraint = schema, table, constraint
	return e
}

// Because keeps the cause for logs and errors.Is, and returns e.
func (e *Error) Because(err error) *Error { e.Err = err; return e }

// Unsupported is 0A000 for a feature PRODUCT names and this version lacks, or
// that an append-only store cannot have.
func Unsupported(format string, args ...any) *Error {
	return New(FeatureNotSupported, format, args...)
}
