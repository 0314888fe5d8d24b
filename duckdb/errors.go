package duckdb

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ErrorType is DuckDB's own class of an error, in its own words.
type ErrorType string

// The classes that a caller may meet. A class that is not listed is kept as
// DuckDB spells it.
const (
	Parser         ErrorType = "Parser"
	Binder         ErrorType = "Binder"
	Catalog        ErrorType = "Catalog"
	Conversion     ErrorType = "Conversion"
	OutOfRange     ErrorType = "Out of Range"
	MismatchType   ErrorType = "Mismatch Type"
	InvalidInput   ErrorType = "Invalid Input"
	Constraint     ErrorType = "Constraint"
	Transaction    ErrorType = "TransactionContext"
	NotImplemented ErrorType = "Not implemented"
	OutOfMemory    ErrorType = "Out of Memory"
	IO             ErrorType = "IO"
	Permission     ErrorType = "Permission"
	Interrupt      ErrorType = "INTERRUPT"
	Internal       ErrorType = "INTERNAL"
	Fatal          ErrorType = "FATAL"
)

// Error is an error of DuckDB's, taken apart.
type Error struct {
	Type      ErrorType
	Condition Condition // what it means, where that is known
	Subtype   string    // DuckDB's finer class, such as "COLUMN_NOT_FOUND"; often empty
	// Object is what was looked for ("Table", "Scalar Function", "Type") or, of a
	// failed conversion, the type in DuckDB's words ("INT64", "date"); often empty.
	Object string
	Name   string // the name of the object, or of the column
	Value  string // the text that could not be converted
	// Call is a function call that no function matches, with the types of its
	// arguments: "sum(VARCHAR)".
	Call string
	// Candidates are names or signatures DuckDB would have known.
	Candidates []string
	// Position is the byte in the SQL text where the error is, from 0; -1 when
	// DuckDB does not say.
	Position int
	Message  string // DuckDB's text, without its candidates and hints
}

func (e *Error) Error() string { return "duckdb: " + string(e.Type) + ": " + e.Message }

// pendingPrefix stands before the error of a statement whose tasks failed before they were
// waited for.
const pendingPrefix = "Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: "

// parseError reads what DuckDB says under errors_as_json. A few errors come as
// plain text nevertheless, and those of the parser as JSON behind a plain word.
func parseError(text string) *Error {
	text = strings.TrimPrefix(text, pendingPrefix)
	e := &Error{Position: -1, Message: text}
	if at := strings.IndexByte(text, '{'); at == 0 || at > 0 && strings.HasSuffix(text[:at], " Error: ") {
		var fields map[string]string
		if json.Unmarshal([]byte(text[at:]), &fields) == nil {
			e.setFields(fields)
		}
	} else if class, message, ok := strings.Cut(text, " Error: "); ok && !strings.ContainsAny(class, ".:\n\"'") {
		e.Type, e.Message = ErrorType(class), message
	}
	e.classify()
	if !strings.HasPrefix(e.Message, "[") { // raisedText has the client's text in it, of many lines perhaps
		// What follows the first line are candidates and advice about DuckDB's own SQL.
		e.Message, _, _ = strings.Cut(e.Message, "\n")
	}
	return e
}

func (e *Error) setFields(fields map[string]string) {
	e.Type, e.Message = ErrorType(fields["exception_type"]), fields["exception_message"]
	e.Subtype, e.Object, e.Name, e.Call = fields["error_subtype"], fields["type"], fields["name"], fields["call"]
	if list := fields["candidates"]; list != "" {
		e.Candidates = strings.Split(list, ",")
	}
	if n, err := strconv.Atoi(fields["position"]); err == nil {
		e.Position = n
	}
}
