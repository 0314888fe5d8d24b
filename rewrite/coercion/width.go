package coercion

import (
	"fmt"

	"github.com/ontosql/ontosql/rewrite/scope"
)

// shortDigits are the digits of the engine's decimals of 64 bits. It computes the sum or product of
// two such decimals in 64 bits, too, and raises an error where that is too little.
const shortDigits = 18

// WidenOperands makes the engine compute in 128 bits where the result may have more digits than fit
// into 64. Where the statement may overflow (syntax.Statement.Overflows) it only notes that.
func (b *Coercer) WidenOperands(op string, operands []scope.Expr) {
	if len(operands) < 2 {
		return
	}
	left, right := operands[0].Type.Digits(), operands[1].Type.Digits()
	if !left.Known() || !right.Known() || left.Whole+left.Frac > shortDigits || right.Whole+right.Frac > shortDigits {
		return
	}
	need := left.Whole + left.Frac + right.Whole + right.Frac
	if op != "*" {
		need = max(left.Whole, right.Whole) + 1 + max(left.Frac, right.Frac)
	}
	switch {
	case need <= shortDigits:
	case b.Stmt.Overflows && !b.Wide:
		b.Overflows = true
	default:
		operands[0].SQL = fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", operands[0].SQL, shortDigits+1, left.Frac)
	}
}
