package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice/dynamodb"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// Exit codes (PRODUCT "Command line").
const (
	exitOK         = 0
	exitGeneral    = 1
	exitUsage      = 2
	exitSchema     = 3
	exitExecution  = 4
	exitOpen       = 5
	exitConflict   = 6
	exitDropSafety = 7
)

// usageError is a command line that makes no sense.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// openError is a store that could not be opened.
type openError struct{ err error }

func (e *openError) Error() string { return "open: " + e.err.Error() }
func (e *openError) Unwrap() error { return e.err }

// indexOpenError is a store that the index commands could not open, for which the original has the
// exit code of a usage error.
type indexOpenError struct{ err error }

func (e *indexOpenError) Error() string { return e.err.Error() }
func (e *indexOpenError) Unwrap() error { return e.err }

// executionError is a command that started and could not do its work.
type executionError struct{ err error }

func (e *executionError) Error() string { return e.err.Error() }
func (e *executionError) Unwrap() error { return e.err }

// dropSafetyError is a drop that would take away more than was said.
type dropSafetyError struct{ err error }

func (e *dropSafetyError) Error() string { return e.err.Error() }
func (e *dropSafetyError) Unwrap() error { return e.err }

// schemaError is an ontology whose types are not those that were asked for.
type schemaError struct{ err error }

func (e *schemaError) Error() string { return e.err.Error() }
func (e *schemaError) Unwrap() error { return e.err }

// conflictError is an import that the store, or its schema, does not take, or a push to a name service
// that has lost.
type conflictError struct{ err error }

func (e *conflictError) Error() string { return e.err.Error() }
func (e *conflictError) Unwrap() error { return e.err }

// refusal is what a gateway says of a change that it does not make.
type refusal struct {
	message, detail, hint string
	err                   error
}

func (e *refusal) Error() string {
	if e.detail == "" {
		return e.message
	}
	return e.message + ": " + strings.TrimSuffix(e.detail, ".")
}

func (e *refusal) Unwrap() error { return e.err }

// alreadySaid wraps an error whose text the user has seen.
type alreadySaid struct{ err error }

func (e *alreadySaid) Error() string { return e.err.Error() }
func (e *alreadySaid) Unwrap() error { return e.err }

// exitCode is the only place where an error becomes an exit code.
func exitCode(err error) int {
	var usage *usageError
	var open *openError
	var index *indexOpenError
	var execution *executionError
	var safety *dropSafetyError
	var conflict *conflictError
	var schema *schemaError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage), errors.As(err, &index):
		return exitUsage
	case errors.As(err, &open):
		return exitOpen
	case errors.As(err, &schema):
		return exitSchema
	case errors.As(err, &conflict):
		return exitConflict
	case errors.As(err, &safety):
		return exitDropSafety
	case errors.As(err, &execution):
		return exitExecution
	}
	return exitGeneral
}

// nextStep is what a person can do about err, where we know it.
func nextStep(err error) string {
	var usage *usageError
	var refused *refusal
	switch {
	case errors.Is(err, errStalePlan):
		return "--dry-run shows the plan as it is now, with its token"
	case errors.Is(err, writepath.ErrLockChanged):
		return "lock show shows the lock as it is now, with its token"
	case errors.As(err, &refused):
		return refused.hint
	case errors.As(err, &usage):
		return "ontosql --help lists commands and flags"
	case errors.Is(err, ontosql.ErrNotInitialised):
		return "ontosql init creates an ontology at this address"
	case errors.Is(err, dynamodb.ErrNoTable):
		return "ontosql ns init makes the table; region and endpoint stand in --nameservice or the AWS environment"
	case errors.Is(err, dynamodb.ErrDenied):
		return "docs/names.md says which permissions on the table are needed"
	case errors.Is(err, dynamodb.ErrThrottled):
		return "try again later, or raise the limits of the table"
	case errors.Is(err, dynamodb.ErrUnreachable):
		return "check region and endpoint in --nameservice, and the network"
	case errors.Is(err, objstore.ErrNoBucket):
		return "create the bucket or directory first, or check --storage-uri"
	case errors.Is(err, objstore.ErrDenied):
		return "ontosql preflight says which permission is missing"
	case errors.Is(err, objstore.ErrUnreachable):
		return "check --s3-endpoint-url and the network"
	}
	return ""
}
