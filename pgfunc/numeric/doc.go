// Package numeric computes with numbers as PostgreSQL does (manual, 9.3): numeric with its scale,
// powers and logarithms, variances, the text of floats, and sizes in bytes.
package numeric

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function {
	return slices.Concat(floatFunctions, hexadecimalFunctions, decimalFunctions, powerFunctions, varianceFunctions, wideFunctions, byteSizeFunctions)
}
