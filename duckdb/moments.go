package duckdb

// #include "moments.h"
import "C"

import "errors"

// defineMoments registers the aggregate ontosql_moments for all connections. It computes the
// exact sums of integers and decimals from which pgfunc's ontosql_numeric_spread computes
// variances.
func (c *Conn) defineMoments() error {
	if C.ontosqlDefineMoments(c.raw.Ptr) != 0 {
		return errors.New("define aggregate ontosql_moments: DuckDB returned an error")
	}
	return nil
}
