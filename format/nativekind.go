package format

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// The kinds of native columns: those of fields whose values JSON has no form for, and of
// documents. KindDecimal makes the kind of a decimal.
const (
	KindDate      ColumnKind = "date"        // days since 1970-01-01
	KindTimestamp ColumnKind = "timestamptz" // microseconds since 1970-01-01 00:00:00 UTC
	KindUUID      ColumnKind = "uuid"        // 16 bytes
	KindBytes     ColumnKind = "bytes"
	KindJSON      ColumnKind = "json" // a canonical JSON text
)

// decimalDigits is the maximum precision of a decimal column.
const decimalDigits = 38

// KindDecimal is the kind of a column of decimals with a precision and a scale: "decimal(15,2)".
func KindDecimal(precision, scale int) ColumnKind {
	return ColumnKind(fmt.Sprintf("decimal(%d,%d)", precision, scale))
}

// Decimal returns the precision and the scale of a kind that KindDecimal made.
func (k ColumnKind) Decimal() (precision, scale int, ok bool) {
	size, ok := strings.CutPrefix(string(k), "decimal(")
	if !ok {
		return 0, 0, false
	}
	p, s, _ := strings.Cut(strings.TrimSuffix(size, ")"), ",")
	precision, err1 := strconv.Atoi(p)
	scale, err2 := strconv.Atoi(s)
	return precision, scale, err1 == nil && err2 == nil
}

// native reports whether k is the kind of a native column.
func (k ColumnKind) native() bool {
	switch k {
	case KindDate, KindTimestamp, KindUUID, KindBytes, KindJSON:
		return true
	}
	_, _, decimal := k.Decimal()
	return decimal
}

// NativeColumn is the name of the native column of a field. The name contains the kind, so that
// columns of the same name have the same type in all files: the original, which merges files by
// name, refuses to merge columns of different types (COMPAT 2.4). No field of the original can
// have the name, because a Python name has no colon.
func NativeColumn(field string, kind ColumnKind) string { return field + ":" + string(kind) }

// NativeField is the field whose native column has this name and kind. ok is false for all other
// columns.
func NativeField(name string, kind ColumnKind) (field string, ok bool) {
	if !kind.native() {
		return "", false
	}
	return strings.CutSuffix(name, ":"+string(kind))
}

func isNativeColumn(name string, kind ColumnKind) bool {
	_, ok := NativeField(name, kind)
	return ok
}

// kind is the kind of the column of a field; "" if a field has none.
func (f *DataField) kind() ColumnKind {
	switch f.Type {
	case FieldStr:
		return KindString
	case FieldInt:
		return KindInt64
	case FieldFloat:
		return KindDouble
	case FieldBool:
		return KindBool
	case FieldDate:
		return KindDate
	case FieldDatetime:
		return KindTimestamp
	case FieldUUID:
		return KindUUID
	case FieldBytes:
		return KindBytes
	case FieldJSON:
		return KindJSON
	case FieldDecimal:
		if f.Precision > 0 {
			return KindDecimal(f.Precision, f.Scale)
		}
	}
	return ""
}

// column is the name of the column of a field.
func (f *DataField) column() string {
	if kind := f.kind(); kind.native() {
		return NativeColumn(f.Name, kind)
	}
	return f.Name
}

// nativeKind returns the kind of a column that has the physical and logical type of a native one,
// else KindOther.
func nativeKind(leaf *schema.PrimitiveNode) ColumnKind {
	is := func(t parquet.Type) bool { return leaf.PhysicalType() == t }
	switch logical := leaf.LogicalType().(type) {
	case schema.DateLogicalType:
		if is(parquet.Types.Int32) {
			return KindDate
		}
	case schema.TimestampLogicalType:
		if is(parquet.Types.Int64) && logical.IsAdjustedToUTC() && logical.TimeUnit() == schema.TimeUnitMicros {
			return KindTimestamp
		}
	case schema.UUIDLogicalType:
		if is(parquet.Types.FixedLenByteArray) {
			return KindUUID
		}
	case schema.JSONLogicalType:
		if is(parquet.Types.ByteArray) {
			return KindJSON
		}
	case schema.DecimalLogicalType:
		precision, scale := int(logical.Precision()), int(logical.Scale())
		if is(decimalType(precision)) && precision <= decimalDigits && (!is(parquet.Types.FixedLenByteArray) || leaf.TypeLength() == fixedSize) {
			return KindDecimal(precision, scale)
		}
	default:
		if is(parquet.Types.ByteArray) && (logical == nil || logical.IsNone()) {
			return KindBytes
		}
	}
	return KindOther
}

// fixedSize is the size in bytes of a UUID and of a decimal of more than 18 digits.
const fixedSize = 16

// decimalType is the physical type of decimals with a precision, the smallest that holds them.
func decimalType(precision int) parquet.Type {
	switch {
	case precision <= 9:
		return parquet.Types.Int32
	case precision <= 18:
		return parquet.Types.Int64
	}
	return parquet.Types.FixedLenByteArray
}
