// Package formatting has to_char, to_date, to_timestamp and to_number, whose patterns are those
// of the manual, 9.8.
package formatting

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function { return slices.Concat(timeFunctions, numberFunctions) }
