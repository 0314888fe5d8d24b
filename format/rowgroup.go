package format

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/ontosql/ontosql"
)

// rowGroup collects rows column by column until they are written.
type rowGroup struct {
	ref      ontosql.TypeRef
	commits  []int64
	keys     [3][]parquet.ByteArray // entity_key, or left_key, right_key, instance_key
	versions []int64
	levels   []int16 // of versions
	json     []parquet.ByteArray
	bytes    int // of json
	typed    []*typedColumn
	byName   map[string]*typedColumn
}

func newRowGroup(t ontosql.TypeRef, fields []SchemaField) *rowGroup {
	g := &rowGroup{ref: t, typed: typedColumns(t.Kind, fields), byName: map[string]*typedColumn{}}
	for _, c := range g.typed {
		g.byName[c.name] = c
	}
	return g
}

func (g *rowGroup) len() int { return len(g.commits) }

func (g *rowGroup) full() bool { return g.len() >= groupRows || g.bytes >= groupBytes }

func (g *rowGroup) add(row Row) error {
	if err := extract(row.Fields, g.byName); err != nil {
		return err
	}
	g.commits = append(g.commits, int64(row.Commit))
	if g.ref.Kind == ontosql.Entity {
		g.keys[0] = append(g.keys[0], parquet.ByteArray(row.Key))
	} else {
		g.keys[0] = append(g.keys[0], parquet.ByteArray(row.Left))
		g.keys[1] = append(g.keys[1], parquet.ByteArray(row.Right))
		g.keys[2] = append(g.keys[2], parquet.ByteArray(row.Instance))
	}
	if row.SchemaVersionID == 0 {
		g.levels = append(g.levels, 0)
	} else {
		g.levels = append(g.levels, 1)
		g.versions = append(g.versions, row.SchemaVersionID)
	}
	g.json = append(g.json, row.Fields)
	g.bytes += len(row.Fields)
	return nil
}

func (g *rowGroup) reset() {
	g.commits, g.versions, g.levels = g.commits[:0], g.versions[:0], g.levels[:0]
	for i := range g.keys {
		g.keys[i] = g.keys[i][:0]
	}
	clear(g.json)
	g.json, g.bytes = g.json[:0], 0
	for _, c := range g.typed {
		c.reset()
	}
}

// outColumn is one column of a row group on its way into the file. levels nil
// means that no value is NULL.
type outColumn struct {
	name   string
	bloom  bool
	levels []int16
	rows   int
	strs   []parquet.ByteArray
	ints   []int64
	floats []float64
	bools  []bool
	kind   FieldType
}

// columns are the group's columns in the order of COMPAT 2.4.
func (g *rowGroup) columns() []outColumn {
	columns := make([]outColumn, 0, 7+len(g.typed))
	text := func(name string, values []parquet.ByteArray, bloom bool) {
		columns = append(columns, outColumn{name: name, kind: FieldStr, strs: values, bloom: bloom, rows: g.len()})
	}
	names := make([]parquet.ByteArray, g.len())
	for i := range names {
		names[i] = parquet.ByteArray(g.ref.Name)
	}
	columns = append(columns, outColumn{name: "commit_id", kind: FieldInt, ints: g.commits, rows: g.len()})
	if g.ref.Kind == ontosql.Entity {
		text("entity_type", names, false)
		text("entity_key", g.keys[0], true)
	} else {
		text("relation_type", names, false)
		text("left_key", g.keys[0], true)
		text("right_key", g.keys[1], true)
		text("instance_key", g.keys[2], false)
	}
	columns = append(columns, outColumn{name: "schema_version_id", kind: FieldInt, ints: g.versions, levels: g.levels, rows: g.len()})
	text("fields_json", g.json, false)
	for _, c := range g.typed {
		columns = append(columns, outColumn{
			name: c.name, kind: c.kind, levels: c.levels, rows: g.len(),
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
	levels := c.levels
	if levels == nil {
		levels = make([]int16, c.rows)
		for i := range levels {
			levels[i] = 1
		}
	}
	var err error
	switch chunk := chunk.(type) {
	case *file.ByteArrayColumnChunkWriter:
		_, err = chunk.WriteBatch(c.strs, levels, nil)
	case *file.Int64ColumnChunkWriter:
		_, err = chunk.WriteBatch(c.ints, levels, nil)
	case *file.Float64ColumnChunkWriter:
		_, err = chunk.WriteBatch(c.floats, levels, nil)
	case *file.BooleanColumnChunkWriter:
		_, err = chunk.WriteBatch(c.bools, levels, nil)
	default:
		err = fmt.Errorf("no such column writer %T", chunk)
	}
	return err
}
