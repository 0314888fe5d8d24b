package format

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// chunk is a column chunk of a row group that is being written. Values are appended in Parquet's
// plain encoding and written to pages. A page whose values are all equal stores the value once,
// so that such a column costs little for each row.
type chunk struct {
	name     string
	kind     FieldType
	id       int64  // the column's id in the Parquet schema, 0 for none
	plain    []byte // the values of the current page; a bool is one byte
	count    int    // non-NULL values of the current page
	nulls    int    // NULLs of the current page
	valid    []byte // one bit for each row of the page, 0 is NULL; unused if nulls is 0
	constant bool   // plain has one value, which the page has count times

	precision, scale int // of a FieldDecimal

	noStatistics bool            // no bounds and no dictionary
	uncompressed bool            // pages are not compressed
	hasher       metadata.Hasher // nil for a column without a bloom filter

	pages  pages
	dict   dictionary
	bounds bounds
	hashes []uint64 // hashes of the values, for the bloom filter
}

func (c *chunk) addNull() {
	if c.nulls == 0 {
		c.valid = c.valid[:0]
		for range c.count / 8 {
			c.valid = append(c.valid, 0xFF)
		}
		if rest := c.count % 8; rest > 0 {
			c.valid = append(c.valid, 1<<rest-1)
		}
	}
	c.setValid(0)
	c.nulls++
}

// setValid appends the validity bit of the next row to a page that has NULLs: 0 for NULL.
func (c *chunk) setValid(bit byte) {
	row := c.count + c.nulls
	if row%8 == 0 {
		c.valid = append(c.valid, 0)
	}
	c.valid[row/8] |= bit << (row % 8)
}

func (c *chunk) addInt(n int64) {
	start := len(c.plain)
	c.plain = binary.LittleEndian.AppendUint64(c.plain, uint64(n))
	c.countValue(start)
}

func (c *chunk) addInt32(n int32) {
	start := len(c.plain)
	c.plain = binary.LittleEndian.AppendUint32(c.plain, uint32(n))
	c.countValue(start)
}

// addFixed appends a value of fixedSize bytes.
func (c *chunk) addFixed(value [fixedSize]byte) {
	start := len(c.plain)
	c.plain = append(c.plain, value[:]...)
	c.countValue(start)
}

func (c *chunk) addFloat(f float64) { c.addInt(int64(math.Float64bits(f))) }

func (c *chunk) addBool(b bool) {
	start := len(c.plain)
	c.plain = append(c.plain, 0)
	if b {
		c.plain[start] = 1
	}
	c.countValue(start)
}

func addText[T string | []byte](c *chunk, text T) {
	start := len(c.plain)
	c.plain = append(binary.LittleEndian.AppendUint32(c.plain, uint32(len(text))), text...)
	c.countValue(start)
}

// countValue counts the value that was appended to plain at start.
func (c *chunk) countValue(start int) {
	if c.nulls > 0 {
		c.setValid(1)
	}
	if value := c.plain[start:]; c.count == 0 {
		c.constant = true
	} else if c.constant {
		if c.constant = bytes.Equal(value, c.plain[:start]); c.constant {
			c.plain = c.plain[:start]
		} else if c.count > 1 {
			value = bytes.Clone(value)
			c.plain = append(c.expand(c.plain[:start]), value...)
		}
	}
	c.count++
}

// expand repeats the value of a constant page count times.
func (c *chunk) expand(value []byte) []byte {
	all := value
	for range c.count - 1 {
		all = append(all, value...)
	}
	return all
}

// full reports whether the current page is large enough.
func (c *chunk) full() bool {
	const most = 1 << 20
	if c.constant {
		return len(c.plain)*c.count >= most
	}
	return len(c.plain) >= most
}

// sizeOf returns the size in bytes of the first value of plain.
func (c *chunk) sizeOf(plain []byte) int {
	switch c.physical() {
	case parquet.Types.ByteArray:
		return lengthPrefix + int(binary.LittleEndian.Uint32(plain))
	case parquet.Types.FixedLenByteArray:
		return fixedSize
	case parquet.Types.Int32:
		return 4
	case parquet.Types.Boolean:
		return 1
	}
	return 8
}

// lengthPrefix is the size in bytes of the length that precedes a text.
const lengthPrefix = 4

// reset empties the chunk for the next row group. It keeps the buffers, except for those that
// have become large.
func (c *chunk) reset() {
	const kept = 16 << 20
	if cap(c.plain) > kept {
		c.plain = nil
	}
	if cap(c.pages.body) > kept {
		c.pages.body = nil
	}
	c.pages = pages{body: c.pages.body[:0]}
	c.dict = dictionary{entries: c.dict.entries[:0]}
	c.bounds = bounds{}
	c.hashes = c.hashes[:0]
}
