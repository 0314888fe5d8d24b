package duckdb

// #include "floatsum.h"
import "C"

import "errors"

// defineFloatSum adds ontosql_float_sum to the aggregates of every connection: the sum of
// double precision, which raises 22003 where numbers that are finite come to an infinite
// one.
func (c *Conn) defineFloatSum() error {
	if C.ontosqlDefineFloatSum(c.raw.Ptr) != 0 {
		return errors.New("define aggregate ontosql_float_sum: the engine refused")
	}
	return nil
}
