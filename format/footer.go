package format

import (
	"math"

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
	if g.unique.unique() {
		metadata = append(metadata, [2]string{uniqueKey, "true"})
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
	case FieldInt, FieldDatetime:
		return parquet.Types.Int64
	case FieldFloat:
		return parquet.Types.Double
	case FieldBool:
		return parquet.Types.Boolean
	case FieldDate:
		return parquet.Types.Int32
	case FieldUUID:
		return parquet.Types.FixedLenByteArray
	case FieldDecimal:
		return decimalType(c.precision)
	}
	return parquet.Types.ByteArray
}

// column appends a SchemaElement. The column is optional, as all columns of the original. Integers,
// floats, booleans and bytes have no annotation.
func (f *thriftWriter) column(c *chunk) {
	f.open()
	f.int32(1, int(c.physical()))
	if c.physical() == parquet.Types.FixedLenByteArray {
		f.int32(2, fixedSize)
	}
	f.int32(3, int(parquet.Repetitions.Optional))
	f.text(4, c.name)
	if as, ok := convertedTypes[c.kind]; ok {
		f.int32(6, as)
	}
	if c.kind == FieldDecimal {
		f.int32(7, c.scale)
		f.int32(8, c.precision)
	}
	if c.id > 0 && c.id <= math.MaxInt32 {
		f.int32(9, int(c.id))
	}
	f.logicalType(c)
	f.end()
}

// convertedTypes are the values of Parquet's ConvertedType, which logical types replace.
var convertedTypes = map[FieldType]int{FieldStr: 0, FieldDecimal: 5, FieldDate: 6, FieldDatetime: 10, FieldJSON: 19}

// logicalType appends the logical type of a SchemaElement, if the column has one.
func (f *thriftWriter) logicalType(c *chunk) {
	const text, decimal, date, timestamp, document, uuid = 1, 5, 6, 8, 12, 14 // members of LogicalType
	const field = 10
	switch c.kind {
	case FieldStr:
		f.emptyUnion(field, text)
	case FieldDate:
		f.emptyUnion(field, date)
	case FieldJSON:
		f.emptyUnion(field, document)
	case FieldUUID:
		f.emptyUnion(field, uuid)
	case FieldDecimal:
		f.begin(field)
		f.begin(decimal)
		f.int32(1, c.scale)
		f.int32(2, c.precision)
		f.end()
		f.end()
	case FieldDatetime:
		const micros = 2 // a member of TimeUnit
		f.begin(field)
		f.begin(timestamp)
		f.yes(1) // isAdjustedToUTC
		f.emptyUnion(2, micros)
		f.end()
		f.end()
	}
}

// rowGroup appends a RowGroup.
func (f *thriftWriter) rowGroup(chunks []writtenChunk, rows int) {
	f.open()
	f.list(1, thriftStruct, len(chunks))
	size := int64(0)
	for i := range chunks {
		f.chunk(&chunks[i])
		size += chunks[i].encoded.pages.size
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
	if c.encoded.pages.usesDictionary {
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
	f.int64(5, c.encoded.pages.rows)
	f.int64(6, c.encoded.pages.size)
	f.int64(7, c.end-c.start)
	f.int64(9, c.data)
	if c.encoded.pages.usesDictionary {
		f.int64(11, c.start)
	}
	f.begin(12)
	f.int64(3, c.encoded.pages.nulls)
	if least, most, ok := c.encodedBounds(); ok {
		f.text(5, string(most))
		f.text(6, string(least))
		if c.exactBounds() { // DuckDB then answers min and max from the footer
			f.yes(7)
			f.yes(8)
		}
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
