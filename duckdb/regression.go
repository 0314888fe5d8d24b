package duckdb

// #cgo LDFLAGS: -lm
// #include "regression.h"
import "C"

import "errors"

// defineRegressions adds the statistics of double precisions to the aggregates of every
// connection, computed as PostgreSQL does: ontosql_stddev_samp, ontosql_corr and so on.
// The engine's refuse infinities, or take them for numbers.
func (c *Conn) defineRegressions() error {
	if C.ontosqlDefineRegressions(c.raw.Ptr) != 0 {
		return errors.New("define statistics of double precisions: the engine refused")
	}
	return nil
}
