package copydata

import (
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/gateway/textvalue"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/wire"
)

// Batch holds rows of a COPY as a batch of the columns of a type. Columns that the data
// does not have are NULL.
type Batch struct {
	column.Batch
	fields []field
	times  datetime.TimeInput
	spare  []byte // bytes of values whose text form differs, such as bytea
}

// field is a field of the data.
type field struct {
	column  int // of the type
	oid     uint32
	read    textvalue.Reader
	tooLong *pgerr.Error // the error of a value beyond the declared length or precision, nil for none
	valid   []uint64
}

// NewBatch makes a batch for a type. fields are the columns that the data has, in its order. zone
// and times say how timestamps are read.
func NewBatch(typ *catalog.Type, fields []int, zone *time.Location, times datetime.TimeInput) *Batch {
	b := &Batch{times: times, Batch: column.Batch{Cols: make([]column.Vector, len(typ.Columns))}}
	for k := range typ.Columns {
		b.Cols[k].Type.Kind = column.Null
	}
	for _, k := range fields {
		t := typ.Columns[k].Type
		b.Cols[k].Type = t
		f := field{column: k, oid: pgcatalog.TypeOID(t), read: textvalue.New(t, zone)}
		f.declare(&typ.Columns[k])
		b.fields = append(b.fields, f)
	}
	return b
}

// Fill reads rows up to the first bad one, and returns how many it read. failed is the error
// of a bad value; it is nil if the bad row has too few fields.
func (b *Batch) Fill(rows *wire.CopyRows) (whole int, failed error) {
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

// reserve allocates n rows without NULLs.
func (b *Batch) reserve(n int) {
	b.Len, b.spare = n, b.spare[:0]
	for f := range b.fields {
		field := &b.fields[f]
		v := &b.Cols[field.column]
		if words := (n + 63) / 64; len(field.valid) < words {
			field.valid = make([]uint64, words)
			textvalue.Allocate(v, 64*words)
		}
		v.Valid = nil
	}
}

// set reads field n of row i.
func (b *Batch) set(n, i int, text []byte) error {
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

// setUnusual reads a value that its reader does not read. input.Argument knows all of
// PostgreSQL's spellings and converts them to the usual one.
func (b *Batch) setUnusual(f *field, v *column.Vector, i int, text []byte) error {
	usual, err := input.Argument(f.oid, text, b.times)
	var e *pgerr.Error
	switch {
	case err == nil && f.read(&b.spare, v, i, usual):
		return nil
	case f.tooLong != nil && (err == nil || errors.As(err, &e) && e.Code == pgerr.NumericValueOutOfRange):
		return f.tooLong
	case err != nil:
		return err
	}
	switch v.Type.Kind {
	case column.Date:
		v.I32[i] = column.DateInfinity // rowjson returns the error: it cannot be stored
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
