package duckdb

import (
	"encoding/json"
	"strconv"
	"strings"
)

// ErrorType is DuckDB's type of an error, as DuckDB spells it.
type ErrorType string

// The types that callers use. Other types are kept as DuckDB spells them.
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

// Error is a parsed error of DuckDB.
type Error struct {
	Type      ErrorType
	Condition Condition // Unclassified if unknown
	Subtype   string    // DuckDB's error subtype, such as "COLUMN_NOT_FOUND"; often empty
	// Object is the kind of a missing object ("Table", "Scalar Function", "Type") or, for a
	// failed conversion, DuckDB's name of the target type ("INT64", "date"). It is often
	// empty.
	Object string
	Name   string // the name of the object or column
	Value  string // the text that could not be converted
	// Call is a function call without a matching function, with the argument types:
	// "sum(VARCHAR)".
	Call string
	// Candidates are the names or signatures that DuckDB suggests.
	Candidates []string
	// Position is the offset of the error in the SQL text, in bytes from 0; -1 if unknown.
	Position int
	Message  string // DuckDB's text, without its candidates and hints
}

func (e *Error) Error() string { return "duckdb: " + string(e.Type) + ": " + e.Message }

// pendingPrefix precedes the error of a statement whose tasks failed before its result was
// requested.
const pendingPrefix = "Invalid Input Error: Attempting to execute an unsuccessful or closed pending query result\nError: "

// parseError parses an error in the format of errors_as_json. Some errors are plain text
// nevertheless, and parser errors are JSON after a plain prefix.
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
	if !strings.HasPrefix(e.Message, "[") { // a message of raisedText can contain the client's text, of several lines
		// The lines after the first are candidates and hints about DuckDB's SQL.
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
