package wire

import (
	"strings"

	"github.com/ontosql/ontosql/column"
)

// OIDs of pg_type (PostgreSQL 15, pg_type.dat) that a result column can have.
const (
	oidBool        = 16
	oidBytea       = 17
	oidChar        = 18 // "char"
	oidName        = 19
	oidInt8        = 20
	oidInt2        = 21
	oidInt2Vector  = 22
	oidInt4        = 23
	oidText        = 25
	oidOID         = 26
	oidTID         = 27
	oidXID         = 28
	oidCID         = 29
	oidOIDVector   = 30
	oidJSON        = 114
	oidXML         = 142
	oidFloat4      = 700
	oidFloat8      = 701
	oidUnknown     = 705
	oidBPChar      = 1042
	oidVarchar     = 1043
	oidDate        = 1082
	oidTime        = 1083
	oidTimestamp   = 1114
	oidTimestampTZ = 1184
	oidInterval    = 1186
	oidTimeTZ      = 1266
	oidBit         = 1560
	oidVarbit      = 1562
	oidNumeric     = 1700
	oidRecord      = 2249
	oidVoid        = 2278
	oidUUID        = 2950
	oidJSONB       = 3802
)

// pgType has the properties of a PostgreSQL type that the protocol needs.
type pgType struct {
	name  string
	oid   uint32
	array uint32 // pg_type.typarray
	size  int16  // pg_type.typlen
}

var pgTypes = [...]pgType{
	{"bool", oidBool, 1000, 1},
	{"bytea", oidBytea, 1001, -1},
	{"char", oidChar, 1002, 1},
	{"name", oidName, 1003, 64},
	{"int8", oidInt8, 1016, 8},
	{"int2", oidInt2, 1005, 2},
	{"int2vector", oidInt2Vector, 1006, -1},
	{"int4", oidInt4, 1007, 4},
	{"regproc", 24, 1008, 4},
	{"text", oidText, 1009, -1},
	{"oid", oidOID, 1028, 4},
	{"tid", oidTID, 1010, 6},
	{"xid", oidXID, 1011, 4},
	{"cid", oidCID, 1012, 4},
	{"oidvector", oidOIDVector, 1013, -1},
	{"json", oidJSON, 199, -1},
	{"xml", oidXML, 143, -1},
	{"pg_node_tree", 194, 0, -1},
	{"float4", oidFloat4, 1021, 4},
	{"float8", oidFloat8, 1022, 8},
	{"unknown", oidUnknown, 0, -2},
	{"aclitem", 1033, 1034, 12},
	{"bpchar", oidBPChar, 1014, -1},
	{"varchar", oidVarchar, 1015, -1},
	{"date", oidDate, 1182, 4},
	{"time", oidTime, 1183, 8},
	{"timestamp", oidTimestamp, 1115, 8},
	{"timestamptz", oidTimestampTZ, 1185, 8},
	{"interval", oidInterval, 1187, 16},
	{"timetz", oidTimeTZ, 1270, 12},
	{"bit", oidBit, 1561, -1},
	{"varbit", oidVarbit, 1563, -1},
	{"numeric", oidNumeric, 1231, -1},
	{"regprocedure", 2202, 2207, 4},
	{"regoper", 2203, 2208, 4},
	{"regoperator", 2204, 2209, 4},
	{"regclass", 2205, 2210, 4},
	{"regtype", 2206, 2211, 4},
	{"record", oidRecord, 2287, -1},
	{"cstring", 2275, 1263, -2},
	{"anyarray", 2277, 0, -1},
	{"void", oidVoid, 0, 4},
	{"uuid", oidUUID, 2951, 16},
	{"pg_lsn", 3220, 3221, 8},
	{"regconfig", 3734, 3735, 4},
	{"regdictionary", 3769, 3770, 4},
	{"jsonb", oidJSONB, 3807, -1},
	{"regnamespace", 4089, 4090, 4},
	{"regrole", 4096, 4097, 4},
	{"regcollation", 4191, 4192, 4},
	{"xid8", 5069, 271, 8},
}

// kindOIDs are the types of columns whose column.Type has no name.
var kindOIDs = [...]uint32{
	column.Null: oidText, column.Bool: oidBool, column.Int16: oidInt2, column.Int32: oidInt4,
	column.Int64: oidInt8, column.Uint32: oidOID, column.Float32: oidFloat4, column.Float64: oidFloat8,
	column.Numeric: oidNumeric, column.Text: oidText, column.JSON: oidJSONB, column.Bytes: oidBytea,
	column.UUID: oidUUID, column.Date: oidDate, column.Time: oidTime, column.Timestamp: oidTimestamp,
	column.TimestampTZ: oidTimestampTZ, column.Interval: oidInterval, column.Wide: oidNumeric,
}

// OIDOf returns the PostgreSQL type of a column: pg_type.oid and typlen. The type's Name ("name",
// "regtype", ...) is looked up in pg_type. JSON is always jsonb, NULL is text, a list of any dimension
// is the array of its element type. The oid is 0 if the type is unknown.
func OIDOf(t column.Type) (oid uint32, size int16) {
	if t.Kind == column.List {
		if p, ok := typeNamed(t.Name); ok && (p.oid == oidInt2Vector || p.oid == oidOIDVector) {
			return p.oid, p.size
		}
		for t.Kind == column.List && t.Elem != nil {
			t = *t.Elem
		}
		elem, _ := OIDOf(t)
		p, _ := typeOf(elem)
		return p.array, -1
	}
	if p, ok := typeNamed(t.Name); ok && t.Kind != column.JSON {
		return p.oid, p.size
	}
	if int(t.Kind) >= len(kindOIDs) {
		return 0, -1
	}
	p, _ := typeOf(kindOIDs[t.Kind])
	return p.oid, p.size
}

func typeNamed(name string) (pgType, bool) {
	if name == "" {
		return pgType{}, false
	}
	for _, p := range pgTypes {
		if strings.EqualFold(p.name, strings.Trim(name, `"`)) {
			return p, true
		}
	}
	return pgType{}, false
}

func typeOf(oid uint32) (pgType, bool) {
	for _, p := range pgTypes {
		if p.oid == oid {
			return p, true
		}
	}
	return pgType{oid: oid, size: -1}, false
}

// arrayElement returns the element type of an array type.
func arrayElement(array uint32) (elem uint32, ok bool) {
	switch array {
	case 0:
		return 0, false
	case oidInt2Vector:
		return oidInt2, true
	case oidOIDVector:
		return oidOID, true
	}
	for _, p := range pgTypes {
		if p.array == array {
			return p.oid, true
		}
	}
	return 0, false
}

// sqlNames are the types whose SQL name differs from pg_type.typname.
var sqlNames = map[uint32]string{
	oidBool: "boolean", oidInt2: "smallint", oidInt4: "integer", oidInt8: "bigint", oidFloat4: "real", oidFloat8: "double precision",
	oidVarchar: "character varying", oidBPChar: "character", oidVarbit: "bit varying", oidTime: "time without time zone", oidTimeTZ: "time with time zone",
	oidTimestamp: "timestamp without time zone", oidTimestampTZ: "timestamp with time zone",
}

// typeName is format_type, for error messages.
func typeName(oid uint32) string {
	if name := sqlNames[oid]; name != "" {
		return name
	}
	if p, ok := typeOf(oid); ok {
		return p.name
	}
	if elem, ok := arrayElement(oid); ok {
		return typeName(elem) + "[]"
	}
	if oid == 0 {
		return "-"
	}
	return "???"
}
