// Package regex matches patterns as PostgreSQL does (manual, 9.7): LIKE, SIMILAR TO and POSIX
// regular expressions, which it translates into those of Go where Go has them.
package pgfunc

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// regexRoom are the functions of this room.
func regexRoom() []fmgr.Function { return slices.Concat(regexpFunctions, likeFunctions) }
