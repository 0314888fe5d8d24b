package types

import "slices"

// WideNumeric is the type of numerics that may have more digits than the engine's decimals, in
// expressions: numeric(p,s) with p above 38, with a negative scale or with a scale above the
// precision, and constants and results of so many digits. Its values are the keys of package column
// (AppendWideKey). PostgreSQL has no such type, so declarations, descriptions and stored
// definitions say Numeric (External), and the modifier or the digits tell which of the two it is (Internal).
const (
	WideNumeric      = 1<<32 - 1 - iota
	wideNumericArray // pg_type.typarray of it
)

// External is the OID under which PostgreSQL and clients know a type.
func External(oid uint32) uint32 {
	switch oid {
	case WideNumeric:
		return Numeric
	case wideNumericArray:
		return ByOID[Numeric].ArrayOID
	}
	return oid
}

// ExternalOIDs are External of several types.
func ExternalOIDs(oids []uint32) []uint32 {
	if !slices.ContainsFunc(oids, func(oid uint32) bool { return External(oid) != oid }) {
		return oids
	}
	out := make([]uint32, len(oids))
	for i, oid := range oids {
		out[i] = External(oid)
	}
	return out
}

// Internal is a declared type as expressions have it.
func (t Type) Internal() Type {
	wide := IsWideTypmod(t.Typmod) || t.Typmod < 4 && t.Numeric.Whole+t.Numeric.Frac > MaxDigits
	switch {
	case !wide:
	case t.OID == Numeric:
		t.OID = WideNumeric
	case t.OID == ByOID[Numeric].ArrayOID:
		t.OID = wideNumericArray
	}
	return t
}

// IsWide reports whether t is WideNumeric or an array of it.
func (t Type) IsWide() bool { return t.OID == WideNumeric || t.OID == wideNumericArray }

// NumericTypmod are p and s of numeric(p,s), whose type modifier is given. The scale has 11 bits and a
// sign (numeric_typmod_scale in PostgreSQL's numeric.c).
func NumericTypmod(mod int32) (precision, scale int32) {
	return (mod - 4) >> 16, ((mod-4)&0x7ff ^ 0x400) - 0x400
}

// NumericModifier is the type modifier of numeric(p,s).
func NumericModifier(precision, scale int32) int32 { return precision<<16 | scale&0x7ff + 4 }

// IsWideTypmod reports whether the engine has no decimal for a numeric with a type modifier.
func IsWideTypmod(mod int32) bool {
	precision, scale := NumericTypmod(mod)
	return mod >= 4 && (precision > MaxDigits || scale < 0 || scale > precision)
}
