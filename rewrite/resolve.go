package rewrite

import (
	"slices"
	"strings"
)

// resolve picks the overload PostgreSQL would pick for the arguments and
// coerces them (PostgreSQL manual 10.2 and 10.3). ok is false when none fits.
func (b *binder) resolve(candidates []signature, args []expr) (s signature, out []expr, ok bool) {
	fit := fitting(candidates, args)
	if len(fit) == 0 {
		return s, nil, false
	}
	s = fit[0]
	typs := s.concrete(b, args)
	out = make([]expr, len(args))
	for i := range args {
		if s.args[i] == anyOID {
			out[i] = b.known(args[i])
			continue
		}
		out[i] = b.coerce(args[i], t(typs[i]), implicitCast)
	}
	s.meet(out)
	return s, out, true
}

// fitting are the overloads that fit the arguments best.
func fitting(candidates []signature, args []expr) []signature {
	var fit []signature
	for _, c := range candidates {
		if c.expand(len(args)) && c.accepts(args) {
			fit = append(fit, c)
		}
	}
	if len(fit) > 1 {
		fit = best(fit, args)
	}
	return fit
}

// meet brings the arguments of anyelement and anyarray that are numerics, or arrays of
// them, to digits that they share.
func (s *signature) meet(args []expr) {
	var typs []typ
	for i, a := range args {
		if to := s.args[i]; to == anyelementOID || to == anyarrayOID {
			if elem, ok := a.t.elem(); ok {
				a.t.oid = elem.oid
			}
			if a.t.oid != numericOID {
				return
			}
			typs = append(typs, a.t)
		}
	}
	d, cut := meet(typs)
	s.num = d
	// The engine gives what a window function takes where there is no row the scale of the
	// value.
	cut = cut || s.window && len(typs) > 1 && d.known()
	for i := range args {
		if to := s.args[i]; cut && (to == anyelementOID || to == anyarrayOID) {
			args[i] = args[i].scaled(d)
		}
	}
}

// result is the type of what the signature makes of its arguments.
func (s *signature) result(args []expr) typ {
	ty := t(s.ret)
	switch elem, _ := ty.elem(); {
	case s.num.known() || s.num.shown > 0:
		ty.num = s.num
	case s.same > 0 && ty.oid == numericOID && s.name != "ceil" && s.name != "ceiling" && s.name != "floor" && s.name != "trunc" && s.name != "sign":
		ty.num = args[s.same-1].t.digits()
	case ty.oid == numericOID || elem.oid == numericOID:
		ty.num = digitsOf(s.name, args)
	}
	if elem, _ := ty.elem(); ty.oid == recordOID || elem.oid == recordOID {
		ty.row = rowAmong(args)
	}
	if s.name == "array_agg" && args[0].t.isArray() {
		ty.dim = args[0].t.dim + 1
	} else if at := slices.IndexFunc(s.args, func(a uint32) bool { return a == anyarrayOID || a == anyelementOID }); at >= 0 && ty.oid == args[at].t.oid {
		ty.dim = args[at].t.dim
	}
	return ty
}

// expand repeats the last argument of a variadic signature until there are n.
func (s *signature) expand(n int) bool {
	if !s.variadic {
		return len(s.args) == n
	}
	if n < len(s.args) {
		return false
	}
	args := append([]uint32{}, s.args...)
	for len(args) < n {
		args = append(args, args[len(args)-1])
	}
	s.args = args
	return true
}

// accepts reports whether each argument converts to the signature's by itself.
func (s *signature) accepts(args []expr) bool {
	var elem uint32
	for i, a := range args {
		from, to := a.t.oid, s.args[i]
		switch to {
		case anyOID:
		case anyelementOID:
			if from == unknownOID {
				continue
			}
			if elem == 0 {
				elem = from
			}
			if elem != from && !implicit(from, elem) && !implicit(elem, from) {
				return false
			}
		case anyarrayOID:
			if from == unknownOID {
				continue
			}
			e, ok := a.t.elem()
			if !ok || elem != 0 && elem != e.oid && !implicit(e.oid, elem) && !implicit(elem, e.oid) {
				return false
			}
			elem = e.oid
		default:
			if !implicit(from, to) {
				return false
			}
		}
	}
	return true
}

// concrete are the argument types with anyelement and anyarray replaced, and
// the result's.
func (s *signature) concrete(b *binder, args []expr) []uint32 {
	var elem uint32
	for i, a := range args {
		have := a.t.oid
		if s.args[i] == anyarrayOID {
			e, _ := a.t.elem()
			have = e.oid
		} else if s.args[i] != anyelementOID {
			continue
		}
		if have == 0 || have == unknownOID || elem != 0 && implicit(have, elem) {
			continue
		}
		elem = have
	}
	if elem == 0 {
		elem = textOID
	}
	out := make([]uint32, len(s.args))
	for i, a := range s.args {
		switch a {
		case anyelementOID:
			out[i] = elem
		case anyarrayOID:
			out[i] = arrayOf(t(elem)).oid
		default:
			out[i] = a
		}
	}
	switch {
	case s.same > 0:
		s.ret = out[s.same-1]
	case s.ret == anyelementOID:
		s.ret = elem
	case s.ret == anyarrayOID:
		s.ret = arrayOf(t(elem)).oid
	}
	return out
}

// best narrows candidates down: most exact matches, then most preferred types,
// then what the untyped arguments are likely to be.
func best(fit []signature, args []expr) []signature {
	fit = top(fit, func(s signature) int {
		n := 0
		for i, a := range args {
			if a.t.oid == s.args[i] {
				n++
			}
		}
		return n
	})
	if len(fit) == 1 {
		return fit
	}
	fit = top(fit, func(s signature) int {
		n := 0
		for i, a := range args {
			if a.t.oid == unknownOID {
				continue
			}
			if a.t.oid == s.args[i] || preferred(s.args[i]) && t(s.args[i]).category() == a.t.category() {
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
		if a.t.oid != unknownOID {
			same = same && (known == 0 || known == a.t.oid)
			known = a.t.oid
		}
	}
	if known != 0 && same {
		for _, s := range fit {
			all := true
			for i := range args {
				all = all && (s.args[i] == known || s.args[i] == anyOID || s.args[i] == anyelementOID)
			}
			if all {
				return []signature{s}
			}
		}
	}
	return top(fit, func(s signature) int {
		n := 0
		for i, a := range args {
			if a.t.oid != unknownOID {
				continue
			}
			if c := t(s.args[i]).category(); c == 'S' {
				n += 2
				if preferred(s.args[i]) {
					n++
				}
			} else if preferred(s.args[i]) {
				n++
			}
		}
		return n
	})
}

func top(fit []signature, score func(signature) int) []signature {
	var out []signature
	most := -1
	for _, s := range fit {
		switch n := score(s); {
		case n > most:
			most, out = n, []signature{s}
		case n == most:
			out = append(out, s)
		}
	}
	return out
}

// argTypes is the argument list of an error message.
func argTypes(args []expr) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = t(a.t.oid).String()
	}
	return strings.Join(parts, ", ")
}

func sqls(es []expr) []string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = e.sql
	}
	return parts
}

func anyAgg(es []expr) bool {
	for _, e := range es {
		if e.agg {
			return true
		}
	}
	return false
}

func anySet(es []expr) bool {
	for _, e := range es {
		if e.set {
			return true
		}
	}
	return false
}
