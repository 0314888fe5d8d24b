package sqlite

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"unicode/utf8"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/pages"
)

// Bounds of a batch: the number of rows, and the bytes of its texts above which no row is
// added.
const (
	batchRows  = 4096
	batchBytes = 4 << 20
)

var errBatchFull = errors.New("the batch is full")

// notUTF8 replaces an image that is not UTF-8. It is not JSON, so that its row is counted as
// unreadable.
var notUTF8 = []byte("not UTF-8")

// batch collects rows of a history in reused memory.
type batch struct {
	kind  ontosql.Kind
	out   column.Batch
	keys  int // columns of the identity
	n     int
	valid []uint64
	texts pages.Arena
	found [maxColumns]pages.Value // of the current record
}

// batchPool has unused batches, of entities and of relations.
var batchPool [ontosql.Relation + 1]sync.Pool

// newBatch returns an empty batch for rows of a history. The caller releases it.
func newBatch(h dbschema.History) *batch {
	if b, _ := batchPool[h.Kind].Get().(*batch); b != nil {
		return b
	}
	b := &batch{kind: h.Kind, keys: len(h.KeyColumns)}
	text, number := column.Type{Kind: column.Text}, column.Type{Kind: column.Int64}
	for range b.keys {
		b.out.Cols = append(b.out.Cols, column.Vector{Type: text})
	}
	for _, t := range []column.Type{number, number, text, number} {
		b.out.Cols = append(b.out.Cols, column.Vector{Type: t})
	}
	return b
}

// release returns the batch to the pool.
func (b *batch) release() { batchPool[b.kind].Put(b) }

func (b *batch) reset() {
	b.n = 0
	b.texts.Reset()
	for i := range b.valid {
		b.valid[i] = ^uint64(0)
	}
	for i := range b.out.Cols {
		v := &b.out.Cols[i]
		v.I64, v.Str, v.Valid = v.I64[:0], v.Str[:0], nil
	}
}

// full reports whether there is no room for another row.
func (b *batch) full() bool { return b.n == batchRows || b.n > 0 && b.texts.Used >= batchBytes }

// add adds a row of history.columns, or returns errBatchFull.
func (b *batch) add(row *lite.Stmt) error {
	if b.full() {
		return errBatchFull
	}
	for i := range b.keys {
		b.key(i, b.texts.Column(row, i))
	}
	b.image(b.texts.Column(row, b.keys+2))
	b.numbers(row.ColumnInt64(b.keys), row.ColumnInt64(b.keys+1), row.ColumnIsNull(b.keys+1), row.ColumnInt64(b.keys+3))
	return nil
}

// key adds a column of a row's identity.
func (b *batch) key(i int, key []byte) {
	if !utf8.Valid(key) {
		key = bytes.ToValidUTF8(key, []byte("\uFFFD"))
	}
	b.text(i, key)
}

// image adds a row's fields_json.
func (b *batch) image(image []byte) {
	if !utf8.Valid(image) {
		image = notUTF8
	}
	b.text(b.keys+2, image)
}

// numbers adds the remaining columns, which completes the row.
func (b *batch) numbers(commit, version int64, noVersion bool, id int64) {
	b.number(b.keys, commit)
	b.number(b.keys+1, version)
	if noVersion {
		if b.valid == nil {
			b.valid = slices.Repeat([]uint64{^uint64(0)}, batchRows/64)
		}
		b.out.Cols[b.keys+1].Valid = b.valid
		b.valid[b.n>>6] &^= 1 << (b.n & 63)
	}
	b.number(b.keys+3, id)
	b.n++
}

func (b *batch) text(col int, text []byte) {
	v := &b.out.Cols[col]
	v.Str = append(v.Str, text)
}

func (b *batch) number(col int, n int64) {
	v := &b.out.Cols[col]
	v.I64 = append(v.I64, n)
}

// lastID returns the id of the last row.
func (b *batch) lastID() int64 { return b.out.Cols[b.keys+3].I64[b.n-1] }

// columns returns the batch for its reader.
func (b *batch) columns() *column.Batch {
	b.out.Len = b.n
	return &b.out
}
