package coercion

import (
	"slices"

	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// widened is the overload for wide numerics of one for numerics, where the statement computes with wide
// ones (scope.WideNumerics). Elsewhere it is the given one, and it is noted if its result may have
// more digits than the engine's decimals.
func (b *Coercer) widened(s functions.Signature, candidates []functions.Signature, args []scope.Expr) functions.Signature {
	at := slices.IndexFunc(candidates, func(c functions.Signature) bool { return isWideOf(c, s) })
	if at < 0 || isWideOverload(s) {
		return s
	}
	w := candidates[at]
	switch {
	case b.Wide && expandVariadic(&w, len(args)):
		return w
	case !fitsDecimal(s.Name, args):
		b.Widens = true
	}
	return s
}

// isWideOverload reports whether an overload takes or returns wide numerics.
func isWideOverload(s functions.Signature) bool {
	return s.Result == types.WideNumeric || slices.Contains(s.Args, types.WideNumeric)
}

// isWideOf reports whether w has wide numerics where s has numerics, and is the same otherwise.
func isWideOf(w, s functions.Signature) bool {
	if w.Name != s.Name || len(w.Args) != len(s.Args) || !isWideOverload(w) {
		return false
	}
	for i, a := range w.Args {
		if a != s.Args[i] && (a != types.WideNumeric || s.Args[i] != types.Numeric) {
			return false
		}
	}
	return true
}

// fitsDecimal reports whether what an operator or a function makes of its arguments has at most as many
// digits as the engine's decimals.
func fitsDecimal(name string, args []scope.Expr) bool {
	for _, a := range args {
		if types.IsNumber(a.Type.OID) && !a.Type.Digits().Known() {
			return false
		}
	}
	d := wideDigits(name, args)
	return d.Known() && d.Whole+d.Frac < types.MaxDigits // a sum has one more
}

// widensCut reports whether numerics that have no decimal in common become wide ones. It notes that
// where the statement does not compute with wide numerics.
func (b *Coercer) widensCut() bool {
	b.Widens = b.Widens || !b.Wide
	return b.Wide
}

// allWide are numbers as wide numerics.
func (b *Coercer) allWide(es []scope.Expr) []scope.Expr {
	for i, e := range es {
		es[i] = b.Coerce(e, types.Of(types.WideNumeric), types.ImplicitCast)
	}
	return es
}

// ShareDecimal is the types of two columns as those of one column of numerics. If no decimal of the
// engine holds the values of both, cut is set and d are the digits to which they are cut, or wide is
// set and they become wide numerics.
func (b *Coercer) ShareDecimal(a, c types.Type) (d types.Digits, cut, wide bool) {
	d, cut = types.CommonDigits([]types.Type{a, c})
	wide = cut && b.widensCut() && !a.IsArray()
	return d, cut && !wide, wide
}

// ComparedWidely makes two numerics wide if no decimal of the engine holds the values of both, and
// reports whether it did.
func (b *Coercer) ComparedWidely(left, right *scope.Expr) bool {
	decimal := func(e *scope.Expr) bool { return e.Type.OID == types.Numeric || types.IsInteger(e.Type.OID) }
	if !decimal(left) || !decimal(right) || left.Type.OID != types.Numeric && right.Type.OID != types.Numeric {
		return false
	}
	_, _, wide := b.ShareDecimal(left.Type, right.Type)
	if wide {
		*left = b.Coerce(*left, types.Of(types.WideNumeric), types.ImplicitCast)
		*right = b.Coerce(*right, types.Of(types.WideNumeric), types.ImplicitCast)
	}
	return wide
}

// widensCast reports whether a value is cast to a wide numeric where the statement casts it to a numeric
// without a declared precision: one that may have any number of digits. It notes that where the
// statement does not compute with wide numerics.
func (b *Coercer) widensCast(e scope.Expr, to types.Type) bool {
	from := e.Type.OID
	if to.OID != types.Numeric || to.Typmod >= 4 || e.Literal != nil || e.UntypedNull ||
		!types.IsText(from) && from != types.JSONB && from != types.Float4 && from != types.Float8 {
		return false
	}
	b.Widens = b.Widens || !b.Wide
	return b.Wide
}
