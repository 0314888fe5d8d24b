// Package formatting has to_char, to_date, to_timestamp and to_number, whose patterns are those
// of the manual, 9.8.
package pgfunc

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// formattingRoom are the functions of this room.
func formattingRoom() []fmgr.Function { return slices.Concat(timeFunctions, numberFunctions) }
