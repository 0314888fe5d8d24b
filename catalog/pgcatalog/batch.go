package pgcatalog

import (
	"fmt"

	"github.com/ontosql/ontosql/column"
)

// Row is a row of a relation by column name. Values are bool, int16, int32,
// int64, uint32, float32, float64, string (Bytes too), int64 microseconds for a
// timestamp, []any for a list. A column left out is NULL, or the zero value
// where PostgreSQL says NOT NULL: drivers scan those into plain types.
type Row map[string]any

// Batch makes a batch of rows of the relation. The error names a column that
// the relation has not, or that cannot hold its value.
func (r *Relation) Batch(rows []Row) (*column.Batch, error) {
	flat := make([][]any, len(rows))
	for i, row := range rows {
		var err error
		if flat[i], err = r.flatten(row); err != nil {
			return nil, err
		}
	}
	return r.batch(flat)
}

// flatten puts a row's values in the order of the columns.
func (r *Relation) flatten(row Row) ([]any, error) {
	flat := make([]any, len(r.Columns))
	for name, v := range row {
		i, ok := r.index[name]
		if !ok {
			return nil, fmt.Errorf("relation %s has no column %q", r.Name, name)
		}
		flat[i] = v
	}
	for i, v := range flat {
		if v == nil && r.attrs[i].notNull {
			flat[i] = zero(r.Columns[i].Type)
		}
	}
	return flat, nil
}

func zero(t column.Type) any {
	switch t.Kind {
	case column.Bool:
		return false
	case column.Int16:
		return int16(0)
	case column.Int32:
		return int32(0)
	case column.Int64, column.TimestampTZ:
		return int64(0)
	case column.Uint32:
		return uint32(0)
	case column.Float32:
		return float32(0)
	case column.Float64:
		return float64(0)
	case column.List:
		return []any{}
	}
	return ""
}

func (r *Relation) batch(rows [][]any) (*column.Batch, error) {
	b := &column.Batch{Len: len(rows), Cols: make([]column.Vector, len(r.Columns))}
	for c, named := range r.Columns {
		values := make([]any, len(rows))
		for i, row := range rows {
			values[i] = row[c]
		}
		v, err := vector(named.Type, values)
		if err != nil {
			return nil, fmt.Errorf("column %s.%s: %w", r.Name, named.Name, err)
		}
		b.Cols[c] = v
	}
	return b, nil
}

func vector(t column.Type, values []any) (column.Vector, error) {
	v := column.Vector{Type: t}
	for i, value := range values {
		if value == nil {
			v.SetNull(i, len(values))
		}
	}
	ok := true
	switch t.Kind {
	case column.Bool:
		v.Bool, ok = slice[bool](values)
	case column.Int16:
		v.I16, ok = slice[int16](values)
	case column.Int32:
		v.I32, ok = slice[int32](values)
	case column.Int64, column.TimestampTZ:
		v.I64, ok = slice[int64](values)
	case column.Uint32:
		v.U32, ok = slice[uint32](values)
	case column.Float32:
		v.F32, ok = slice[float32](values)
	case column.Float64:
		v.F64, ok = slice[float64](values)
	case column.Text, column.Bytes:
		var texts []string
		texts, ok = slice[string](values)
		v.Str = make([][]byte, len(texts))
		for i, s := range texts {
			v.Str[i] = []byte(s)
		}
	case column.Numeric:
		v.I128, ok = slice[column.Int128](values)
	case column.Interval:
		v.Interval, ok = slice[column.MonthsDaysMicros](values)
	case column.List:
		return listVector(v, values)
	}
	if !ok {
		return v, fmt.Errorf("a value is no %s", t)
	}
	return v, nil
}

func slice[T any](values []any) ([]T, bool) {
	out := make([]T, len(values))
	for i, value := range values {
		if value == nil {
			continue
		}
		var ok bool
		if out[i], ok = value.(T); !ok {
			return nil, false
		}
	}
	return out, true
}

func listVector(v column.Vector, values []any) (column.Vector, error) {
	var elements []any
	lists, ok := slice[[]any](values)
	if !ok {
		return v, fmt.Errorf("a value is no %s", v.Type)
	}
	for _, list := range lists {
		v.Lists = append(v.Lists, column.Span{Offset: uint64(len(elements)), Length: uint64(len(list))})
		elements = append(elements, list...)
	}
	child, err := vector(*v.Type.Elem, elements)
	if err != nil {
		return v, err
	}
	v.Child = &child
	return v, nil
}
