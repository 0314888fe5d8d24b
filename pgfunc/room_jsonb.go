// Package jsonb reads, prints, compares and edits JSON documents (manual, 9.16.1). Documents are
// texts. It does not evaluate paths of SQL/JSON.
package pgfunc

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// jsonbRoom are the functions of this room.
func jsonbRoom() []fmgr.Function {
	return slices.Concat(jsonFunctions, jsonbFunctions, jsonTextFunctions, orderFunctions, containsFunctions, editFunctions)
}
