package pgcatalog

import (
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
)

// pgType is what the other relations need of a row of pg_type.
type pgType struct {
	oid       uint32
	name      string
	namespace uint32
	length    int16
	byVal     bool
	kind      string // typtype
	align     string
	storage   string
	collation uint32
	elem      uint32 // of a true array; 0 otherwise
	array     uint32
	base      uint32 // of a domain
	baseMod   int32
}

// arraySubscriptHandler is the function by which PostgreSQL tells a true array
// from int2vector and its like (its macro IsTrueArrayType).
const arraySubscriptHandler = 6179

type typeTable struct {
	byOID  map[uint32]*pgType
	byName map[string]*pgType
	rows   map[uint32]uint32 // row types by the relation
}

func readTypes(r *Relation, rows [][]any) typeTable {
	t := typeTable{map[uint32]*pgType{}, map[string]*pgType{}, map[uint32]uint32{}}
	at := func(row []any, name string) any { return row[r.index[name]] }
	for _, row := range rows {
		p := &pgType{
			oid: at(row, "oid").(uint32), name: at(row, "typname").(string), namespace: at(row, "typnamespace").(uint32),
			length: at(row, "typlen").(int16), byVal: at(row, "typbyval").(bool), kind: at(row, "typtype").(string),
			align: at(row, "typalign").(string), storage: at(row, "typstorage").(string),
			collation: at(row, "typcollation").(uint32), array: at(row, "typarray").(uint32),
			base: at(row, "typbasetype").(uint32), baseMod: at(row, "typtypmod").(int32),
		}
		if at(row, "typsubscript") == uint32(arraySubscriptHandler) && p.storage != "p" {
			p.elem = at(row, "typelem").(uint32)
		}
		t.byOID[p.oid] = p
		if t.byName[p.name] == nil { // pg_catalog's before information_schema's
			t.byName[p.name] = p
		}
		if relation := at(row, "typrelid").(uint32); relation != 0 {
			t.rows[relation] = p.oid
		}
	}
	return t
}

// TypeOID is the PostgreSQL type in which clients see a column of type t: its Name if it has
// one, else the type of its Kind (PRODUCT "Types"). It is 25, text, for a type that PostgreSQL
// does not have.
func TypeOID(t column.Type) uint32 {
	if p := pgTypeOf(t); p != nil {
		return p.oid
	}
	return shape().types.byName["text"].oid
}

// TypeSize is pg_type.typlen: bytes, or -1 and -2 for a type of varying length.
func TypeSize(oid uint32) int16 {
	if p := shape().types.byOID[oid]; p != nil {
		return p.length
	}
	return -1
}

// Typmod is pg_attribute.atttypmod of a column of type t: -1, or for a numeric
// with a declared precision what PostgreSQL makes of it. Width 38 and scale 12
// is the engine's form of a numeric without one.
func Typmod(t column.Type) int32 {
	if t.Kind != column.Numeric || t.Width == 0 || t.Width == 38 {
		return -1
	}
	return int32(t.Width)<<16 | int32(t.Scale) + 4
}

// ColumnType is the PostgreSQL type in which clients see a column of a table, and
// its pg_attribute.atttypmod.
func ColumnType(c *catalog.Column) (oid uint32, typmod int32) {
	if c.Typmod == 0 {
		return TypeOID(c.Type), Typmod(c.Type)
	}
	if c.Type.Kind == column.Text {
		return shape().types.byName["varchar"].oid, c.Typmod
	}
	return TypeOID(c.Type), c.Typmod
}

func pgTypeOf(t column.Type) *pgType {
	types := shape().types
	if p := types.byName[t.Name]; p != nil {
		return p
	}
	if t.Kind == column.List && t.Elem != nil {
		if e := pgTypeOf(*t.Elem); e != nil {
			return types.byOID[e.array]
		}
		return nil
	}
	return types.byName[kindTypes[t.Kind]]
}

// kindTypes are PostgreSQL's types of kinds.
var kindTypes = map[column.Kind]string{
	column.Bool: "bool", column.Int16: "int2", column.Int32: "int4", column.Int64: "int8", column.Uint32: "oid",
	column.Float32: "float4", column.Float64: "float8", column.Numeric: "numeric", column.Wide: "numeric", column.Text: "text",
	column.JSON: "jsonb", column.Bytes: "bytea", column.UUID: "uuid", column.Date: "date", column.Time: "time",
	column.Timestamp: "timestamp", column.TimestampTZ: "timestamptz", column.Interval: "interval",
}

// sqlNames are the types that format_type spells as the SQL standard does; with
// a second spelling, for a type modifier of -1, where PostgreSQL has one.
var sqlNames = map[string][2]string{
	"bool": {"boolean"}, "int2": {"smallint"}, "int4": {"integer"}, "int8": {"bigint"}, "float4": {"real"},
	"float8": {"double precision"}, "numeric": {"numeric"}, "interval": {"interval"}, "varchar": {"character varying"}, "varbit": {"bit varying"},
	"bpchar": {"character", "bpchar"}, "bit": {"bit", `"bit"`}, "char": {`"char"`},
	"time": {"time without time zone"}, "timetz": {"time with time zone"},
	"timestamp": {"timestamp without time zone"}, "timestamptz": {"timestamp with time zone"},
}

// typeName holds the parts from which the macro format_type builds its answer.
type typeName struct {
	plain    string // without a type modifier
	modified string // with one of -1
	family   string // how a modifier is written: pg_type.typname of a type that has rules of its own, else ""
	suffix   string // "[]" for an array, written after the modifier
	row      uint32 // the row type that it is or is an array of, by whose name it is called; 0 for another type
}

func nameOf(t *pgType, elem *pgType, qualify func(*pgType) string) typeName {
	if elem != nil {
		n := nameOf(elem, nil, qualify)
		n.suffix = "[]"
		return n
	}
	n := typeName{plain: qualify(t)}
	if names, ok := sqlNames[t.name]; ok && t.namespace == catalogNamespace {
		n.plain, n.modified = names[0], names[1]
	}
	if n.modified == "" {
		n.modified = n.plain
	}
	switch t.name {
	case "bool", "int2", "int4", "int8", "float4", "float8", "varchar", "bpchar", "bit", "varbit", "numeric", "time", "timetz", "timestamp", "timestamptz", "interval":
		if t.namespace == catalogNamespace {
			n.family = t.name
		}
	}
	return n
}

// TypeName is the name that SQL has for a column's type: "double precision".
func TypeName(t column.Type) string { return formatType(TypeOID(t)) }

// formatType is format_type(oid, NULL) for the definitions this room writes itself.
func formatType(oid uint32) string {
	types := shape().types
	t := types.byOID[oid]
	n := nameOf(t, types.byOID[t.elem], func(t *pgType) string { return quoteIdent(t.name) })
	return n.plain + n.suffix
}

// plainName is format_type(oid, NULL) of a built-in type that is no array.
func plainName(t *pgType) string {
	return nameOf(t, nil, func(t *pgType) string { return quoteIdent(t.name) }).plain
}

// quoteIdent is PostgreSQL's quote_ident: quotes where the name would not be
// read back as itself.
func quoteIdent(name string) string {
	plain := name != "" && !reserved()[name]
	for i := range len(name) {
		c := name[i]
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			plain = false
		}
	}
	if plain {
		return name
	}
	return quoted(name)
}

// reserved are the key words that quote_ident quotes: all but the unreserved.
func reserved() map[string]bool { return shape().reserved }

func readReserved(rows [][]any) map[string]bool {
	words := map[string]bool{}
	for _, row := range rows {
		if row[1] != "U" {
			words[row[0].(string)] = true
		}
	}
	return words
}
