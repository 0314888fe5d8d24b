package format

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"iter"

	"github.com/ontosql/ontosql"
)

// Draft is a data file of a commit whose id is not known yet. A large file is written before the
// commit id is known, with a random 63-bit number in the column commit_id and in its statistics.
// Number replaces this placeholder with the commit id.
type Draft struct {
	Rows int64
	Size int64 // of the file in bytes

	placeholder [8]byte // the random number, little-endian
	offsets     []int64 // the offsets of the placeholder in the file
}

// WriteDraft is WriteRows for the rows of one commit whose id is not known yet. It ignores the
// Commit of the rows. The file must not be read as a data file before Number.
func WriteDraft(w io.Writer, t ontosql.TypeRef, fields []DataField, rows iter.Seq2[Row, error]) (*Draft, error) {
	d := &Draft{}
	_, _ = rand.Read(d.placeholder[:]) // never fails
	d.placeholder[7] &= 0x7F           // a commit id is positive
	stand := ontosql.CommitID(binary.LittleEndian.Uint64(d.placeholder[:]))
	unnumbered := func(yield func(Row, error) bool) {
		for row, err := range rows {
			row.Commit = stand
			if !yield(row, err) {
				return
			}
		}
	}
	out := &draftWriter{w: w, d: d}
	var err error
	if d.Rows, err = writeRows(&parquetWriter{out: out, uncompressedCommit: true}, t, fields, unnumbered); err != nil {
		return nil, err
	}
	return d, nil
}

// draftWriter records the offsets of the placeholder.
type draftWriter struct {
	w    io.Writer
	d    *Draft
	tail []byte // the last bytes written, which may be the start of a placeholder
}

func (o *draftWriter) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.scan(b[:n])
	return n, err
}

func (o *draftWriter) scan(b []byte) {
	const most = len(o.d.placeholder) - 1 // too short for a whole placeholder
	seam := append(o.tail, b[:min(len(b), most)]...)
	o.find(seam, o.d.Size-int64(len(o.tail)))
	if len(b) > most {
		o.find(b, o.d.Size)
		seam = b
	}
	o.d.Size += int64(len(b))
	o.tail = append([]byte(nil), seam[max(0, len(seam)-most):]...)
}

func (o *draftWriter) find(b []byte, offset int64) {
	for at := 0; ; at++ {
		next := bytes.Index(b[at:], o.d.placeholder[:])
		if next < 0 {
			return
		}
		at += next
		o.d.offsets = append(o.d.offsets, offset+int64(at))
	}
}

// Number writes the commit id into f, which has the bytes that WriteDraft wrote. It may be called
// again with another commit id.
func (d *Draft) Number(f interface {
	io.ReaderAt
	io.WriterAt
}, id ontosql.CommitID,
) (Written, error) {
	var spelled [8]byte
	binary.LittleEndian.PutUint64(spelled[:], uint64(id))
	for _, at := range d.offsets {
		if _, err := f.WriteAt(spelled[:], at); err != nil {
			return Written{}, fmt.Errorf("number data file: %w", err)
		}
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(h, io.NewSectionReader(f, 0, d.Size), make([]byte, 1<<20)); err != nil {
		return Written{}, fmt.Errorf("read data file: %w", err)
	}
	return Written{SHA256: hex.EncodeToString(h.Sum(nil)), Size: d.Size, Rows: d.Rows}, nil
}
