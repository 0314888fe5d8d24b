package format

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// unfitKey is the key of the file metadata with a JSON array of the unreliable typed columns: a
// value was not of the column's type and is NULL there. Inspect reports such columns as
// KindOther.
const unfitKey = "ontosql_unfit_columns"

// notPlainKey is the key of the file metadata that is set if fields_json of some row is not
// PlainJSON. Files whose created_by begins with creator set it reliably.
const (
	notPlainKey = "ontosql_odd_json"
	creator     = "ontosql version "
)

// footer appends a FileMetaData. groups are the encoded row groups, count their number.
func (f *thriftWriter) footer(g *rowGroup, rows int64, count int, groups []byte) {
	f.open()
	f.int32(1, 2) // the version
	f.list(2, thriftStruct, 1+len(g.chunks))
	f.open()
	f.int32(3, int(parquet.Repetitions.Required))
	f.text(4, "schema")
	f.int32(5, len(g.chunks))
	f.end()
	for _, c := range g.chunks {
		f.column(c)
	}
	f.int64(3, rows)
	f.list(4, thriftStruct, count)
	f.out = append(f.out, groups...)
	var unfit []Value
	for _, c := range g.typed {
		if c.unfit {
			unfit = append(unfit, String(c.name))
		}
	}
	var metadata [][2]string
	if len(unfit) > 0 {
		metadata = append(metadata, [2]string{unfitKey, string(canonicalJSON(Array(unfit...)))})
	}
	if g.notPlain {
		metadata = append(metadata, [2]string{notPlainKey, "true"})
	}
	if len(metadata) > 0 {
		f.list(5, thriftStruct, len(metadata))
		for _, m := range metadata {
			f.open()
			f.text(1, m[0])
			f.text(2, m[1])
			f.end()
		}
	}
	f.text(6, creator+"1.0.0")
	f.list(7, thriftStruct, len(g.chunks)) // column_orders: TYPE_ORDER for each column
	for range g.chunks {
		f.open()
		f.begin(1)
		f.end()
		f.end()
	}
	f.end()
}

// physical returns the physical type of the column.
func (c *chunk) physical() parquet.Type {
	switch c.kind {
	case FieldInt:
		return parquet.Types.Int64
	case FieldFloat:
		return parquet.Types.Double
	case FieldBool:
		return parquet.Types.Boolean
	}
	return parquet.Types.ByteArray
}

// column appends a SchemaElement. The column is optional, as all columns of the original. Text has
// an annotation, numbers have none.
func (f *thriftWriter) column(c *chunk) {
	f.open()
	f.int32(1, int(c.physical()))
	f.int32(3, int(parquet.Repetitions.Optional))
	f.text(4, c.name)
	if c.kind == FieldStr {
		const utf8, text = 0, 1 // ConvertedType UTF8 and LogicalType STRING
		f.int32(6, utf8)
		f.emptyUnion(10, text)
	}
	f.end()
}

// rowGroup appends a RowGroup.
func (f *thriftWriter) rowGroup(chunks []writtenChunk, rows int) {
	f.open()
	f.list(1, thriftStruct, len(chunks))
	size := int64(0)
	for i := range chunks {
		f.chunk(&chunks[i])
		size += chunks[i].pages.size
	}
	f.int64(2, size)
	f.int64(3, int64(rows))
	f.int64(5, chunks[0].start)
	f.int64(6, chunks[len(chunks)-1].end-chunks[0].start)
	f.end()
}

// chunk appends a ColumnChunk.
func (f *thriftWriter) chunk(c *writtenChunk) {
	f.open()
	f.int64(2, c.start)
	f.begin(3)
	f.int32(1, int(c.physical()))
	encodings := []parquet.Encoding{parquet.Encodings.RLE}
	if c.pages.usesDictionary {
		encodings = append(encodings, parquet.Encodings.RLEDict)
	}
	encodings = append(encodings, parquet.Encodings.Plain) // also for the dictionary page
	f.list(2, thriftInt32, len(encodings))
	for _, e := range encodings {
		f.out = append(f.out, byte(e)<<1)
	}
	f.list(3, thriftBinary, 1)
	f.listText(c.name)
	codec := compress.Codecs.Snappy
	if c.uncompressed {
		codec = compress.Codecs.Uncompressed
	}
	f.int32(4, int(codec))
	f.int64(5, c.pages.rows)
	f.int64(6, c.pages.size)
	f.int64(7, c.end-c.start)
	f.int64(9, c.data)
	if c.pages.usesDictionary {
		f.int64(11, c.start)
	}
	f.begin(12)
	f.int64(3, c.pages.nulls)
	if least, most, ok := c.encodedBounds(); ok {
		f.text(5, string(most))
		f.text(6, string(least))
	}
	f.end()
	if c.filter > 0 {
		f.int64(14, c.filter)
		f.int32(15, int(c.filterEnd-c.filter))
	}
	f.end()
	f.end()
}

// filterHeader appends a BloomFilterHeader: split blocks, xxHash, not compressed.
func (f *thriftWriter) filterHeader(size int) {
	f.open()
	f.int32(1, size)
	f.emptyUnion(2, 1)
	f.emptyUnion(3, 1)
	f.emptyUnion(4, 1)
	f.end()
}
