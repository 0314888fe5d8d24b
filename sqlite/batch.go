package sqlite

import (
	"bytes"
	"errors"
	"unicode/utf8"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/column"
)

// A batch has at most so many rows, and no further one when its texts have so many
// bytes.
const (
	batchRows  = 2048
	batchBytes = 4 << 20
)

var errBatchFull = errors.New("the batch is full")

// notUTF8 stands for an image that no reader of UTF-8 takes. It is no JSON, so
// that its row is told among the unreadable ones.
var notUTF8 = []byte("not UTF-8")

// batch collects rows of a history in memory that is used again.
type batch struct {
	out   column.Batch
	keys  int // columns of the identity
	n     int
	valid []uint64
	texts arena
}

func (b *batch) init(h history) {
	b.keys = len(h.keys)
	text, number := column.Type{Kind: column.Text}, column.Type{Kind: column.Int64}
	for range b.keys {
		b.out.Cols = append(b.out.Cols, column.Vector{Type: text})
	}
	for _, t := range []column.Type{number, number, text, number} {
		b.out.Cols = append(b.out.Cols, column.Vector{Type: t})
	}
	b.valid = make([]uint64, batchRows/64)
}

func (b *batch) reset() {
	b.n = 0
	b.texts.reset()
	for i := range b.valid {
		b.valid[i] = ^uint64(0)
	}
	for i := range b.out.Cols {
		v := &b.out.Cols[i]
		v.I64, v.Str, v.Valid = v.I64[:0], v.Str[:0], nil
	}
}

// add adds a row of history.columns. It refuses one for which there is no room.
func (b *batch) add(row *lite.Stmt) error {
	if b.n == batchRows || b.n > 0 && b.texts.used >= batchBytes {
		return errBatchFull
	}
	for i := range b.keys {
		key := b.texts.take(row, i)
		if !utf8.Valid(key) {
			key = bytes.ToValidUTF8(key, []byte("\uFFFD"))
		}
		b.text(i, key)
	}
	b.number(row, b.keys)
	if b.number(row, b.keys+1) == 0 && row.ColumnIsNull(b.keys+1) {
		b.out.Cols[b.keys+1].Valid = b.valid
		b.valid[b.n>>6] &^= 1 << (b.n & 63)
	}
	image := b.texts.take(row, b.keys+2)
	if !utf8.Valid(image) {
		image = notUTF8
	}
	b.text(b.keys+2, image)
	b.number(row, b.keys+3)
	b.n++
	return nil
}

func (b *batch) text(col int, text []byte) {
	v := &b.out.Cols[col]
	v.Str = append(v.Str, text)
}

func (b *batch) number(row *lite.Stmt, col int) int64 {
	n := row.ColumnInt64(col)
	v := &b.out.Cols[col]
	v.I64 = append(v.I64, n)
	return n
}

// lastID is the id of the last row.
func (b *batch) lastID() int64 { return b.out.Cols[b.keys+3].I64[b.n-1] }

// columns is the batch for its reader.
func (b *batch) columns() *column.Batch {
	b.out.Len = b.n
	return &b.out
}

// arena is memory for texts that are all given up at once.
type arena struct {
	blocks [][]byte
	block  int // that is being filled
	free   []byte
	used   int
}

// Blocks double from the first, which is enough for a look-up, to the most.
const (
	firstBlock = 4 << 10
	mostBlock  = 256 << 10
)

func (a *arena) reset() { a.block, a.free, a.used = -1, nil, 0 }

// take is a copy of a column's bytes.
func (a *arena) take(row *lite.Stmt, col int) []byte {
	n := row.ColumnLen(col)
	a.used += n
	for n > len(a.free) {
		if n > mostBlock/4 {
			text := make([]byte, n)
			row.ColumnBytes(col, text)
			return text
		}
		if a.block++; a.block == len(a.blocks) {
			a.blocks = append(a.blocks, make([]byte, min(firstBlock<<a.block, mostBlock)))
		}
		a.free = a.blocks[a.block]
	}
	text := a.free[:n:n]
	a.free = a.free[n:]
	row.ColumnBytes(col, text)
	return text
}
