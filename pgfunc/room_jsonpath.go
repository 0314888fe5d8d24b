// Package jsonpath parses paths of SQL/JSON and evaluates them on documents (manual, 9.16.2).
package pgfunc

import (
	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// jsonpathRoom are the functions of this room.
func jsonpathRoom() []fmgr.Function { return pathFunctions }
