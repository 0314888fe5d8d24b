package gateway

import (
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/textvalue"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
	"github.com/ontosql/ontosql/rewrite"
	"github.com/ontosql/ontosql/wire"
)

// copyBatch makes batches of a type's columns of the rows of a COPY. What the
// data does not have is NULL.
type copyBatch struct {
	column.Batch
	fields []copyField
	times  pgfunc.TimeInput
	spare  []byte // bytes of values that are spelled otherwise in the data
}

// copyField is a field of the data.
type copyField struct {
	column int // of the type
	oid    uint32
	read   textvalue.Reader
	misfit *pgerr.Error // of a value beyond the declared length or precision, nil without one
	valid  []uint64
}

// newCopyBatch makes batches of the type of which the data has some columns.
func newCopyBatch(typ *catalog.Type, fields []int, zone *time.Location, times pgfunc.TimeInput) *copyBatch {
	b := &copyBatch{times: times, Batch: column.Batch{Cols: make([]column.Vector, len(typ.Columns))}}
	for k := range typ.Columns {
		b.Cols[k].Type.Kind = column.Null
	}
	for _, k := range fields {
		t := typ.Columns[k].Type
		b.Cols[k].Type = t
		f := copyField{column: k, oid: pgcatalog.TypeOID(t), read: textvalue.New(t, zone)}
		f.declare(&typ.Columns[k])
		b.fields = append(b.fields, f)
	}
	return b
}

// fill takes in rows up to the first that is no row: with a value that is none of
// its type, which failed says, or with fields missing.
func (b *copyBatch) fill(rows *wire.CopyRows) (whole int, failed error) {
	b.reserve(rows.Len)
	for i := range rows.Len {
		row := rows.Row(i)
		for n, text := range row {
			if err := b.set(n, i, text); err != nil {
				return i, rows.InValue(err, i, n)
			}
		}
		if len(row) < len(b.fields) {
			return i, nil
		}
	}
	return rows.Len, nil
}

// reserve makes room for n rows without a NULL.
func (b *copyBatch) reserve(n int) {
	b.Len, b.spare = n, b.spare[:0]
	for f := range b.fields {
		field := &b.fields[f]
		v := &b.Cols[field.column]
		if words := (n + 63) / 64; len(field.valid) < words {
			field.valid = make([]uint64, words)
			textvalue.Allocate(v, n)
		}
		v.Valid = nil
	}
}

// set reads field n of row i.
func (b *copyBatch) set(n, i int, text []byte) error {
	f := &b.fields[n]
	v := &b.Cols[f.column]
	if text == nil {
		if v.Valid == nil {
			v.Valid = f.valid
			for w := range v.Valid {
				v.Valid[w] = ^uint64(0)
			}
		}
		v.Valid[i>>6] &^= 1 << (i & 63)
		return nil
	}
	if f.read(&b.spare, v, i, text) {
		return nil
	}
	return b.setUnusual(f, v, i, text)
}

// setUnusual reads a value that is spelled unusually, or none: rewrite knows all
// the spellings of PostgreSQL, and writes the value in the usual one.
func (b *copyBatch) setUnusual(f *copyField, v *column.Vector, i int, text []byte) error {
	usual, err := rewrite.Argument(f.oid, text, b.times)
	var e *pgerr.Error
	switch {
	case err == nil && f.read(&b.spare, v, i, usual):
		return nil
	case f.misfit != nil && (err == nil || errors.As(err, &e) && e.Code == pgerr.NumericValueOutOfRange):
		return f.misfit
	case err != nil:
		return err
	}
	switch v.Type.Kind {
	case column.Date:
		v.I32[i] = column.DateInfinity // beyond what can be stored, which the imager says
	case column.TimestampTZ:
		v.I64[i] = column.TimestampInfinity
	case column.JSON:
		v.Str[i] = usual
	case column.Numeric:
		return pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type numeric", text)
	default:
		return fmt.Errorf("a value of type %s has no usual spelling", v.Type)
	}
	return nil
}
