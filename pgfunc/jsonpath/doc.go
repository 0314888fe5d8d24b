// Package jsonpath parses paths of SQL/JSON and evaluates them on documents (manual, 9.16.2).
package jsonpath

import (
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function { return pathFunctions }
