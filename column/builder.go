package column

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Builder makes a batch row by row, for the small relations that the program
// computes itself.
type Builder struct {
	cols  []Named
	batch Batch
	null  [][]bool
}

// NewBuilder makes a builder of rows with the given columns.
func NewBuilder(cols []Named) *Builder {
	b := &Builder{cols: cols, batch: Batch{Cols: make([]Vector, len(cols))}, null: make([][]bool, len(cols))}
	for i, c := range cols {
		b.batch.Cols[i].Type = c.Type
		if c.Type.Kind == List {
			b.batch.Cols[i].Child = &Vector{Type: *c.Type.Elem}
		}
	}
	return b
}

// Append adds a row: one value for each column, nil for NULL. A value has the
// Go type of its kind: bool, int (any integer kind), float64, string (Text,
// JSON, Bytes), time.Time (TimestampTZ), []string or []int (List). Anything else
// is a mistake of the program and panics.
func (b *Builder) Append(values ...any) {
	if len(values) != len(b.cols) {
		panic(fmt.Sprintf("column: row of %d values for %d columns", len(values), len(b.cols)))
	}
	for i, v := range values {
		b.null[i] = append(b.null[i], isNil(v))
		appendValue(&b.batch.Cols[i], b.cols[i].Name, v)
	}
	b.batch.Len++
}

func isNil(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case *time.Time:
		return v == nil
	case []string:
		return v == nil
	}
	return false
}

func appendValue(c *Vector, name string, v any) {
	null := isNil(v)
	switch c.Type.Kind {
	case Null:
	case Bool:
		x, ok := v.(bool)
		must(ok || null, name, v)
		c.Bool = append(c.Bool, x)
	case Int16:
		c.I16 = append(c.I16, int16(integerOf(name, v)))
	case Int32:
		c.I32 = append(c.I32, int32(integerOf(name, v)))
	case Uint32:
		c.U32 = append(c.U32, uint32(integerOf(name, v)))
	case Int64:
		c.I64 = append(c.I64, integerOf(name, v))
	case Float32:
		x, ok := v.(float64)
		must(ok || null, name, v)
		c.F32 = append(c.F32, float32(x))
	case Float64:
		x, ok := v.(float64)
		must(ok || null, name, v)
		c.F64 = append(c.F64, x)
	case Text, JSON, Bytes:
		x, ok := v.(string)
		must(ok || null, name, v)
		c.Str = append(c.Str, []byte(x))
	case UUID:
		x, ok := v.([16]byte)
		must(ok || null, name, v)
		c.I128 = append(c.I128, Int128{Hi: int64(binary.BigEndian.Uint64(x[:8])), Lo: binary.BigEndian.Uint64(x[8:])})
	case TimestampTZ:
		x, ok := v.(time.Time)
		must(ok || null, name, v)
		if null {
			c.I64 = append(c.I64, 0)
		} else {
			c.I64 = append(c.I64, x.UnixMicro())
		}
	case List:
		appendList(c, name, v)
	default:
		panic(fmt.Sprintf("column: builder has no %s (column %q)", c.Type, name))
	}
}

func appendList(c *Vector, name string, v any) {
	span := Span{Offset: listEnd(c)}
	switch list := v.(type) {
	case nil:
	case []string:
		span.Length = uint64(len(list))
		for _, x := range list {
			appendValue(c.Child, name, x)
		}
	case []int:
		span.Length = uint64(len(list))
		for _, x := range list {
			appendValue(c.Child, name, x)
		}
	default:
		must(false, name, v)
	}
	c.Lists = append(c.Lists, span)
}

func listEnd(c *Vector) uint64 {
	if len(c.Lists) == 0 {
		return 0
	}
	last := c.Lists[len(c.Lists)-1]
	return last.Offset + last.Length
}

func integerOf(name string, v any) int64 {
	switch x := v.(type) {
	case nil:
		return 0
	case int:
		return int64(x)
	case int16:
		return int64(x)
	case int32:
		return int64(x)
	case uint32:
		return int64(x)
	case int64:
		return x
	}
	must(false, name, v)
	return 0
}

func must(ok bool, name string, v any) {
	if !ok {
		panic(fmt.Sprintf("column: %T for column %q", v, name))
	}
}

// Batch returns the rows so far. The builder is not used afterwards.
func (b *Builder) Batch() *Batch {
	for i := range b.batch.Cols {
		for row, null := range b.null[i] {
			if null {
				b.batch.Cols[i].SetNull(row, b.batch.Len)
			}
		}
	}
	return &b.batch
}
