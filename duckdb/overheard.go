package duckdb

import (
	"context"
	"errors"
	"io"
)

// When one of DuckDB's threads meets an error, the others are interrupted, and
// now and then it is such an interrupt that DuckDB 1.5.5 reports in the place of
// the error. Nobody asked for it, so the statement is run again to hear why.

// tries is how often a statement is run again for that.
const tries = 5

// overheard reports whether err is an interrupt that nobody asked for.
func overheard(ctx context.Context, err error) bool {
	var e *Error
	return ctx.Err() == nil && errors.As(err, &e) && e.Type == Interrupt
}

// why runs the statement again, with what is bound, up to its error. heard is
// what was reported instead, and the answer where no other is found.
func (s *Stmt) why(ctx context.Context, heard error) error {
	for range tries {
		if s.raw.Ptr == nil { // it was closed while its rows were read
			return heard
		}
		switch err := s.toEnd(ctx); {
		case err == io.EOF:
			return heard
		case !overheard(ctx, err):
			return err
		}
	}
	return heard
}

// toEnd runs the statement and forgets its rows: io.EOF, or what went wrong.
func (s *Stmt) toEnd(ctx context.Context) error {
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
