package rewrite

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/column"
)

// OIDs of the types this room works with (PostgreSQL's pg_type.dat).
const (
	boolOID          = 16
	byteaOID         = 17
	charOID          = 18
	nameOID          = 19
	int8OID          = 20
	int2OID          = 21
	int2vectorOID    = 22
	int4OID          = 23
	regprocOID       = 24
	textOID          = 25
	oidOID           = 26
	tidOID           = 27
	xidOID           = 28
	cidOID           = 29
	oidvectorOID     = 30
	jsonOID          = 114
	float4OID        = 700
	float8OID        = 701
	unknownOID       = 705
	inetOID          = 869
	bpcharOID        = 1042
	varcharOID       = 1043
	dateOID          = 1082
	timeOID          = 1083
	timestampOID     = 1114
	timestamptzOID   = 1184
	intervalOID      = 1186
	bitOID           = 1560
	varbitOID        = 1562
	timetzOID        = 1266
	numericOID       = 1700
	regprocedureOID  = 2202
	regclassOID      = 2205
	regtypeOID       = 2206
	recordOID        = 2249
	voidOID          = 2278
	anyOID           = 2276
	anyarrayOID      = 2277
	anyelementOID    = 2283
	uuidOID          = 2950
	jsonbOID         = 3802
	regroleOID       = 4096
	regnamespaceOID  = 4089
	aclitemOID       = 1033
	regoperOID       = 2203
	regoperatorOID   = 2204
	regcollationOID  = 4191
	regconfigOID     = 3734
	regdictionaryOID = 3769
	pgNodeTreeOID    = 194
)

// typ is an inferred type: PostgreSQL's OID and modifier.
type typ struct {
	oid uint32
	mod int32    // as pg_attribute.atttypmod has it; -1 for none
	num digits   // of a numeric, and of the elements of an array of them
	row *rowType // of a record whose fields are known, and of the elements of an array of them
	dim int      // dimensions of an array beyond the first
}

// typeInfo is what inference and printing know of a type.
type typeInfo struct {
	oid       uint32
	array     uint32
	name      string // of pg_type
	sql       string // as format_type and error messages say it
	duck      string // the engine's type
	category  byte   // pg_type.typcategory
	preferred bool
}

var typeInfos = []typeInfo{
	{boolOID, 1000, "bool", "boolean", "BOOLEAN", 'B', true},
	{byteaOID, 1001, "bytea", "bytea", "BLOB", 'U', false},
	{charOID, 1002, "char", `"char"`, "VARCHAR", 'Z', false},
	{nameOID, 1003, "name", "name", "VARCHAR", 'S', false},
	{int8OID, 1016, "int8", "bigint", "BIGINT", 'N', false},
	{int2OID, 1005, "int2", "smallint", "SMALLINT", 'N', false},
	{int4OID, 1007, "int4", "integer", "INTEGER", 'N', false},
	{int2vectorOID, 1006, "int2vector", "int2vector", "SMALLINT[]", 'A', false},
	{oidvectorOID, 1013, "oidvector", "oidvector", "UINTEGER[]", 'A', false},
	{regprocOID, 1008, "regproc", "regproc", "UINTEGER", 'N', false},
	{textOID, 1009, "text", "text", "VARCHAR", 'S', true},
	{oidOID, 1028, "oid", "oid", "UINTEGER", 'N', true},
	{tidOID, 1010, "tid", "tid", "VARCHAR", 'U', false},
	{xidOID, 1011, "xid", "xid", "UINTEGER", 'U', false},
	{cidOID, 1012, "cid", "cid", "UINTEGER", 'U', false},
	{jsonOID, 199, "json", "json", "JSON", 'U', false},
	{float4OID, 1021, "float4", "real", "FLOAT", 'N', false},
	{float8OID, 1022, "float8", "double precision", "DOUBLE", 'N', true},
	{unknownOID, 0, "unknown", "unknown", "VARCHAR", 'X', false},
	{inetOID, 1041, "inet", "inet", "VARCHAR", 'I', true},
	{bpcharOID, 1014, "bpchar", "character", "VARCHAR", 'S', false},
	{varcharOID, 1015, "varchar", "character varying", "VARCHAR", 'S', false},
	{dateOID, 1182, "date", "date", "DATE", 'D', false},
	{timeOID, 1183, "time", "time without time zone", "TIME", 'D', false},
	{timestampOID, 1115, "timestamp", "timestamp without time zone", "TIMESTAMP", 'D', false},
	{timestamptzOID, 1185, "timestamptz", "timestamp with time zone", "TIMESTAMPTZ", 'D', true},
	{intervalOID, 1187, "interval", "interval", "INTERVAL", 'T', true},
	{numericOID, 1231, "numeric", "numeric", "DECIMAL(38,12)", 'N', false},
	{regprocedureOID, 2207, "regprocedure", "regprocedure", "UINTEGER", 'N', false},
	{regclassOID, 2210, "regclass", "regclass", "UINTEGER", 'N', false},
	{regtypeOID, 2211, "regtype", "regtype", "UINTEGER", 'N', false},
	{recordOID, 2287, "record", "record", "VARCHAR", 'P', false},
	{voidOID, 0, "void", "void", "VARCHAR", 'P', false},
	{bitOID, 1561, "bit", "bit", "VARCHAR", 'V', false}, // its digits
	{varbitOID, 1563, "varbit", "bit varying", "VARCHAR", 'V', true},
	{timetzOID, 1270, "timetz", "time with time zone", "VARCHAR", 'D', false}, // as it is printed
	{uuidOID, 2951, "uuid", "uuid", "UUID", 'U', false},
	{jsonbOID, 3807, "jsonb", "jsonb", "JSON", 'U', false},
	{regroleOID, 4097, "regrole", "regrole", "UINTEGER", 'N', false},
	{regnamespaceOID, 4090, "regnamespace", "regnamespace", "UINTEGER", 'N', false},
	{regoperOID, 2208, "regoper", "regoper", "UINTEGER", 'N', false},
	{regoperatorOID, 2209, "regoperator", "regoperator", "UINTEGER", 'N', false},
	{regcollationOID, 4192, "regcollation", "regcollation", "UINTEGER", 'N', false},
	{regconfigOID, 3735, "regconfig", "regconfig", "UINTEGER", 'N', false},
	{regdictionaryOID, 3770, "regdictionary", "regdictionary", "UINTEGER", 'N', false},
	{aclitemOID, 1034, "aclitem", "aclitem", "VARCHAR", 'U', false},
	{pgNodeTreeOID, 0, "pg_node_tree", "pg_node_tree", "VARCHAR", 'Z', false},
	{anyOID, 0, "any", `"any"`, "", 'P', false},
	{anyarrayOID, 0, "anyarray", "anyarray", "VARCHAR", 'P', false}, // of the catalog, where each is NULL
	{anyelementOID, 0, "anyelement", "anyelement", "", 'P', false},
}

var typesByOID, typesByName, typesByArray = indexTypes()

func indexTypes() (byOID map[uint32]*typeInfo, byName map[string]*typeInfo, byArray map[uint32]*typeInfo) {
	byOID, byName, byArray = map[uint32]*typeInfo{}, map[string]*typeInfo{}, map[uint32]*typeInfo{}
	for i := range typeInfos {
		t := &typeInfos[i]
		byOID[t.oid], byName[t.name] = t, t
		if t.array != 0 {
			byArray[t.array] = t
		}
	}
	// Spellings that a client may use outside the grammar's own translation.
	for alias, name := range map[string]string{
		"integer": "int4", "int": "int4", "bigint": "int8", "smallint": "int2", "boolean": "bool", "real": "float4",
		"decimal": "numeric", "character varying": "varchar", "double precision": "float8",
	} {
		byName[alias] = byName[name]
	}
	return byOID, byName, byArray
}

func t(oid uint32) typ { return typ{oid: oid, mod: -1} }

// elem is the element type of an array type; ok is false for no array.
func (t typ) elem() (typ, bool) {
	if e := typesByArray[t.oid]; e != nil {
		return typ{oid: e.oid, mod: t.mod, num: t.num, row: t.row}, true
	}
	switch t.oid {
	case int2vectorOID:
		return typ{oid: int2OID, mod: -1}, true
	case oidvectorOID:
		return typ{oid: oidOID, mod: -1}, true
	}
	return typ{}, false
}

// item is the type of what the engine's list that is an array consists of: the elements,
// or arrays of one dimension less.
func (t typ) item() (typ, bool) {
	if t.dim > 0 {
		t.dim--
		return t, true
	}
	return t.elem()
}

// arrayOf is the type of an array of t.
func arrayOf(t typ) typ {
	if i := typesByOID[t.oid]; i != nil && i.array != 0 {
		return typ{oid: i.array, mod: -1, num: t.num, row: t.row}
	}
	if _, ok := t.elem(); ok { // PostgreSQL has no arrays of arrays, only dimensions
		t.dim++
		return t
	}
	return typ{oid: 1009, mod: -1}
}

func (t typ) isArray() bool { _, ok := t.elem(); return ok }

// String is the name error messages use.
func (t typ) String() string {
	if i := typesByOID[t.oid]; i != nil {
		return i.sql
	}
	if e, ok := t.elem(); ok {
		return e.String() + "[]"
	}
	return fmt.Sprintf("type %d", t.oid)
}

func (t typ) category() byte {
	if i := typesByOID[t.oid]; i != nil {
		return i.category
	}
	return 'A'
}

// duck is the engine's spelling of the type, for casts.
func (t typ) duck() string {
	if t.oid == numericOID && t.mod >= 4 {
		p, s := numericMod(t.mod)
		return fmt.Sprintf("DECIMAL(%d,%d)", p, s)
	}
	if i := typesByOID[t.oid]; i != nil {
		return i.duck
	}
	if e, ok := t.elem(); ok {
		return e.duck() + strings.Repeat("[]", t.dim+1)
	}
	return "VARCHAR"
}

func numericMod(mod int32) (precision, scale int32) { return (mod - 4) >> 16, (mod - 4) & 0xffff }

// regNames are the types whose values are the OIDs of objects and are shown as the
// objects' names: what the macros that turn the one into the other are called.
var regNames = map[uint32]string{
	regclassOID: "regclass", regtypeOID: "regtype", regprocOID: "regproc", regprocedureOID: "regprocedure", regnamespaceOID: "regnamespace",
	regroleOID: "regrole", regoperOID: "regoper", regoperatorOID: "regoperator", regcollationOID: "regcollation", regconfigOID: "regconfig",
	regdictionaryOID: "regdictionary",
}

func isText(oid uint32) bool {
	switch oid {
	case textOID, varcharOID, bpcharOID, nameOID, charOID:
		return true
	}
	return false
}

func isInt(oid uint32) bool { return oid == int2OID || oid == int4OID || oid == int8OID }

func isBits(oid uint32) bool { return oid == bitOID || oid == varbitOID }

func isOIDLike(oid uint32) bool {
	switch oid {
	case oidOID, xidOID, cidOID:
		return true
	}
	return isNamed(oid)
}

func isJSON(oid uint32) bool { return oid == jsonbOID || oid == jsonOID }

// columnType is the type of a column of a shape.
func columnType(c column.Type) typ {
	if i := typesByName[strings.ToLower(c.Name)]; c.Name != "" && i != nil && c.Kind != column.List {
		return t(i.oid)
	}
	switch c.Kind {
	case column.Bool:
		return t(boolOID)
	case column.Int16:
		return t(int2OID)
	case column.Int32:
		return t(int4OID)
	case column.Int64:
		return t(int8OID)
	case column.Uint32:
		return t(oidOID)
	case column.Float32:
		return t(float4OID)
	case column.Float64:
		return t(float8OID)
	case column.Numeric:
		return typ{oid: numericOID, mod: -1, num: storedDigits(c)}
	case column.JSON:
		return t(jsonbOID)
	case column.Bytes:
		return t(byteaOID)
	case column.UUID:
		return t(uuidOID)
	case column.Date:
		return t(dateOID)
	case column.Time:
		return t(timeOID)
	case column.Timestamp:
		return t(timestampOID)
	case column.TimestampTZ:
		return t(timestamptzOID)
	case column.Interval:
		return t(intervalOID)
	case column.List:
		if c.Elem != nil {
			return arrayOf(columnType(*c.Elem))
		}
	}
	return t(textOID)
}

// isNamed reports whether values of a type are numbers that are shown as names.
func isNamed(oid uint32) bool {
	return regNames[oid] != ""
}
