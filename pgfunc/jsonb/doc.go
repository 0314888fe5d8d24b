// Package jsonb reads, prints, compares and edits JSON documents (manual, 9.16.1). Documents are
// texts. It does not evaluate paths of SQL/JSON.
package jsonb

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function {
	return slices.Concat(jsonFunctions, jsonbFunctions, jsonTextFunctions, orderFunctions, containsFunctions, editFunctions)
}
