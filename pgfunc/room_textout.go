// Package textout prints values as the output functions of their types do, by the settings
// DateStyle, IntervalStyle, bytea_output and extra_float_digits.
package pgfunc

import (
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// textoutRoom are the functions of this room.
func textoutRoom() []fmgr.Function { return styleFunctions }
