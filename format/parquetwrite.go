package format

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/ontosql/ontosql"
)

// WriteRows writes a data file of one type to w, for a commit. The file has the system columns of
// COMPAT 2.4 and typed columns (decision A17). Rows are written in the given order. One compressed
// row group is in memory at a time. WriteRows stops at the first error of the sequence. It does not
// keep rows, so the sequence may reuse Fields. It does not close w, and calls it from one goroutine
// at a time.
func WriteRows(w io.Writer, t ontosql.TypeRef, fields []DataField, rows iter.Seq2[Row, error]) (Written, error) {
	hash := sha256.New()
	p := &parquetWriter{out: io.MultiWriter(w, hash)}
	n, err := writeRows(p, t, fields, rows)
	if err != nil {
		return Written{}, err
	}
	return Written{SHA256: hex.EncodeToString(hash.Sum(nil)), Size: p.at, Rows: n}, nil
}

// WriteSnapshot is WriteRows for a snapshot of count rows, which has no checksum (COMPAT 3.7). It
// returns the size of the file in bytes.
func WriteSnapshot(w io.Writer, t ontosql.TypeRef, fields []DataField, count int64, rows iter.Seq2[Row, error]) (size int64, err error) {
	p := &parquetWriter{out: w, expected: count}
	if _, err := writeRows(p, t, fields, rows); err != nil {
		return 0, err
	}
	return p.at, nil
}

func writeRows(p *parquetWriter, t ontosql.TypeRef, fields []DataField, rows iter.Seq2[Row, error]) (n int64, err error) {
	defer func() {
		if r := recover(); r != nil { // a panic in a caller's goroutine would end the process
			n, err = 0, fmt.Errorf("write parquet file: %v", r)
		}
	}()
	g, err := newRowGroup(t, fields)
	if err != nil {
		return 0, err
	}
	defer func() { _ = g.lane.end() }() // of a panic
	g.unique.expect(p.expected)
	if err := p.begin(g); err != nil {
		return 0, err
	}
	n, err = fill(g, p, rows)
	if failed := g.lane.end(); failed != nil {
		err = failed
	}
	if err != nil {
		return 0, err
	}
	return n, p.finish(g, n)
}

// fill has all rows encoded as row groups that p writes, and returns their number.
func fill(g *rowGroup, p *parquetWriter, rows iter.Seq2[Row, error]) (n int64, err error) {
	for row, err := range rows {
		if err != nil {
			return 0, err
		}
		if err := g.add(&row); err != nil {
			return 0, fmt.Errorf("row %d: %w", n, err)
		}
		if n++; g.full() {
			if err := g.finish(p); err != nil {
				return 0, err
			}
		}
	}
	if g.rows > 0 {
		return n, g.finish(p)
	}
	return n, nil
}

// parquetWriter writes row groups and the footer of a file.
type parquetWriter struct {
	out                io.Writer
	uncompressedCommit bool  // the column commit_id is not compressed
	expected           int64 // number of rows, 0 if that is not known
	at                 int64
	groups             thriftWriter // of the footer
	count              int          // number of row groups
}

// magic is at the beginning and at the end of a Parquet file.
const magic = "PAR1"

func (p *parquetWriter) write(b []byte) error {
	n, err := p.out.Write(b)
	p.at += int64(n)
	if err != nil {
		return fmt.Errorf("write parquet file: %w", err)
	}
	return nil
}

func (p *parquetWriter) begin(g *rowGroup) error {
	g.chunks[0].uncompressed = p.uncompressedCommit
	return p.write([]byte(magic))
}

// writeGroup writes a row group whose pages are encoded, and empties its chunks.
func (p *parquetWriter) writeGroup(all []*chunk, rows int, m *pageEncoder) error {
	chunks := make([]writtenChunk, len(all))
	for i, c := range all {
		var err error
		if chunks[i], err = p.writeChunk(c, m); err != nil {
			return err
		}
	}
	for i := range chunks {
		if chunks[i].hasher != nil && rows > 1 { // the bounds of a single row are sufficient
			if err := p.writeFilter(&chunks[i]); err != nil {
				return err
			}
		}
	}
	p.groups.rowGroup(chunks, rows)
	p.count++
	for _, c := range all {
		c.encoded.reset()
	}
	return nil
}

// writtenChunk is a chunk with its offsets in the file.
type writtenChunk struct {
	*chunk
	start, data, end  int64 // offsets of the chunk and of its data pages
	filter, filterEnd int64 // offsets of its bloom filter; 0 without one
}

func (p *parquetWriter) writeChunk(c *chunk, m *pageEncoder) (writtenChunk, error) {
	at := writtenChunk{chunk: c, start: p.at}
	if c.encoded.pages.usesDictionary {
		m.page = append(m.page[:0], c.encoded.dict.entries...)
		if err := p.write(m.append(c, nil, dictionaryPage, c.encoded.dict.count, parquet.Encodings.Plain)); err != nil {
			return at, err
		}
	}
	at.data = p.at
	if err := p.write(c.encoded.pages.body); err != nil {
		return at, err
	}
	at.end = p.at
	return at, nil
}

// writeFilter writes the bloom filter of a chunk.
func (p *parquetWriter) writeFilter(c *writtenChunk) error {
	const wrong = 0.01 // false-positive probability
	filter := metadata.NewBloomFilterFromNDVAndFPP(uint32(len(c.encoded.hashes)), wrong, 1<<20, memory.DefaultAllocator)
	filter.InsertBulk(c.encoded.hashes)
	h := thriftWriter{}
	h.filterHeader(int(filter.Size()))
	c.filter = p.at
	if err := p.write(h.out); err != nil {
		return err
	}
	n, err := filter.WriteTo(p.out, nil)
	p.at += int64(n)
	if err != nil {
		return fmt.Errorf("write parquet file: %w", err)
	}
	c.filterEnd = p.at
	return nil
}

// finish writes the footer.
func (p *parquetWriter) finish(g *rowGroup, rows int64) error {
	var f thriftWriter
	f.footer(g, rows, p.count, p.groups.out)
	f.out = binary.LittleEndian.AppendUint32(f.out, uint32(len(f.out)))
	return p.write(append(f.out, magic...))
}
