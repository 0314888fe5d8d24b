package coercion

import (
	"slices"

	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

func isWide(e scope.Expr) bool { return e.Type.IsWide() }

// refuseWide refuses a call with wide numerics of a function that PostgreSQL has for numerics, but
// that fits here only after a conversion to floating point, or not at all.
func (b *Coercer) refuseWide(candidates, fit []functions.Signature, args []scope.Expr) {
	at := slices.IndexFunc(args, isWide)
	if at < 0 || len(fit) > 0 && fit[0].Args[at] != types.Float8 && fit[0].Args[at] != types.Float4 {
		return
	}
	short := slices.Clone(args)
	for i := range short {
		if isWide(short[i]) {
			short[i].Type.OID = types.External(short[i].Type.OID)
		}
	}
	for _, s := range BestOverloads(candidates, short) {
		if s.Args[at] == types.Numeric {
			b.Unsupported(args[at].Location, "%s of a numeric with more than %d digits is not supported", s.Name, types.MaxDigits)
		}
	}
}

// mostRounded is the number of digits behind the point that round and trunc make at most
// (NUMERIC_MAX_RESULT_SCALE of numeric.c).
const mostRounded = 2000

// wideDigits is what is known of the wide numeric that an operator or a function makes of its arguments,
// as PostgreSQL shows it (numeric.c). Nothing is known of those digits that depend on the values.
func wideDigits(name string, args []scope.Expr) types.Digits {
	var digits []types.Digits
	out := types.Digits{}
	for _, a := range args {
		d := a.Type.Digits()
		digits = append(digits, d)
		out.Whole, out.Frac, out.DisplayScale = max(out.Whole, d.Whole), max(out.Frac, d.Frac), max(out.DisplayScale, d.DisplayScale)
	}
	switch name {
	case "+", "-", "%", "mod", "abs", "@", "min", "max", "gcd", "lcm":
		return out
	case "*":
		a, c := digits[0], digits[1]
		return types.Digits{Whole: a.Whole + c.Whole, Frac: a.Frac + c.Frac, DisplayScale: a.DisplayScale + c.DisplayScale}
	case "sum":
		out.Whole += types.IntegerDigits[types.Int8]
		return out
	case "round", "trunc":
		scale := 0
		if len(args) == 2 && args[1].Integer != nil {
			scale = int(min(max(*args[1].Integer, 0), mostRounded))
		}
		return types.Digits{Whole: out.Whole + 1, Frac: scale, DisplayScale: scale}
	case "ceil", "ceiling", "floor", "sign", "div":
		return types.Digits{Whole: out.Whole + 1}
	}
	return types.Digits{DisplayScale: out.DisplayScale}
}
