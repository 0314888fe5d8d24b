// Package str works on character, binary and bit strings (manual, 9.4 to 9.6): format,
// identifiers, normal forms, bytea, encodings and hashes.
package pgfunc

import (
	"slices"

	"github.com/ontosql/ontosql/pgfunc/fmgr"
)

// strRoom are the functions of this room.
func strRoom() []fmgr.Function {
	return slices.Concat(textFunctions, bytesFunctions, bitFunctions, bitStringFunctions, hashFunctions, encodingFunctions, identFunctions)
}
