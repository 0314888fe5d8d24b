package duckdb

// #include "moments.h"
import "C"

import "errors"

// defineMoments adds ontosql_moments to the aggregates of every connection: of integers and
// decimals what a variance is computed of, without loss, as pgfunc's
// ontosql_numeric_spread reads it.
func (c *Conn) defineMoments() error {
	if C.ontosqlDefineMoments(c.raw.Ptr) != 0 {
		return errors.New("define aggregate ontosql_moments: the engine refused")
	}
	return nil
}
