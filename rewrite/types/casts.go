package types

import (
	"slices"
)

// Assignable reports whether an assignment cast converts a value of one type to that of
// a column (PostgreSQL manual 10.4; pg_cast.castcontext 'a').
func Assignable(from, to Type) bool {
	f, g := from.OID, to.OID
	switch {
	case Implicit(f, g):
		return true
	case to.Category() == 'S': // by the types' output and input
		return f != Record || from.Row != nil
	case IsNumber(f) && IsNumber(g), IsJSON(f) && IsJSON(g):
		return true
	case IsDateTime(f) && IsDateTime(g):
		return Castable(from, to)
	case IsOIDLike(f):
		return IsOIDLike(g) || g == Int8 || g == Int4
	case from.IsArray() && to.IsArray():
		a, _ := from.Elem()
		e, _ := to.Elem()
		return Assignable(a, e)
	}
	return false
}

// CastContext is the context in which PostgreSQL may apply a cast (pg_cast.castcontext).
type CastContext uint8

// The contexts of casts, from the strictest to the most lenient.
const (
	ImplicitCast CastContext = iota
	AssignmentCast
	ExplicitCast
)

// RegOIDs are the object identifier types: their values are OIDs that print as names.
var RegOIDs = []uint32{Regclass, Regtype, Regproc, Regprocedure, Regrole, Regnamespace, Regoper, Regoperator, Regcollation, Regconfig, Regdictionary}

// implicitTargets are the conversions PostgreSQL makes by itself.
var implicitTargets = map[uint32][]uint32{
	Int2:        slices.Concat([]uint32{Int4, Int8, Numeric, WideNumeric, Float4, Float8, OID}, RegOIDs),
	Int4:        slices.Concat([]uint32{Int8, Numeric, WideNumeric, Float4, Float8, OID}, RegOIDs),
	Int8:        slices.Concat([]uint32{Numeric, WideNumeric, Float4, Float8, OID}, RegOIDs),
	Numeric:     {WideNumeric, Float4, Float8},
	WideNumeric: {Float4, Float8},
	Float4:      {Float8},
	Text:        {Varchar, BPChar, Name, Regclass},
	Varchar:     {Text, BPChar, Name, Regclass},
	BPChar:      {Text, Varchar, Name},
	Name:        {Text},
	Char:        {Text},
	Date:        {Timestamp, TimestampTZ},
	Timestamp:   {TimestampTZ},
	Time:        {Interval, TimeTZ},
	Bit:         {Varbit},
	Varbit:      {Bit},
	OID:         RegOIDs,
	Regclass:    {OID}, Regtype: {OID}, Regproc: {OID, Regprocedure}, Regprocedure: {OID, Regproc},
	Regrole: {OID}, Regnamespace: {OID}, Regoper: {OID, Regoperator}, Regoperator: {OID, Regoper},
	Regcollation: {OID}, Regconfig: {OID}, Regdictionary: {OID},
	PgNodeTree: {Text},
	XID:        {},
}

// Implicit reports whether an implicit cast converts from to to.
func Implicit(from, to uint32) bool {
	if from == to || from == Unknown || to == Any {
		return true
	}
	if slices.Contains(implicitTargets[from], to) {
		return true
	}
	if f, ok := Of(from).Elem(); ok {
		if e, ok := Of(to).Elem(); ok {
			return Implicit(f.OID, e.OID)
		}
	}
	return false
}

// timeCasts are the casts between types of dates and times.
var timeCasts = map[uint32][]uint32{
	Date: {Timestamp, TimestampTZ}, Time: {Interval, TimeTZ}, Interval: {Time}, TimeTZ: {Time},
	Timestamp: {Date, Time, TimestampTZ}, TimestampTZ: {Date, Time, Timestamp, TimeTZ},
}

// Castable reports whether an explicit CAST exists.
func Castable(from, to Type) bool {
	f, g := from.OID, to.OID
	switch {
	case Implicit(f, g), g == Void:
		return true
	case g == Char, f == Char:
		other := f + g - Char
		return Of(other).Category() == 'S' || other == Int4
	case to.Category() == 'S' || from.Category() == 'S': // I/O conversion
		return f != Record || from.Row != nil || g == Text
	case IsNumber(f) && IsNumber(g):
		return true
	case f == Bool && g == Int4, f == Int4 && g == Bool:
		return true
	case f == Bit || g == Bit:
		other := f + g - Bit
		return other == Int4 || other == Int8
	case IsDateTime(f) && IsDateTime(g):
		return slices.Contains(timeCasts[f], g)
	case IsJSON(f):
		return IsJSON(g) || f == JSONB && (IsNumber(g) || g == Bool)
	case IsOIDLike(f):
		return IsOIDLike(g) || g == Int8 || g == Int4
	case IsOIDLike(g):
		return IsInteger(f)
	case from.IsArray() && to.IsArray():
		a, _ := from.Elem()
		e, _ := to.Elem()
		return Castable(a, e)
	}
	return false
}

// IsNumber reports whether a type is a number other than an OID.
func IsNumber(oid uint32) bool {
	return IsInteger(oid) || oid == Numeric || oid == WideNumeric || oid == Float4 || oid == Float8
}

// IsDateTime reports whether a type is a date, a time, a timestamp or an interval.
func IsDateTime(oid uint32) bool {
	switch oid {
	case Date, Time, TimeTZ, Timestamp, TimestampTZ, Interval:
		return true
	}
	return false
}

// Preferred reports whether a type is the preferred one of its category
// (pg_type.typispreferred).
func Preferred(oid uint32) bool {
	i := ByOID[oid]
	return i != nil && i.Preferred
}

// RewriteHint is PostgreSQL's advice for a value of the wrong type.
const RewriteHint = "You will need to rewrite or cast the expression."
