package maintain_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ontosql/ontosql/format"
)

// column is one column of a data file.
type column struct {
	name   string
	kind   format.ColumnKind
	values []format.Value
}

// table is a data file that can be changed in ways that our writer does not allow.
type table struct {
	columns   []column
	createdBy string // the writer that the footer names, "" for arrow-go
}

// addNative says that ontosql has written the file, and adds a native column of documents for a field
// behind the field's own column.
func (t *table) addNative(field string, documents ...format.Value) {
	t.createdBy = "ontosql version 1.0.0"
	at := slices.IndexFunc(t.columns, func(c column) bool { return c.name == field })
	values := make([]format.Value, len(t.columns[at].values))
	for i, v := range t.columns[at].values {
		values[i] = format.String(string(v.Append(nil, format.Canonical)))
	}
	copy(values, documents)
	t.columns = slices.Insert(t.columns, at+1, column{format.NativeColumn(field, format.KindJSON), format.KindJSON, values})
}

func (t *table) of(name string) *column {
	i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
	return &t.columns[i]
}

// text replaces a text in the first value of a text column.
func (t *table) text(name, old, new string) {
	v := &t.of(name).values[0]
	if !strings.Contains(v.Text(), old) {
		panic(v.Text() + " has no " + old)
	}
	*v = format.String(strings.Replace(v.Text(), old, new, 1))
}

// encode writes the table as one row group.
func (t *table) encode(test *testing.T) []byte {
	test.Helper()
	var nodes schema.FieldList
	for _, c := range t.columns {
		logical, physical := schema.LogicalType(schema.NoLogicalType{}), parquet.Types.ByteArray
		switch c.kind {
		case format.KindString:
			logical = schema.StringLogicalType{}
		case format.KindJSON:
			logical = schema.JSONLogicalType{}
		case format.KindInt64:
			physical = parquet.Types.Int64
		case format.KindDouble:
			physical = parquet.Types.Double
		case format.KindBool:
			physical = parquet.Types.Boolean
		case format.KindNull:
			logical, physical = schema.NullLogicalType{}, parquet.Types.Int32
		}
		node, err := schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Optional, logical, physical, -1, -1)
		must(test, err)
		nodes = append(nodes, node)
	}
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	must(test, err)
	var out bytes.Buffer
	var properties []parquet.WriterProperty
	if t.createdBy != "" {
		properties = append(properties, parquet.WithCreatedBy(t.createdBy))
	}
	w, err := file.NewParquetWriterWithError(&out, root, file.WithWriterProps(parquet.NewWriterProperties(properties...)))
	must(test, err)
	group, err := w.AppendRowGroupChecked()
	must(test, err)
	for _, c := range t.columns {
		chunk, err := group.NextColumn()
		must(test, err)
		must(test, c.write(chunk))
		must(test, chunk.Close())
	}
	must(test, group.Close())
	must(test, w.Close())
	return out.Bytes()
}

// write writes the values of a column, NULL for null.
func (c column) write(chunk file.ColumnChunkWriter) error {
	levels := make([]int16, len(c.values))
	var strs []parquet.ByteArray
	var ints []int64
	var floats []float64
	var bools []bool
	for i, v := range c.values {
		if v.IsNull() {
			continue
		}
		levels[i] = 1
		n, _ := v.Int64()
		strs, ints, floats, bools = append(strs, parquet.ByteArray(v.Text())), append(ints, n), append(floats, v.Float()), append(bools, v.Bool())
	}
	var err error
	switch chunk := chunk.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = chunk.WriteBatch(strs, levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = chunk.WriteBatch(ints, levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = chunk.WriteBatch(floats, levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = chunk.WriteBatch(bools, levels, nil)
	case *file.Int32ColumnChunkWriter:
		_, err = chunk.WriteBatch(nil, levels, nil)
	}
	return err
}
