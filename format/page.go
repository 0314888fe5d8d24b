package format

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// pages are the encoded pages of a chunk.
type pages struct {
	body           []byte // headers included
	size           int64  // uncompressed size of body
	rows           int64
	nulls          int64
	usesDictionary bool // some pages use the dictionary
}

// pageEncoder encodes pages. Chunks share it to reuse its buffers.
type pageEncoder struct {
	codec   compress.Codec
	page    []byte // before compression
	packed  []byte
	indexes []uint32
	head    thriftWriter
}

// Values of Parquet's PageType.
const (
	dataPage       = 0
	dictionaryPage = 2
)

// finishPage encodes the current page and begins an empty one.
func (c *chunk) finishPage(m *pageEncoder) error {
	if c.count+c.nulls == 0 {
		return nil
	}
	encoding := parquet.Encodings.RLEDict
	m.page = c.appendLevels(m.page[:0])
	if c.appendIndexes(m) {
		c.pages.usesDictionary = true
	} else {
		encoding = parquet.Encodings.Plain
		c.addStatistics(c.plain)
		if c.constant {
			c.plain = c.expand(c.plain)
		}
		if c.kind == FieldBool {
			m.page = appendBits(m.page, c.plain)
		} else {
			m.page = append(m.page, c.plain...)
		}
	}
	if len(m.page) > math.MaxInt32 {
		return fmt.Errorf("a page of %d bytes", len(m.page))
	}
	c.pages.body = m.append(c, c.pages.body, dataPage, c.count+c.nulls, encoding)
	c.pages.rows += int64(c.count + c.nulls)
	c.pages.nulls += int64(c.nulls)
	c.plain, c.count, c.nulls, c.constant = c.plain[:0], 0, 0, false
	return nil
}

// appendLevels appends the definition levels of the current page.
func (c *chunk) appendLevels(page []byte) []byte {
	page = append(page, 0, 0, 0, 0) // the length of the levels, set below
	switch {
	case c.nulls == 0:
		page = appendRun(page, 1, c.count, 1)
	case c.count == 0:
		page = appendRun(page, 0, c.nulls, 1)
	default:
		page = append(binary.AppendUvarint(page, uint64(len(c.valid))<<1|1), c.valid...)
	}
	binary.LittleEndian.PutUint32(page, uint32(len(page)-4))
	return page
}

// appendBits appends bytes that are 0 or 1 as packed bits.
func appendBits(page, bools []byte) []byte {
	for i, b := range bools {
		if i%8 == 0 {
			page = append(page, 0)
		}
		page[len(page)-1] |= b << (i % 8)
	}
	return page
}

// append appends the encoded page with its header to body.
func (m *pageEncoder) append(c *chunk, body []byte, kind, values int, encoding parquet.Encoding) []byte {
	packed := m.page
	if !c.uncompressed {
		m.packed = slices.Grow(m.packed[:0], int(m.codec.CompressBound(int64(len(m.page)))))
		m.packed = m.codec.EncodeLevel(m.packed, m.page, 0)
		packed = m.packed
	}
	h := &m.head
	h.out = h.out[:0]
	h.open()
	h.int32(1, kind)
	h.int32(2, len(m.page))
	h.int32(3, len(packed))
	if kind == dictionaryPage {
		h.begin(7)
		h.int32(1, values)
		h.int32(2, int(encoding))
	} else {
		h.begin(5)
		h.int32(1, values)
		h.int32(2, int(encoding))
		h.int32(3, int(parquet.Encodings.RLE)) // of levels
		h.int32(4, int(parquet.Encodings.RLE))
	}
	h.end()
	h.end()
	c.pages.size += int64(len(h.out) + len(m.page))
	return append(append(body, h.out...), packed...)
}
