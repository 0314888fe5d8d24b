package duckdb

// #cgo LDFLAGS: -lm
// #include "regression.h"
import "C"

import "errors"

// defineRegressions registers statistical aggregates of double precision (ontosql_stddev_samp,
// ontosql_corr and others) for all connections, computed as in PostgreSQL. DuckDB's own reject
// infinities or treat them as numbers.
func (c *Conn) defineRegressions() error {
	if C.ontosqlDefineRegressions(c.raw.Ptr) != 0 {
		return errors.New("define statistics of double precisions: DuckDB returned an error")
	}
	return nil
}
