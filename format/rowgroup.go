package format

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ontosql/ontosql"
)

// commitColumn is the column of the commit's id.
const commitColumn = "commit_id"

// rowGroup collects rows column by column until they are written.
type rowGroup struct {
	ref      ontosql.TypeRef
	commits  []int64
	keys     [3][]parquet.ByteArray // entity_key, or left_key, right_key, instance_key
	versions []int64
	levels   []int16 // of versions
	json     []parquet.ByteArray
	bytes    int                 // of keys and json
	typed    []*typedColumn      // in the order of their names
	names    []parquet.ByteArray // the type's name for each row, as many as were needed yet
	present  []int16             // as many levels that say so
	texts    arena               // of the rows
	reading  fieldsReader
}

func newRowGroup(t ontosql.TypeRef, fields []SchemaField) *rowGroup {
	g := &rowGroup{ref: t, typed: typedColumns(t.Kind, fields)}
	g.reading = fieldsReader{columns: g.typed, texts: &g.texts}
	return g
}

func (g *rowGroup) len() int { return len(g.commits) }

func (g *rowGroup) full() bool { return g.len() >= groupRows || g.bytes >= groupBytes }

// add takes in a row and keeps nothing of it.
func (g *rowGroup) add(row *Row) error {
	fields := keep(&g.texts, row.Fields)
	if err := g.reading.read(fields); err != nil {
		return err
	}
	g.commits = append(g.commits, int64(row.Commit))
	if g.ref.Kind == ontosql.Entity {
		g.keys[0] = append(g.keys[0], keep(&g.texts, row.Key))
	} else {
		g.keys[0] = append(g.keys[0], keep(&g.texts, row.Left))
		g.keys[1] = append(g.keys[1], keep(&g.texts, row.Right))
		g.keys[2] = append(g.keys[2], keep(&g.texts, row.Instance))
	}
	if row.SchemaVersionID == 0 {
		g.levels = append(g.levels, 0)
	} else {
		g.levels = append(g.levels, 1)
		g.versions = append(g.versions, row.SchemaVersionID)
	}
	g.json = append(g.json, fields)
	g.bytes += len(fields) + len(row.Key) + len(row.Left) + len(row.Right) + len(row.Instance)
	return nil
}

func (g *rowGroup) reset() {
	g.commits, g.versions, g.levels = g.commits[:0], g.versions[:0], g.levels[:0]
	for i := range g.keys {
		g.keys[i] = g.keys[i][:0]
	}
	clear(g.json) // a large text has memory of its own
	g.json, g.bytes = g.json[:0], 0
	g.texts.empty()
	for _, c := range g.typed {
		c.reset()
	}
}

// outColumn is one column of a row group on its way into the file.
type outColumn struct {
	name   string
	bloom  bool
	levels []int16 // 0 NULL, 1 a value; one for each row
	// constant says that all values of strs are the same one.
	constant bool
	strs     []parquet.ByteArray
	ints     []int64
	floats   []float64
	bools    []bool
	kind     FieldType
}

// columns are the group's columns in the order of COMPAT 2.4.
func (g *rowGroup) columns() []outColumn {
	columns := make([]outColumn, 0, 7+len(g.typed))
	text := func(name string, values []parquet.ByteArray, bloom bool) {
		columns = append(columns, outColumn{name: name, kind: FieldStr, strs: values, bloom: bloom, levels: g.present[:g.len()]})
	}
	constant := func(name string) {
		columns = append(columns, outColumn{name: name, kind: FieldStr, strs: g.names[:g.len()], constant: true, levels: g.present[:g.len()]})
	}
	typeName := parquet.ByteArray(g.ref.Name)
	for len(g.names) < g.len() {
		g.names, g.present = append(g.names, typeName), append(g.present, 1)
	}
	columns = append(columns, outColumn{name: commitColumn, kind: FieldInt, ints: g.commits, levels: g.present[:g.len()]})
	if g.ref.Kind == ontosql.Entity {
		constant("entity_type")
		text("entity_key", g.keys[0], true)
	} else {
		constant("relation_type")
		text("left_key", g.keys[0], true)
		text("right_key", g.keys[1], true)
		text("instance_key", g.keys[2], false)
	}
	columns = append(columns, outColumn{name: "schema_version_id", kind: FieldInt, ints: g.versions, levels: g.levels})
	text("fields_json", g.json, false)
	for _, c := range g.typed {
		columns = append(columns, outColumn{
			name: c.name, kind: c.kind, levels: c.levels,
			strs: c.strs, ints: c.ints, floats: c.floats, bools: c.bools,
		})
	}
	return columns
}

// node is the column in the file's schema: optional like all of the
// original's, text marked as such, numbers without annotation.
func (c outColumn) node() (schema.Node, error) {
	logical, physical := schema.LogicalType(schema.NoLogicalType{}), parquet.Types.ByteArray
	switch c.kind {
	case FieldStr:
		logical = schema.StringLogicalType{}
	case FieldInt:
		physical = parquet.Types.Int64
	case FieldFloat:
		physical = parquet.Types.Double
	case FieldBool:
		physical = parquet.Types.Boolean
	}
	return schema.NewPrimitiveNodeLogical(c.name, parquet.Repetitions.Optional, logical, physical, -1, -1)
}

// repeats reports whether a dictionary would make the column smaller, by the
// look of its first values.
func (c outColumn) repeats() bool {
	const sample, few = 1024, 64
	switch {
	case c.name == "fields_json" || len(c.strs)+len(c.ints) < few:
		return false
	case c.kind == FieldStr:
		return distinct(c.strs[:min(len(c.strs), sample)], func(b parquet.ByteArray) string { return string(b) })
	case c.kind == FieldInt:
		return distinct(c.ints[:min(len(c.ints), sample)], func(n int64) int64 { return n })
	}
	return false
}

// distinct reports whether at most one value in eight is a new one.
func distinct[V any, K comparable](values []V, key func(V) K) bool {
	seen := map[K]struct{}{}
	for _, v := range values {
		seen[key(v)] = struct{}{}
	}
	return len(seen)*8 <= len(values)
}

// write puts the values into the column chunk of the file.
func (c outColumn) write(chunk file.ColumnChunkWriter) error {
	var err error
	switch chunk := chunk.(type) {
	case *file.ByteArrayColumnChunkWriter:
		if encoder, ok := chunk.CurrentEncoder().(dictionaryEncoder); ok && c.constant && len(c.strs) > 0 {
			return c.writeConstant(chunk, encoder)
		}
		_, err = chunk.WriteBatch(c.strs, c.levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = chunk.WriteBatch(c.ints, c.levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = chunk.WriteBatch(c.floats, c.levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = chunk.WriteBatch(c.bools, c.levels, nil)
	default:
		err = fmt.Errorf("no such column writer %T", chunk)
	}
	return err
}

// dictionaryEncoder is the encoder of a column chunk that has a dictionary.
type dictionaryEncoder interface{ PutDictionary(arrow.Array) error }

// writeConstant writes what WriteBatch would, without looking each value up in
// the dictionary.
func (c outColumn) writeConstant(chunk *file.ByteArrayColumnChunkWriter, encoder dictionaryEncoder) error {
	one := array.NewBinaryBuilder(memory.DefaultAllocator, arrow.BinaryTypes.Binary)
	one.Append(c.strs[0])
	if err := encoder.PutDictionary(one.NewArray()); err != nil {
		return err
	}
	if s, ok := chunk.PageStatistics().(*metadata.ByteArrayStatistics); ok {
		s.Update(c.strs[:1], 0)
		s.IncNumValues(int64(len(c.strs) - 1))
	}
	zeros := []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, len(c.strs)))}
	return chunk.WriteDictIndices(array.NewInt8Data(array.NewData(arrow.PrimitiveTypes.Int8, len(c.strs), zeros, nil, 0, 0)), c.levels, nil)
}
