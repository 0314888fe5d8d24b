package expression

import (
	"strconv"

	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// quotient makes e, the quotient of two numbers, one that the engine computes without texts, if it has
// both with all their digits.
func (b *Binder) quotient(e *scope.Expr, x, y scope.Expr) {
	if e.Type.OID == types.Numeric && decimal(x) && decimal(y) {
		b.divide(e, x.SQL, strconv.Itoa(x.Type.Digits().DisplayScale), y.SQL, strconv.Itoa(y.Type.Digits().DisplayScale))
	}
}

// divide makes e the quotient of two decimals or integers that are shown with so many digits behind the
// point. Its text may have more digits than the engine's decimal.
func (b *Binder) divide(e *scope.Expr, x, xScale, y, yScale string) {
	args := "(" + x + ", " + xScale + ", " + y + ", " + yScale + ")"
	e.SQL, e.Printed = "ontosql_quotient"+args, "ontosql_quotient_text"+args
	b.Scales[e.Printed] = "ontosql_quotient_scale" + args
}

// decimal reports whether the engine has the number as an integer or a decimal with all its digits.
func decimal(e scope.Expr) bool {
	return e.Printed == "" && (types.IsInteger(e.Type.OID) || e.Type.OID == types.Numeric && e.Type.Digits().Known())
}
