package format

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// columnReader reads one column of one row group in batches. Of the slices of values, it has the one
// of the column's physical type.
type columnReader struct {
	name     string
	kind     ColumnKind
	chunk    file.ColumnChunkReader
	levels   []int16
	required bool // the column cannot be NULL and has no definition levels

	strs   []parquet.ByteArray
	fixed  []parquet.FixedLenByteArray
	ints   []int64
	small  []int32
	floats []float64
	bools  []bool
	texts  [][]byte
}

// column opens a column of a row group. A column of KindOther is an error.
func (p *parquetFile) column(group int, name string) (*columnReader, error) {
	c := &columnReader{name: name, kind: p.kindOfColumn(name)}
	if c.kind == KindNull {
		return c, nil
	}
	chunk, err := p.reader.RowGroup(group).Column(p.leafIndex[name])
	if err != nil {
		return nil, damaged("column %s: %v", name, err)
	}
	c.chunk, c.required = chunk, chunk.Descriptor().MaxDefinitionLevel() == 0
	rows := max(0, min(p.reader.MetaData().RowGroup(group).NumRows(), columnBatchRows)) // most files have few
	c.levels = make([]int16, rows)
	if c.kind == KindOther {
		return nil, damaged("column %s has a type that keys cannot have", name)
	}
	switch chunk.(type) {
	case *file.ByteArrayColumnChunkReader:
		c.strs = make([]parquet.ByteArray, rows)
	case *file.FixedLenByteArrayColumnChunkReader:
		c.fixed = make([]parquet.FixedLenByteArray, rows)
	case *file.Int64ColumnChunkReader:
		c.ints = make([]int64, rows)
	case *file.Int32ColumnChunkReader:
		c.small = make([]int32, rows)
	case *file.Float64ColumnChunkReader:
		c.floats = make([]float64, rows)
	case *file.BooleanColumnChunkReader:
		c.bools = make([]bool, rows)
	}
	return c, nil
}

// read reads the next n rows, at most columnBatchRows, and returns the number of values that are
// not NULL.
func (c *columnReader) read(n int) (values int, err error) {
	if c.kind == KindNull {
		return 0, nil
	}
	var total int64
	switch chunk := c.chunk.(type) {
	case *file.ByteArrayColumnChunkReader:
		total, values, err = chunk.ReadBatch(int64(n), c.strs, c.levels, nil)
	case *file.FixedLenByteArrayColumnChunkReader:
		total, values, err = chunk.ReadBatch(int64(n), c.fixed, c.levels, nil)
	case *file.Int64ColumnChunkReader:
		total, values, err = chunk.ReadBatch(int64(n), c.ints, c.levels, nil)
	case *file.Int32ColumnChunkReader:
		total, values, err = chunk.ReadBatch(int64(n), c.small, c.levels, nil)
	case *file.Float64ColumnChunkReader:
		total, values, err = chunk.ReadBatch(int64(n), c.floats, c.levels, nil)
	case *file.BooleanColumnChunkReader:
		total, values, err = chunk.ReadBatch(int64(n), c.bools, c.levels, nil)
	default:
		err = fmt.Errorf("no such column reader %T", chunk)
	}
	if err != nil {
		return 0, damaged("column %s: %v", c.name, err)
	}
	if total != int64(n) {
		return 0, damaged("column %s ends early", c.name)
	}
	return values, nil
}

// null reports whether value i of the batch is NULL.
func (c *columnReader) null(i int) bool {
	return c.kind == KindNull || !c.required && c.levels[i] == 0
}

// keys reads the next n values of an identity column as texts, as a cast to VARCHAR and Python's
// str return them (decision A18). A NULL is ErrDamagedFile. The texts are valid until the next
// call.
func (c *columnReader) keys(n int) ([][]byte, error) {
	values, err := c.read(n)
	if err != nil {
		return nil, err
	}
	if values != n {
		return nil, damaged("column %s has a NULL", c.name)
	}
	if c.texts == nil {
		c.texts = make([][]byte, len(c.levels))
	}
	for i := range n {
		switch c.kind {
		case KindString:
			c.texts[i] = c.strs[i]
		case KindInt64:
			c.texts[i] = strconv.AppendInt(c.texts[i][:0], c.ints[i], 10)
		case KindDouble:
			c.texts[i] = append(c.texts[i][:0], floatText(c.floats[i])...)
		case KindBool:
			text, _ := KeyText(Bool(c.bools[i]))
			c.texts[i] = append(c.texts[i][:0], text...)
		}
	}
	return c.texts[:n], nil
}

// numbers reads the next n values of an integer column. NULL is 0 if nullable is true, and
// ErrDamagedFile otherwise.
func (c *columnReader) numbers(n int, nullable bool) ([]int64, error) {
	if c.kind != KindInt64 && (c.kind != KindNull || !nullable) {
		return nil, damaged("column %s is not of integers", c.name)
	}
	values, err := c.read(n)
	if err != nil {
		return nil, err
	}
	if values == n {
		return c.ints[:n], nil
	}
	if !nullable {
		return nil, damaged("column %s has a NULL", c.name)
	}
	spread := make([]int64, n)
	next := 0
	for i := range spread {
		if !c.null(i) {
			spread[i] = c.ints[next]
			next++
		}
	}
	return spread, nil
}
