package duckdb

import (
	"fmt"
	"strings"

	raw "github.com/duckdb/duckdb-go-bindings"

	"github.com/ontosql/ontosql/column"
)

// UnsupportedTypeError is returned for a result column whose type column.Kind cannot
// represent. The statement can be run with the column wrapped in to_json().
type UnsupportedTypeError struct {
	Column string
	Type   string // DuckDB's name of it, in lower case: "struct", "map", ...
}

func (e *UnsupportedTypeError) Error() string {
	return fmt.Sprintf("column %q has type %s, which has no PostgreSQL counterpart", e.Column, e.Type)
}

// kinds maps the types without parameters. HUGEINT, the type of sum(bigint), is numeric in
// PostgreSQL; so is UBIGINT, because PostgreSQL has no unsigned integers.
var kinds = map[raw.Type]column.Type{
	raw.TypeSQLNull:     {Kind: column.Null},
	raw.TypeBoolean:     {Kind: column.Bool},
	raw.TypeTinyInt:     {Kind: column.Int16},
	raw.TypeUTinyInt:    {Kind: column.Int16},
	raw.TypeSmallInt:    {Kind: column.Int16},
	raw.TypeUSmallInt:   {Kind: column.Int32},
	raw.TypeInteger:     {Kind: column.Int32},
	raw.TypeUInteger:    {Kind: column.Uint32},
	raw.TypeBigInt:      {Kind: column.Int64},
	raw.TypeUBigInt:     {Kind: column.Numeric, Width: 38},
	raw.TypeHugeInt:     {Kind: column.Numeric, Width: 38},
	raw.TypeFloat:       {Kind: column.Float32},
	raw.TypeDouble:      {Kind: column.Float64},
	raw.TypeVarchar:     {Kind: column.Text},
	raw.TypeBlob:        {Kind: column.Bytes},
	raw.TypeUUID:        {Kind: column.UUID},
	raw.TypeDate:        {Kind: column.Date},
	raw.TypeTime:        {Kind: column.Time},
	raw.TypeTimeNS:      {Kind: column.Time},
	raw.TypeTimestamp:   {Kind: column.Timestamp},
	raw.TypeTimestampS:  {Kind: column.Timestamp},
	raw.TypeTimestampMS: {Kind: column.Timestamp},
	raw.TypeTimestampNS: {Kind: column.Timestamp},
	raw.TypeTimestampTZ: {Kind: column.TimestampTZ},
	raw.TypeInterval:    {Kind: column.Interval},
	raw.TypeEnum:        {Kind: column.Text},
	// Formatted as PostgreSQL does, because no Kind holds them.
	raw.TypeTimeTZ: {Kind: column.Text, Name: "timetz"},
	raw.TypeBit:    {Kind: column.Text, Name: "bit"},
}

// unsupported lists the types that column cannot hold, with DuckDB's names.
var unsupported = map[raw.Type]string{
	raw.TypeStruct: "struct", raw.TypeMap: "map", raw.TypeUnion: "union", raw.TypeUHugeInt: "uhugeint",
	raw.TypeBigNum: "bignum", raw.TypeVariant: "variant", raw.TypeGeometry: "geometry",
}

// columnType converts a DuckDB type that is not a list. JSON is a VARCHAR with an alias; any
// other alias becomes the name.
func columnType(t raw.LogicalType, id raw.Type) column.Type {
	if word, ok := unsupported[id]; ok {
		return column.Type{Kind: column.Invalid, Name: word}
	}
	if id == raw.TypeDecimal {
		return column.Type{Kind: column.Numeric, Width: raw.DecimalWidth(t), Scale: raw.DecimalScale(t)}
	}
	typ := kinds[id]
	if alias := raw.LogicalTypeGetAlias(t); alias != "" {
		if alias == "JSON" && id == raw.TypeVarchar {
			return column.Type{Kind: column.JSON}
		}
		typ.Name = strings.ToLower(alias)
	}
	return typ
}

// TypeName returns DuckDB's name of a type, for CREATE TABLE and casts. Aliases
// (column.Type.Name) are left out: DuckDB 1.5 finds no functions for a VARCHAR with an alias,
// not even lower(). Invalid and Null are VARCHAR, the type of an untyped literal.
func TypeName(t column.Type) string {
	switch t.Kind {
	case column.Bool:
		return "BOOLEAN"
	case column.Int16:
		return "SMALLINT"
	case column.Int32:
		return "INTEGER"
	case column.Int64:
		return "BIGINT"
	case column.Uint32:
		return "UINTEGER"
	case column.Float32:
		return "FLOAT"
	case column.Float64:
		return "DOUBLE"
	case column.Numeric:
		if t.Width == 0 {
			return "DECIMAL(38,12)" // numeric without a size, decision A17
		}
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Width, t.Scale)
	case column.JSON:
		return "JSON"
	case column.Bytes:
		return "BLOB"
	case column.UUID:
		return "UUID"
	case column.Date:
		return "DATE"
	case column.Time:
		return "TIME"
	case column.Timestamp:
		return "TIMESTAMP"
	case column.TimestampTZ:
		return "TIMESTAMP WITH TIME ZONE"
	case column.Interval:
		return "INTERVAL"
	case column.List:
		return TypeName(*t.Elem) + "[]"
	case column.Record:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = fieldName(i) + " " + TypeName(f)
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	}
	return "VARCHAR"
}

// columnTypes are DuckDB's types without a size or elements.
var columnTypes = map[column.Kind]raw.Type{
	column.Bool: raw.TypeBoolean, column.Int16: raw.TypeSmallInt, column.Int32: raw.TypeInteger, column.Int64: raw.TypeBigInt,
	column.Uint32: raw.TypeUInteger, column.Float32: raw.TypeFloat, column.Float64: raw.TypeDouble, column.Bytes: raw.TypeBlob,
	column.UUID: raw.TypeUUID, column.Date: raw.TypeDate, column.Time: raw.TypeTime, column.Timestamp: raw.TypeTimestamp,
	column.TimestampTZ: raw.TypeTimestampTZ, column.Interval: raw.TypeInterval,
}

// logicalTypeOf returns the type that TypeName names. The caller destroys it.
func logicalTypeOf(t column.Type) raw.LogicalType {
	switch t.Kind {
	case column.Numeric:
		if t.Width == 0 {
			return raw.CreateDecimalType(38, 12)
		}
		return raw.CreateDecimalType(t.Width, t.Scale)
	case column.List:
		elem := logicalTypeOf(*t.Elem)
		defer raw.DestroyLogicalType(&elem)
		return raw.CreateListType(elem)
	case column.Record:
		types, names := make([]raw.LogicalType, len(t.Fields)), make([]string, len(t.Fields))
		for i, f := range t.Fields {
			types[i], names[i] = logicalTypeOf(f), fieldName(i)
			defer raw.DestroyLogicalType(&types[i])
		}
		return raw.CreateStructType(types, names)
	}
	if simple, ok := columnTypes[t.Kind]; ok {
		return raw.CreateLogicalType(simple)
	}
	text := raw.CreateLogicalType(raw.TypeVarchar)
	if t.Kind == column.JSON {
		raw.LogicalTypeSetAlias(text, "JSON")
	}
	return text
}

// fieldName is the name of a record's field in a DuckDB STRUCT.
func fieldName(i int) string { return fmt.Sprintf("f%d", i+1) }

// Ident quotes a name for SQL.
func Ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal quotes a text for SQL.
func Literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
