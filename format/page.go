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

// encode appends the encoded form of a page to the chunk.
func (c *chunk) encode(p *page, m *pageEncoder) error {
	if p.count+p.nulls == 0 {
		return nil
	}
	all, encoding := &c.encoded.pages, parquet.Encodings.RLEDict
	m.page = p.appendLevels(m.page[:0])
	if c.appendIndexes(p, m) {
		all.usesDictionary = true
	} else {
		encoding = parquet.Encodings.Plain
		c.addStatistics(p.plain)
		if p.constant {
			p.plain = p.expand(p.plain)
		}
		if c.kind == FieldBool {
			m.page = appendBits(m.page, p.plain)
		} else {
			m.page = append(m.page, p.plain...)
		}
	}
	if len(m.page) > math.MaxInt32 {
		return fmt.Errorf("a page of %d bytes", len(m.page))
	}
	all.body = m.append(c, all.body, dataPage, p.count+p.nulls, encoding)
	all.rows += int64(p.count + p.nulls)
	all.nulls += int64(p.nulls)
	return nil
}

// appendLevels appends the definition levels of the page.
func (p *page) appendLevels(to []byte) []byte {
	to = append(to, 0, 0, 0, 0) // the length of the levels, set below
	switch {
	case p.nulls == 0:
		to = appendRun(to, 1, p.count, 1)
	case p.count == 0:
		to = appendRun(to, 0, p.nulls, 1)
	default:
		to = append(binary.AppendUvarint(to, uint64(len(p.valid))<<1|1), p.valid...)
	}
	binary.LittleEndian.PutUint32(to, uint32(len(to)-4))
	return to
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
	c.encoded.pages.size += int64(len(h.out) + len(m.page))
	return append(append(body, h.out...), packed...)
}
