package duckdb

import (
	"context"
	"errors"
	"io"
)

// When one of DuckDB's threads fails, DuckDB interrupts the others. DuckDB 1.5.5
// sometimes reports such an interrupt instead of the error that caused it. The
// statement is then run again to obtain the error.

// maxReruns is how often a statement is run again to obtain its error.
const maxReruns = 5

// spuriousInterrupt reports whether err is an interrupt while ctx is not cancelled.
func spuriousInterrupt(ctx context.Context, err error) bool {
	var e *Error
	return ctx.Err() == nil && errors.As(err, &e) && e.Type == Interrupt
}

// rerunForError runs the statement again with the same parameters and returns its error. It
// returns first, the reported interrupt, if no run reports another error.
func (s *Stmt) rerunForError(ctx context.Context, first error) error {
	for range maxReruns {
		if s.raw.Ptr == nil { // the statement was closed while its rows were read
			return first
		}
		switch err := s.runToEnd(ctx); {
		case err == io.EOF:
			return first
		case !spuriousInterrupt(ctx, err):
			return err
		}
	}
	return first
}

// runToEnd runs the statement and discards its rows. It returns io.EOF or the error.
func (s *Stmt) runToEnd(ctx context.Context) error {
	r, err := s.run(ctx, func() {})
	if err != nil {
		return err
	}
	r.stmt = nil
	for err == nil {
		_, err = r.Next(ctx)
	}
	return err
}
