package coercion

import (
	"strings"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ArrayOf is the type of an array that is made of elements of a type, which has one
// dimension more if they are arrays.
func (b *Coercer) ArrayOf(elem types.Type, loc int32) types.Type {
	ty := types.ArrayOf(elem)
	if ty.ExtraDims >= input.MaxDimensions {
		b.Fail(pgerr.New(pgerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", ty.ExtraDims+1, input.MaxDimensions), loc)
	}
	return ty
}

// CheckVector refuses an array of several dimensions as one of the catalog's vectors.
func (b *Coercer) CheckVector(e scope.Expr, to types.Type) {
	if IsMultiDim(e) && (to.OID == types.Int2Vector || to.OID == types.OIDVector) {
		b.Fail(pgerr.New(pgerr.DatatypeMismatch, "array is not a valid %s", to), e.Location)
	}
}

// IsMultiDim reports whether an expression is an array of several dimensions.
func IsMultiDim(e scope.Expr) bool { return e.Type.ExtraDims > 0 }

// Flatten is an array as one of one dimension, in the order in which it is stored.
func Flatten(e scope.Expr) scope.Expr {
	for ; e.Type.ExtraDims > 0; e.Type.ExtraDims-- {
		e.SQL = "flatten(" + e.SQL + ")"
		if e.Printed != "" {
			e.Printed = "flatten(" + e.Printed + ")"
		}
	}
	return e
}

// noElements is how the engine writes a constant array that is NULL or empty, "" for any
// other expression.
func noElements(e scope.Expr) string {
	for _, none := range []string{"NULL", "[]"} {
		if strings.HasPrefix(e.SQL, "CAST("+none+" AS ") {
			return none
		}
	}
	return ""
}

// SameDimensions is how many dimensions beyond the first arrays of one type have. Those
// that are NULL or empty, and so of none, are made arrays of as many.
func (b *Coercer) SameDimensions(es []scope.Expr) int {
	dim, known := 0, false
	for _, e := range es {
		if noElements(e) != "" {
			continue
		}
		if known && dim != e.Type.ExtraDims {
			b.Unsupported(e.Location, input.UnknownDimensions)
		}
		dim, known = e.Type.ExtraDims, true
	}
	for i, e := range es {
		if e.Type.ExtraDims != dim {
			es[i].Type.ExtraDims = dim
			es[i].SQL = "CAST(" + noElements(e) + " AS " + es[i].Type.EngineType() + ")"
		}
	}
	return dim
}
