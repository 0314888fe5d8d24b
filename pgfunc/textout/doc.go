// Package textout prints values as the output functions of their types do, by the settings
// DateStyle, IntervalStyle, bytea_output and extra_float_digits.
package textout

import (
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function { return styleFunctions }
