// Package regex matches patterns as PostgreSQL does (manual, 9.7): LIKE, SIMILAR TO and POSIX
// regular expressions, which it translates into those of Go where Go has them.
package regex

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function { return slices.Concat(regexpFunctions, likeFunctions) }
