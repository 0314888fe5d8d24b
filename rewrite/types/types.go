package types

import (
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/column"
)

// The OIDs of types (PostgreSQL's pg_type.dat).
const (
	Bool          = 16
	Bytea         = 17
	Char          = 18
	Name          = 19
	Int8          = 20
	Int2          = 21
	Int2Vector    = 22
	Int4          = 23
	Regproc       = 24
	Text          = 25
	OID           = 26
	TID           = 27
	XID           = 28
	CID           = 29
	OIDVector     = 30
	JSON          = 114
	Float4        = 700
	Float8        = 701
	Unknown       = 705
	Inet          = 869
	BPChar        = 1042
	Varchar       = 1043
	Date          = 1082
	Time          = 1083
	Timestamp     = 1114
	TimestampTZ   = 1184
	Interval      = 1186
	Bit           = 1560
	Varbit        = 1562
	TimeTZ        = 1266
	Numeric       = 1700
	Regprocedure  = 2202
	Regclass      = 2205
	Regtype       = 2206
	Record        = 2249
	Void          = 2278
	Any           = 2276
	AnyArray      = 2277
	AnyElement    = 2283
	UUID          = 2950
	JSONB         = 3802
	Regrole       = 4096
	Regnamespace  = 4089
	ACLItem       = 1033
	Regoper       = 2203
	Regoperator   = 2204
	Regcollation  = 4191
	Regconfig     = 3734
	Regdictionary = 3769
	PgNodeTree    = 194
)

// Type is an inferred type: PostgreSQL's OID and modifier.
type Type struct {
	OID       uint32
	Typmod    int32    // as pg_attribute.atttypmod has it; -1 for none
	Numeric   Digits   // of a numeric, and of the elements of an array of them
	Row       *RowType // of a record whose fields are known, and of the elements of an array of them
	ExtraDims int      // dimensions of an array beyond the first
}

// Info is the entry of a type in the table of types.
type Info struct {
	OID        uint32
	ArrayOID   uint32
	Name       string // of pg_type
	SQLName    string // as format_type and error messages say it
	EngineType string // the engine's type
	Category   byte   // pg_type.typcategory
	Preferred  bool
}

// Infos is the table of types. It is not changed.
var Infos = []Info{
	{Bool, 1000, "bool", "boolean", "BOOLEAN", 'B', true},
	{Bytea, 1001, "bytea", "bytea", "BLOB", 'U', false},
	{Char, 1002, "char", `"char"`, "VARCHAR", 'Z', false},
	{Name, 1003, "name", "name", "VARCHAR", 'S', false},
	{Int8, 1016, "int8", "bigint", "BIGINT", 'N', false},
	{Int2, 1005, "int2", "smallint", "SMALLINT", 'N', false},
	{Int4, 1007, "int4", "integer", "INTEGER", 'N', false},
	{Int2Vector, 1006, "int2vector", "int2vector", "SMALLINT[]", 'A', false},
	{OIDVector, 1013, "oidvector", "oidvector", "UINTEGER[]", 'A', false},
	{Regproc, 1008, "regproc", "regproc", "UINTEGER", 'N', false},
	{Text, 1009, "text", "text", "VARCHAR", 'S', true},
	{OID, 1028, "oid", "oid", "UINTEGER", 'N', true},
	{TID, 1010, "tid", "tid", "BIGINT", 'U', false}, // the page, and the line in the lower 16 bits
	{XID, 1011, "xid", "xid", "UINTEGER", 'U', false},
	{CID, 1012, "cid", "cid", "UINTEGER", 'U', false},
	{JSON, 199, "json", "json", "JSON", 'U', false},
	{Float4, 1021, "float4", "real", "FLOAT", 'N', false},
	{Float8, 1022, "float8", "double precision", "DOUBLE", 'N', true},
	{Unknown, 0, "unknown", "unknown", "VARCHAR", 'X', false},
	{Inet, 1041, "inet", "inet", "VARCHAR", 'I', true},
	{BPChar, 1014, "bpchar", "character", "VARCHAR", 'S', false},
	{Varchar, 1015, "varchar", "character varying", "VARCHAR", 'S', false},
	{Date, 1182, "date", "date", "DATE", 'D', false},
	{Time, 1183, "time", "time without time zone", "TIME", 'D', false},
	{Timestamp, 1115, "timestamp", "timestamp without time zone", "TIMESTAMP", 'D', false},
	{TimestampTZ, 1185, "timestamptz", "timestamp with time zone", "TIMESTAMPTZ", 'D', true},
	{Interval, 1187, "interval", "interval", "INTERVAL", 'T', true},
	{WideNumeric, wideNumericArray, "numeric", "numeric", "VARCHAR", 'N', false}, // the keys of package column
	{Numeric, 1231, "numeric", "numeric", "DECIMAL(38,12)", 'N', false},          // behind it: the name is that of this type
	{Regprocedure, 2207, "regprocedure", "regprocedure", "UINTEGER", 'N', false},
	{Regclass, 2210, "regclass", "regclass", "UINTEGER", 'N', false},
	{Regtype, 2211, "regtype", "regtype", "UINTEGER", 'N', false},
	{Record, 2287, "record", "record", "VARCHAR", 'P', false},
	{Void, 0, "void", "void", "VARCHAR", 'P', false},
	{Bit, 1561, "bit", "bit", "VARCHAR", 'V', false}, // its digits
	{Varbit, 1563, "varbit", "bit varying", "VARCHAR", 'V', true},
	{TimeTZ, 1270, "timetz", "time with time zone", "VARCHAR", 'D', false}, // as it is printed
	{UUID, 2951, "uuid", "uuid", "UUID", 'U', false},
	{JSONB, 3807, "jsonb", "jsonb", "JSON", 'U', false},
	{Regrole, 4097, "regrole", "regrole", "UINTEGER", 'N', false},
	{Regnamespace, 4090, "regnamespace", "regnamespace", "UINTEGER", 'N', false},
	{Regoper, 2208, "regoper", "regoper", "UINTEGER", 'N', false},
	{Regoperator, 2209, "regoperator", "regoperator", "UINTEGER", 'N', false},
	{Regcollation, 4192, "regcollation", "regcollation", "UINTEGER", 'N', false},
	{Regconfig, 3735, "regconfig", "regconfig", "UINTEGER", 'N', false},
	{Regdictionary, 3770, "regdictionary", "regdictionary", "UINTEGER", 'N', false},
	{ACLItem, 1034, "aclitem", "aclitem", "VARCHAR", 'U', false},
	{PgNodeTree, 0, "pg_node_tree", "pg_node_tree", "VARCHAR", 'Z', false},
	{Any, 0, "any", `"any"`, "", 'P', false},
	{AnyArray, 0, "anyarray", "anyarray", "VARCHAR", 'P', false}, // of the catalog, where each is NULL
	{AnyElement, 0, "anyelement", "anyelement", "", 'P', false},
}

// ByOID, ByName and ByArrayOID are the indexes of Infos: by the type's OID, by its name and
// the other spellings of it, and by the OID of its array type.
var ByOID, ByName, ByArrayOID = indexTypes()

func indexTypes() (byOID map[uint32]*Info, byName map[string]*Info, byArray map[uint32]*Info) {
	byOID, byName, byArray = map[uint32]*Info{}, map[string]*Info{}, map[uint32]*Info{}
	for i := range Infos {
		t := &Infos[i]
		byOID[t.OID], byName[t.Name] = t, t
		if t.ArrayOID != 0 {
			byArray[t.ArrayOID] = t
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

// Of is the type of an OID, without a modifier.
func Of(oid uint32) Type { return Type{OID: oid, Typmod: -1} }

// Elem is the element type of an array type; ok is false for no array.
func (t Type) Elem() (Type, bool) {
	if e := ByArrayOID[t.OID]; e != nil {
		return Type{OID: e.OID, Typmod: t.Typmod, Numeric: t.Numeric, Row: t.Row}, true
	}
	switch t.OID {
	case Int2Vector:
		return Type{OID: Int2, Typmod: -1}, true
	case OIDVector:
		return Type{OID: OID, Typmod: -1}, true
	}
	return Type{}, false
}

// Item is the element type of the engine's list: the element type of the array, or an array
// of one dimension less.
func (t Type) Item() (Type, bool) {
	if t.ExtraDims > 0 {
		t.ExtraDims--
		return t, true
	}
	return t.Elem()
}

// ArrayOf is the type of an array of t.
func ArrayOf(t Type) Type {
	if i := ByOID[t.OID]; i != nil && i.ArrayOID != 0 {
		return Type{OID: i.ArrayOID, Typmod: -1, Numeric: t.Numeric, Row: t.Row}
	}
	if _, ok := t.Elem(); ok { // PostgreSQL has no arrays of arrays, only dimensions
		t.ExtraDims++
		return t
	}
	return Type{OID: 1009, Typmod: -1}
}

// TextArray is text[] with dimensions beyond the first.
func TextArray(extraDims int) Type {
	t := ArrayOf(Of(Text))
	t.ExtraDims = extraDims
	return t
}

// IsArray reports whether t has elements.
func (t Type) IsArray() bool { _, ok := t.Elem(); return ok }

// String is the name error messages use.
func (t Type) String() string {
	if i := ByOID[t.OID]; i != nil {
		return i.SQLName
	}
	if e, ok := t.Elem(); ok {
		return e.String() + "[]"
	}
	return fmt.Sprintf("type %d", t.OID)
}

// Category is pg_type.typcategory.
func (t Type) Category() byte {
	if i := ByOID[t.OID]; i != nil {
		return i.Category
	}
	return 'A'
}

// EngineType is the engine's spelling of the type, for casts.
func (t Type) EngineType() string {
	if t = t.Internal(); t.OID == Numeric && t.Typmod >= 4 {
		p, s := NumericTypmod(t.Typmod)
		return fmt.Sprintf("DECIMAL(%d,%d)", p, s)
	}
	if i := ByOID[t.OID]; i != nil {
		return i.EngineType
	}
	if e, ok := t.Elem(); ok {
		return e.EngineType() + strings.Repeat("[]", t.ExtraDims+1)
	}
	return "VARCHAR"
}

// RegNames are the object identifier types (PostgreSQL manual 8.19), whose values are OIDs
// that print as names, and the names that the macros converting them begin with.
var RegNames = map[uint32]string{
	Regclass: "regclass", Regtype: "regtype", Regproc: "regproc", Regprocedure: "regprocedure", Regnamespace: "regnamespace",
	Regrole: "regrole", Regoper: "regoper", Regoperator: "regoperator", Regcollation: "regcollation", Regconfig: "regconfig",
	Regdictionary: "regdictionary",
}

// IsText reports whether the engine stores the type as PostgreSQL's text of it.
func IsText(oid uint32) bool {
	switch oid {
	case Text, Varchar, BPChar, Name, Char:
		return true
	}
	return false
}

// IsInteger reports whether a type is smallint, integer or bigint.
func IsInteger(oid uint32) bool { return oid == Int2 || oid == Int4 || oid == Int8 }

// IsBits reports whether a type is a bit string.
func IsBits(oid uint32) bool { return oid == Bit || oid == Varbit }

// IsOIDLike reports whether the values of a type are unsigned numbers of 32 bits.
func IsOIDLike(oid uint32) bool {
	switch oid {
	case OID, XID, CID:
		return true
	}
	return IsReg(oid)
}

// IsJSON reports whether a type is json or jsonb.
func IsJSON(oid uint32) bool { return oid == JSONB || oid == JSON }

// OfColumn is the type of a column of a shape.
func OfColumn(c column.Type) Type {
	if i := ByName[strings.ToLower(c.Name)]; c.Name != "" && i != nil && c.Kind != column.List {
		return Of(i.OID)
	}
	switch c.Kind {
	case column.Bool:
		return Of(Bool)
	case column.Int16:
		return Of(Int2)
	case column.Int32:
		return Of(Int4)
	case column.Int64:
		return Of(Int8)
	case column.Uint32:
		return Of(OID)
	case column.Float32:
		return Of(Float4)
	case column.Float64:
		return Of(Float8)
	case column.Wide:
		return Of(WideNumeric)
	case column.Numeric:
		return Type{OID: Numeric, Typmod: -1, Numeric: StoredDigits(c)}
	case column.JSON:
		return Of(JSONB)
	case column.Bytes:
		return Of(Bytea)
	case column.UUID:
		return Of(UUID)
	case column.Date:
		return Of(Date)
	case column.Time:
		return Of(Time)
	case column.Timestamp:
		return Of(Timestamp)
	case column.TimestampTZ:
		return Of(TimestampTZ)
	case column.Interval:
		return Of(Interval)
	case column.List:
		if c.Elem != nil {
			return ArrayOf(OfColumn(*c.Elem))
		}
	}
	return Of(Text)
}

// IsReg reports whether values of a type are OIDs that print as names.
func IsReg(oid uint32) bool {
	return RegNames[oid] != ""
}
