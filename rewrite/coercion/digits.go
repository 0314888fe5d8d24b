package coercion

import (
	"github.com/ontosql/ontosql/rewrite/enginesql"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ShortenFactors leaves out zeros at the end of factors: with more than roomy digits behind the
// point their product has too few before it. A product keeps twelve digits, and what is
// known to show some keeps those; a quotient has no zeros to leave out.
func ShortenFactors(factors []scope.Expr) {
	const roomy = 28
	if factors[0].Type.Digits().Frac+factors[1].Type.Digits().Frac <= roomy {
		return
	}
	for i, f := range factors {
		d := f.Type.Digits()
		left := d.Frac
		switch {
		case d.Frac >= 2*types.MaxColumnFraction:
			left = max(types.MaxColumnFraction, min(d.DisplayScale, d.Frac))
		case d.Frac == types.MaxColumnFraction && d.DisplayScale > 0:
			left = d.DisplayScale
		}
		if left < d.Frac {
			factors[i].SQL = enginesql.Macro("shortened") + "(" + f.SQL + ", CAST(0 AS " + types.EngineDecimal(left) + "))"
			factors[i].Type.Numeric = types.CappedDigits(d.Whole+d.Frac, left, min(d.DisplayScale, left))
		}
	}
}

// digitsOf is what is known of the numeric that an operator or a function makes of
// its arguments, as the engine types it (numericMacros, and its own arithmetic) and
// PostgreSQL shows it (numeric.c).
func digitsOf(name string, args []scope.Expr) types.Digits {
	var a, c types.Digits
	if len(args) > 0 {
		a = args[0].Type.Digits()
	}
	if len(args) > 1 {
		c = args[1].Type.Digits()
	}
	shown := max(a.DisplayScale, c.DisplayScale)
	unknown := types.Digits{DisplayScale: shown}
	switch {
	case name == "/", name == "avg":
		d := types.QuotientDigits
		d.DisplayScale = shown
		return d
	case name == "stddev", name == "stddev_samp", name == "stddev_pop", name == "variance", name == "var_samp", name == "var_pop":
		return types.StatisticDigits
	case name == "^", name == "power", name == "pow", name == "exp", name == "ln", name == "log", name == "log10":
		return types.StatisticDigits
	case name == "sqrt":
		return types.Digits{Whole: 23, Frac: 15, DisplayScale: types.MinSignificantDigits - 1}
	case name == "factorial", name == "div":
		return types.WholeDigits
	case name == "sign":
		return types.Digits{Whole: 18}
	case name == "to_number", name == "trim_scale":
		return types.ColumnDigits
	case (name == "round" || name == "trunc") && len(args) == 2:
		n := args[1].Integer
		switch {
		case n != nil && *n >= 0 && *n <= writtenMost: // RoundTemplate
			scale := int(*n)
			return types.Digits{Whole: min(types.MaxColumnWhole+scale, 37) - scale, Frac: scale, DisplayScale: scale}
		case a.Known():
			frac := max(a.Frac, types.MaxColumnFraction)
			return types.CappedDigits(max(a.Whole, types.MaxColumnWhole)+1, frac, 0)
		}
		return types.Digits{}
	case !a.Known() || len(args) == 2 && !c.Known():
		if name == "*" {
			unknown.DisplayScale = a.DisplayScale + c.DisplayScale
		}
		return unknown
	}
	switch name {
	case "+", "-":
		if len(args) == 1 {
			return a
		}
		return types.CappedDigits(max(a.Whole, c.Whole)+1, max(a.Frac, c.Frac), shown)
	case "*":
		return types.CappedDigits(a.Whole+c.Whole, a.Frac+c.Frac, a.DisplayScale+c.DisplayScale)
	case "%", "mod":
		return types.CappedDigits(max(a.Whole, c.Whole)+1, max(a.Frac, c.Frac), shown)
	case "abs", "@":
		return a
	case "round", "trunc", "ceil", "ceiling", "floor":
		return types.Digits{Whole: a.Whole + a.Frac}
	case "sum":
		if types.IsInteger(args[0].Type.OID) {
			return types.ColumnDigits
		}
		return types.Digits{Whole: types.MaxDigits - a.Frac, Frac: a.Frac, DisplayScale: a.DisplayScale}
	}
	return unknown
}
