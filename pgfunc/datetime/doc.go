// Package datetime reads dates, times, timestamps and intervals from text as PostgreSQL does
// (manual, 8.5 and appendix B), knows time zones and their abbreviations, and has the calendar.
// It prints values in the ISO style; package textout has the others.
package datetime

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function {
	return slices.Concat(timeInputFunctions, timetzFunctions, zoneFunctions, intervalFunctions)
}
