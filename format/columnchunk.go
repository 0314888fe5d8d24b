package format

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// chunk is a column chunk of a row group that is being written. Values are appended to the current
// page; a full page is encoded, possibly by another goroutine (encoder), which owns encoded.
type chunk struct {
	name string
	kind FieldType
	id   int64 // the column's id in the Parquet schema, 0 for none

	precision, scale int // of a FieldDecimal

	noStatistics bool            // no bounds and no dictionary
	uncompressed bool            // pages are not compressed
	hasher       metadata.Hasher // nil for a column without a bloom filter

	page    // the current one
	encoded encodedChunk
}

// encodedChunk is what a chunk has of the pages that are encoded.
type encodedChunk struct {
	pages  pages
	dict   dictionary
	bounds bounds
	hashes []uint64 // hashes of the values, for the bloom filter
}

// page is the values of a page in Parquet's plain encoding. A page whose values are all equal
// stores the value once, so that such a column costs little for each row.
type page struct {
	plain    []byte // the values; a bool is one byte
	count    int    // non-NULL values
	nulls    int
	valid    []byte // one bit for each row of the page, 0 is NULL; unused if nulls is 0
	constant bool   // plain has one value, which the page has count times
}

func (p *page) addNull() {
	if p.nulls == 0 {
		p.valid = p.valid[:0]
		for range p.count / 8 {
			p.valid = append(p.valid, 0xFF)
		}
		if rest := p.count % 8; rest > 0 {
			p.valid = append(p.valid, 1<<rest-1)
		}
	}
	p.setValid(0)
	p.nulls++
}

// setValid appends the validity bit of the next row to a page that has NULLs: 0 for NULL.
func (p *page) setValid(bit byte) {
	row := p.count + p.nulls
	if row%8 == 0 {
		p.valid = append(p.valid, 0)
	}
	p.valid[row/8] |= bit << (row % 8)
}

func (p *page) addInt(n int64) {
	start := len(p.plain)
	p.plain = binary.LittleEndian.AppendUint64(p.plain, uint64(n))
	p.countValue(start)
}

func (p *page) addInt32(n int32) {
	start := len(p.plain)
	p.plain = binary.LittleEndian.AppendUint32(p.plain, uint32(n))
	p.countValue(start)
}

// addFixed appends a value of fixedSize bytes.
func (p *page) addFixed(value [fixedSize]byte) {
	start := len(p.plain)
	p.plain = append(p.plain, value[:]...)
	p.countValue(start)
}

func (p *page) addFloat(f float64) { p.addInt(int64(math.Float64bits(f))) }

func (p *page) addBool(b bool) {
	start := len(p.plain)
	p.plain = append(p.plain, 0)
	if b {
		p.plain[start] = 1
	}
	p.countValue(start)
}

func addText[T string | []byte](p *page, text T) {
	start := len(p.plain)
	p.plain = append(binary.LittleEndian.AppendUint32(p.plain, uint32(len(text))), text...)
	p.countValue(start)
}

// countValue counts the value that was appended to plain at start.
func (p *page) countValue(start int) {
	if p.nulls > 0 {
		p.setValid(1)
	}
	if value := p.plain[start:]; p.count == 0 {
		p.constant = true
	} else if p.constant {
		if p.constant = bytes.Equal(value, p.plain[:start]); p.constant {
			p.plain = p.plain[:start]
		} else if p.count > 1 {
			value = bytes.Clone(value)
			p.plain = append(p.expand(p.plain[:start]), value...)
		}
	}
	p.count++
}

// expand repeats the value of a constant page count times.
func (p *page) expand(value []byte) []byte {
	all := value
	for range p.count - 1 {
		all = append(all, value...)
	}
	return all
}

// full reports whether the current page is large enough.
func (p *page) full() bool {
	const most = 1 << 20
	if p.constant {
		return len(p.plain)*p.count >= most
	}
	return len(p.plain) >= most
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
func (e *encodedChunk) reset() {
	if cap(e.pages.body) > keptBuffer {
		e.pages.body = nil
	}
	e.pages = pages{body: e.pages.body[:0]}
	e.dict = dictionary{entries: e.dict.entries[:0]}
	e.bounds = bounds{}
	e.hashes = e.hashes[:0]
}

// keptBuffer is the size in bytes up to which a buffer is kept for further values.
const keptBuffer = 16 << 20
