package types

import "github.com/ontosql/ontosql/column"

// kinds are the kinds of the columns that hold values of engine types.
var kinds = map[string]column.Kind{
	"BOOLEAN": column.Bool, "SMALLINT": column.Int16, "INTEGER": column.Int32, "BIGINT": column.Int64, "UINTEGER": column.Uint32,
	"FLOAT": column.Float32, "DOUBLE": column.Float64, "VARCHAR": column.Text, "JSON": column.JSON, "BLOB": column.Bytes, "UUID": column.UUID,
	"DATE": column.Date, "TIME": column.Time, "TIMESTAMP": column.Timestamp, "TIMESTAMPTZ": column.TimestampTZ, "INTERVAL": column.Interval,
}

// Column is the column that holds values of the type. OfColumn gives the type again, without
// its modifier.
func (t Type) Column() column.Type {
	if item, ok := t.Item(); ok && t.OID != Int2Vector && t.OID != OIDVector {
		elem := item.Column()
		return column.Type{Kind: column.List, Elem: &elem}
	}
	if t = t.Internal(); t.OID == Numeric {
		d := t.InputDigits()
		if t.Typmod < 4 && t.Numeric.Known() {
			d = t.Numeric
		}
		return column.Type{Kind: column.Numeric, Width: uint8(d.Whole + d.Frac), Scale: uint8(d.Frac)}
	}
	if t.OID == WideNumeric {
		return column.Type{Kind: column.Wide}
	}
	c := column.Type{Kind: kinds[t.EngineType()]}
	if i := ByOID[t.OID]; i != nil && OfColumn(c).OID != t.OID {
		c.Name = i.Name
	}
	return c
}

// Finer reports whether a column has more digits behind the point than a numeric of no declared
// precision, as an ordinary table's numeric(38,20).
func Finer(c column.Type) bool { return c.Kind == column.Numeric && c.Scale > MaxColumnFraction }
