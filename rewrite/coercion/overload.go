package coercion

import (
	"slices"
	"strings"

	"github.com/ontosql/ontosql/rewrite/functions"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/rewrite/types"
)

// ResolveOverload picks the overload PostgreSQL would pick for the arguments and
// coerces them (PostgreSQL manual 10.2 and 10.3). ok is false when none fits.
func (b *Coercer) ResolveOverload(candidates []functions.Signature, args []scope.Expr) (s functions.Signature, out []scope.Expr, ok bool) {
	fit := BestOverloads(candidates, args)
	b.refuseWide(candidates, fit, args)
	if len(fit) == 0 {
		return s, nil, false
	}
	s = b.widened(fit[0], candidates, args)
	typs := concreteArgs(&s, b, args)
	out = make([]scope.Expr, len(args))
	for i := range args {
		if s.Args[i] == types.Any {
			out[i] = b.DefaultToText(args[i])
			continue
		}
		out[i] = b.Coerce(args[i], types.Of(typs[i]), types.ImplicitCast)
	}
	b.unifyPolymorphicArgs(&s, out)
	return s, out, true
}

// BestOverloads are the overloads that fit the arguments best.
func BestOverloads(candidates []functions.Signature, args []scope.Expr) []functions.Signature {
	var fit []functions.Signature
	wide := slices.ContainsFunc(args, isWide)
	for _, c := range candidates {
		if !wide && isWideOverload(c) {
			continue
		}
		if expandVariadic(&c, len(args)) && acceptsArgs(&c, args) {
			fit = append(fit, c)
		}
	}
	if len(fit) > 1 {
		fit = mostExactMatches(fit, args)
	}
	return fit
}

// unifyPolymorphicArgs brings the arguments of anyelement and anyarray that are numerics, or arrays of
// them, to digits that they share.
func (b *Coercer) unifyPolymorphicArgs(s *functions.Signature, args []scope.Expr) {
	var typs []types.Type
	for i, a := range args {
		if to := s.Args[i]; to == types.AnyElement || to == types.AnyArray {
			if elem, ok := a.Type.Elem(); ok {
				a.Type.OID = elem.OID
			}
			if !IsNumeric(a.Type) {
				return
			}
			typs = append(typs, a.Type)
		}
	}
	d, cut := types.CommonDigits(typs)
	b.Widens = b.Widens || cut
	s.Numeric = d
	// The engine gives what a window function takes where there is no row the scale of the
	// value.
	cut = cut || s.Window && len(typs) > 1 && d.Known()
	for i := range args {
		if to := s.Args[i]; cut && (to == types.AnyElement || to == types.AnyArray) {
			args[i] = args[i].Scaled(d)
		}
	}
}

// ResultType is the type of what the signature makes of its arguments.
func ResultType(s *functions.Signature, args []scope.Expr) types.Type {
	ty := types.Of(s.Result)
	switch elem, _ := ty.Elem(); {
	case s.Numeric.Known() || s.Numeric.DisplayScale > 0:
		ty.Numeric = s.Numeric
	case ty.OID == types.WideNumeric:
		ty.Numeric = wideDigits(s.Name, args)
	case s.SameAs > 0 && ty.OID == types.Numeric && s.Name != "ceil" && s.Name != "ceiling" && s.Name != "floor" && s.Name != "trunc" && s.Name != "sign":
		ty.Numeric = args[s.SameAs-1].Type.Digits()
	case ty.OID == types.Numeric || elem.OID == types.Numeric:
		ty.Numeric = digitsOf(s.Name, args)
	}
	if elem, _ := ty.Elem(); ty.OID == types.Record || elem.OID == types.Record {
		ty.Row = rowAmong(args)
	}
	if s.Name == "array_agg" && args[0].Type.IsArray() {
		ty.ExtraDims = args[0].Type.ExtraDims + 1
	} else if at := slices.IndexFunc(s.Args, func(a uint32) bool { return a == types.AnyArray || a == types.AnyElement }); at >= 0 && ty.OID == args[at].Type.OID {
		ty.ExtraDims = args[at].Type.ExtraDims
	}
	return ty
}

// expandVariadic repeats the last argument of a variadic signature until there are n.
func expandVariadic(s *functions.Signature, n int) bool {
	if !s.Variadic {
		return len(s.Args) == n
	}
	if n < len(s.Args) {
		return false
	}
	args := append([]uint32{}, s.Args...)
	for len(args) < n {
		args = append(args, args[len(args)-1])
	}
	s.Args = args
	return true
}

// acceptsArgs reports whether each argument converts to the signature's by itself.
func acceptsArgs(s *functions.Signature, args []scope.Expr) bool {
	var elem uint32
	for i, a := range args {
		from, to := a.Type.OID, s.Args[i]
		switch to {
		case types.Any:
		case types.AnyElement:
			if from == types.Unknown {
				continue
			}
			if elem == 0 {
				elem = from
			}
			if elem != from && !types.Implicit(from, elem) && !types.Implicit(elem, from) {
				return false
			}
		case types.AnyArray:
			if from == types.Unknown {
				continue
			}
			e, ok := a.Type.Elem()
			if !ok || elem != 0 && elem != e.OID && !types.Implicit(e.OID, elem) && !types.Implicit(elem, e.OID) {
				return false
			}
			elem = e.OID
		default:
			if !types.Implicit(from, to) {
				return false
			}
		}
	}
	return true
}

// concreteArgs are the argument types with anyelement and anyarray replaced, and
// the result's.
func concreteArgs(s *functions.Signature, b *Coercer, args []scope.Expr) []uint32 {
	var elem uint32
	for i, a := range args {
		have := a.Type.OID
		if s.Args[i] == types.AnyArray {
			e, _ := a.Type.Elem()
			have = e.OID
		} else if s.Args[i] != types.AnyElement {
			continue
		}
		if have == 0 || have == types.Unknown || elem != 0 && types.Implicit(have, elem) {
			continue
		}
		elem = have
	}
	if elem == 0 {
		elem = types.Text
	}
	out := make([]uint32, len(s.Args))
	for i, a := range s.Args {
		switch a {
		case types.AnyElement:
			out[i] = elem
		case types.AnyArray:
			out[i] = types.ArrayOf(types.Of(elem)).OID
		default:
			out[i] = a
		}
	}
	switch {
	case s.SameAs > 0:
		s.Result = out[s.SameAs-1]
	case s.Result == types.AnyElement:
		s.Result = elem
	case s.Result == types.AnyArray:
		s.Result = types.ArrayOf(types.Of(elem)).OID
	}
	return out
}

// mostExactMatches narrows candidates down: most exact matches, then most preferred types,
// then what the untyped arguments are likely to be.
func mostExactMatches(fit []functions.Signature, args []scope.Expr) []functions.Signature {
	fit = highest(fit, func(s functions.Signature) int {
		n := 0
		for i, a := range args {
			if a.Type.OID == s.Args[i] {
				n++
			}
		}
		return n
	})
	if len(fit) == 1 {
		return fit
	}
	fit = highest(fit, func(s functions.Signature) int {
		n := 0
		for i, a := range args {
			if a.Type.OID == types.Unknown {
				continue
			}
			if a.Type.OID == s.Args[i] || types.Preferred(s.Args[i]) && types.Of(s.Args[i]).Category() == a.Type.Category() {
				n++
			}
		}
		return n
	})
	if len(fit) == 1 {
		return fit
	}
	// If all typed arguments are of one type, the others are likely of it too.
	var known uint32
	same := true
	for _, a := range args {
		if a.Type.OID != types.Unknown {
			same = same && (known == 0 || known == a.Type.OID)
			known = a.Type.OID
		}
	}
	if known != 0 && same {
		for _, s := range fit {
			all := true
			for i := range args {
				all = all && (s.Args[i] == known || s.Args[i] == types.Any || s.Args[i] == types.AnyElement)
			}
			if all {
				return []functions.Signature{s}
			}
		}
	}
	return highest(fit, func(s functions.Signature) int {
		n := 0
		for i, a := range args {
			if a.Type.OID != types.Unknown {
				continue
			}
			if c := types.Of(s.Args[i]).Category(); c == 'S' {
				n += 2
				if types.Preferred(s.Args[i]) {
					n++
				}
			} else if types.Preferred(s.Args[i]) {
				n++
			}
		}
		return n
	})
}

func highest(fit []functions.Signature, score func(functions.Signature) int) []functions.Signature {
	var out []functions.Signature
	most := -1
	for _, s := range fit {
		switch n := score(s); {
		case n > most:
			most, out = n, []functions.Signature{s}
		case n == most:
			out = append(out, s)
		}
	}
	return out
}

// ArgTypes is the argument list of an error message.
func ArgTypes(args []scope.Expr) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = types.Of(a.Type.OID).String()
	}
	return strings.Join(parts, ", ")
}

// SQLTexts are the SQL texts of expressions.
func SQLTexts(es []scope.Expr) []string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.SQL
	}
	return parts
}

// AnyHasAggs reports whether an expression contains an aggregate of its level.
func AnyHasAggs(es []scope.Expr) bool {
	for _, e := range es {
		if e.HasAggs {
			return true
		}
	}
	return false
}

// AnyReturnsSet reports whether an expression returns a set.
func AnyReturnsSet(es []scope.Expr) bool {
	for _, e := range es {
		if e.ReturnsSet {
			return true
		}
	}
	return false
}
