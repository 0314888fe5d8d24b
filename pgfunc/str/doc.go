// Package str works on character, binary and bit strings (manual, 9.4 to 9.6): format,
// identifiers, normal forms, bytea, encodings and hashes. It also has the places of rows (tid).
package str

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// Functions are the functions of this room.
func Functions() []fmgr.Function {
	return slices.Concat(textFunctions, bytesFunctions, bitFunctions, bitStringFunctions, hashFunctions, encodingFunctions, identFunctions, tidFunctions)
}
