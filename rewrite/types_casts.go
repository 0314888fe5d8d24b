package rewrite

import (
	"slices"
)

// assignable reports whether a value of one type may be stored in a column of
// another by itself (PostgreSQL manual 10.4; pg_cast.castcontext 'a').
func assignable(from, to typ) bool {
	f, g := from.oid, to.oid
	switch {
	case implicit(f, g):
		return true
	case to.category() == 'S': // by the types' output and input
		return f != recordOID || from.row != nil
	case isNumber(f) && isNumber(g), isJSON(f) && isJSON(g):
		return true
	case isTime(f) && isTime(g):
		return castable(from, to)
	case isOIDLike(f):
		return isOIDLike(g) || g == int8OID || g == int4OID
	case from.isArray() && to.isArray():
		a, _ := from.elem()
		e, _ := to.elem()
		return assignable(a, e)
	}
	return false
}

// castContext says how willing PostgreSQL is to convert at a place
// (pg_cast.castcontext).
type castContext uint8

const (
	implicitCast castContext = iota
	assignmentCast
	explicitCast
)

// regOIDs are the types whose values are OIDs that print as names.
var regOIDs = []uint32{regclassOID, regtypeOID, regprocOID, regprocedureOID, regroleOID, regnamespaceOID, regoperOID, regoperatorOID, regcollationOID, regconfigOID, regdictionaryOID}

// implicitTargets are the conversions PostgreSQL makes by itself.
var implicitTargets = map[uint32][]uint32{
	int2OID:      slices.Concat([]uint32{int4OID, int8OID, numericOID, float4OID, float8OID, oidOID}, regOIDs),
	int4OID:      slices.Concat([]uint32{int8OID, numericOID, float4OID, float8OID, oidOID}, regOIDs),
	int8OID:      slices.Concat([]uint32{numericOID, float4OID, float8OID, oidOID}, regOIDs),
	numericOID:   {float4OID, float8OID},
	float4OID:    {float8OID},
	textOID:      {varcharOID, bpcharOID, nameOID, regclassOID},
	varcharOID:   {textOID, bpcharOID, nameOID, regclassOID},
	bpcharOID:    {textOID, varcharOID, nameOID},
	nameOID:      {textOID},
	charOID:      {textOID},
	dateOID:      {timestampOID, timestamptzOID},
	timestampOID: {timestamptzOID},
	timeOID:      {intervalOID, timetzOID},
	bitOID:       {varbitOID},
	varbitOID:    {bitOID},
	oidOID:       regOIDs,
	regclassOID:  {oidOID}, regtypeOID: {oidOID}, regprocOID: {oidOID, regprocedureOID}, regprocedureOID: {oidOID, regprocOID},
	regroleOID: {oidOID}, regnamespaceOID: {oidOID}, regoperOID: {oidOID, regoperatorOID}, regoperatorOID: {oidOID, regoperOID},
	regcollationOID: {oidOID}, regconfigOID: {oidOID}, regdictionaryOID: {oidOID},
	pgNodeTreeOID: {textOID},
	xidOID:        {},
}

// implicit reports whether from converts to to by itself.
func implicit(from, to uint32) bool {
	if from == to || from == unknownOID || to == anyOID {
		return true
	}
	if slices.Contains(implicitTargets[from], to) {
		return true
	}
	if f, ok := t(from).elem(); ok {
		if e, ok := t(to).elem(); ok {
			return implicit(f.oid, e.oid)
		}
	}
	return false
}

// timeCasts are the casts between types of dates and times.
var timeCasts = map[uint32][]uint32{
	dateOID: {timestampOID, timestamptzOID}, timeOID: {intervalOID, timetzOID}, intervalOID: {timeOID}, timetzOID: {timeOID},
	timestampOID: {dateOID, timeOID, timestamptzOID}, timestamptzOID: {dateOID, timeOID, timestampOID, timetzOID},
}

// castable reports whether an explicit CAST exists.
func castable(from, to typ) bool {
	f, g := from.oid, to.oid
	switch {
	case implicit(f, g), g == voidOID:
		return true
	case g == charOID, f == charOID:
		other := f + g - charOID
		return t(other).category() == 'S' || other == int4OID
	case to.category() == 'S' || from.category() == 'S': // I/O conversion
		return f != recordOID || from.row != nil || g == textOID
	case isNumber(f) && isNumber(g):
		return true
	case f == boolOID && g == int4OID, f == int4OID && g == boolOID:
		return true
	case f == bitOID || g == bitOID:
		other := f + g - bitOID
		return other == int4OID || other == int8OID
	case isTime(f) && isTime(g):
		return slices.Contains(timeCasts[f], g)
	case isJSON(f):
		return isJSON(g) || f == jsonbOID && (isNumber(g) || g == boolOID)
	case isOIDLike(f):
		return isOIDLike(g) || g == int8OID || g == int4OID
	case isOIDLike(g):
		return isInt(f)
	case from.isArray() && to.isArray():
		a, _ := from.elem()
		e, _ := to.elem()
		return castable(a, e)
	}
	return false
}

func isNumber(oid uint32) bool {
	return isInt(oid) || oid == numericOID || oid == float4OID || oid == float8OID
}

func isTime(oid uint32) bool {
	switch oid {
	case dateOID, timeOID, timetzOID, timestampOID, timestamptzOID, intervalOID:
		return true
	}
	return false
}

func preferred(oid uint32) bool {
	i := typesByOID[oid]
	return i != nil && i.preferred
}

// rewriteHint is PostgreSQL's advice for a value of the wrong type.
const rewriteHint = "You will need to rewrite or cast the expression."
