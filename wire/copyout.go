package wire

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/column"
)

// copyOut sends all rows of a portal as COPY data. The row limit of an Execute does not apply
// to a command without a result set.
func (s *session) copyOut(ctx context.Context, p *portal, from CopyOut) (sent uint64, err error) {
	batch, err := p.Next(ctx)
	if err != nil && err != io.EOF {
		return 0, err
	}
	w, cannot := newCopyWriter(from.Copy())
	if cannot != nil {
		return 0, cannot
	}
	overall, formats := w.formats()
	s.out.send(&pgproto3.CopyOutResponse{OverallFormat: overall, ColumnFormatCodes: formats})
	s.out.buf = w.appendHeader(s.out.buf)
	before := s.out.total()
	for ; err == nil; batch, err = p.Next(ctx) {
		if w.rows.columns == nil {
			if err := w.chooseEncoders(batch, s); err != nil {
				return sent, err
			}
		}
		if err := w.rows.check(batch); err != nil {
			return sent, err
		}
		for row := range batch.Len {
			var cannot error
			if s.out.buf, cannot = w.appendRow(s.out.buf, batch, row); cannot != nil {
				return sent, cannot
			}
			sent++
			if err := s.out.flushIfFull(); err != nil {
				return sent, err
			}
		}
		from.Copied(sent, s.out.total()-before-int64(sent)*copyDataHeader)
	}
	if err != io.EOF { // an error of the rows, not of the connection
		return sent, err
	}
	p.atEnd = true
	s.out.buf = w.appendTrailer(s.out.buf)
	s.out.send(&pgproto3.CopyDone{})
	return sent, nil
}

// copyWriter encodes the rows of batches as CopyData messages, one for each row.
type copyWriter struct {
	Copy
	rows         rowEncoder
	null         string    // Null in the client's encoding
	names        []string  // the header, in the client's encoding
	binaryHeader []byte    // header of the binary format; nil after the first row
	mustEscape   [256]bool // bytes that need an escape or quotes
	scratch      []byte
}

func newCopyWriter(c Copy) (w *copyWriter, err error) {
	w = &copyWriter{Copy: c}
	if w.null, err = c.Encoding.EncodeString(c.Null); err != nil {
		return nil, err
	}
	for _, column := range c.Columns {
		name := ""
		if c.Header != NoHeader {
			if name, err = c.Encoding.EncodeString(column.Name); err != nil {
				return nil, err
			}
		}
		w.names = append(w.names, name)
	}
	special := "\b\f\n\r\t\v\\"
	switch c.Kind {
	case CopyBinary:
		w.binaryHeader = append([]byte(copySignature), make([]byte, 8)...) // no flags, no extension
	case CopyCSV:
		special = "\n\r"
		w.mustEscape[c.Quote] = true
	}
	w.mustEscape[c.Delimiter] = true
	for _, b := range []byte(special) {
		w.mustEscape[b] = true
	}
	return w, nil
}

// chooseEncoders chooses the encoders of the columns by the first batch.
func (w *copyWriter) chooseEncoders(batch *column.Batch, s *session) (err error) {
	_, codes := w.formats()
	formats := make([]int16, len(codes))
	for i, f := range codes {
		formats[i] = int16(f)
	}
	w.rows, err = newRowEncoder(w.Columns, batch, formats, s.handler.Style(), w.Encoding)
	return err
}

// copyDataHeader is the number of bytes before the data of a CopyData message.
const copyDataHeader = 5

func beginCopyData(dst []byte) []byte { return append(dst, 'd', 0, 0, 0, 0) }

// endCopyData sets the length of the message that begins at start.
func endCopyData(dst []byte, start int) []byte {
	binary.BigEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-1))
	return dst
}

// appendHeader appends the line of column names if the option HEADER is set.
func (w *copyWriter) appendHeader(dst []byte) []byte {
	if w.Header == NoHeader {
		return dst
	}
	start := len(dst)
	dst = beginCopyData(dst)
	for i, name := range w.names {
		if i > 0 {
			dst = append(dst, w.Delimiter)
		}
		at := len(dst)
		dst = w.escape(append(dst, name...), at, false)
	}
	return endCopyData(append(dst, '\n'), start)
}

// appendRow appends one row. If the client's encoding lacks a character of it, it appends
// nothing.
func (w *copyWriter) appendRow(dst []byte, batch *column.Batch, row int) ([]byte, error) {
	start := len(dst)
	dst = w.appendFields(beginCopyData(dst), batch, row)
	if err := w.rows.texts.failed(); err != nil {
		return dst[:start], err
	}
	return endCopyData(dst, start), nil
}

func (w *copyWriter) appendFields(dst []byte, batch *column.Batch, row int) []byte {
	if w.Kind == CopyBinary {
		dst = append(dst, w.binaryHeader...)
		w.binaryHeader = nil
		dst = append(dst, byte(len(w.Columns)>>8), byte(len(w.Columns)))
		for i, encode := range w.rows.columns {
			dst = appendSized(dst, encode, &batch.Cols[i], row)
		}
		return dst
	}
	for i, encode := range w.rows.columns {
		if i > 0 {
			dst = append(dst, w.Delimiter)
		}
		if v := &batch.Cols[i]; v.IsNull(row) {
			dst = append(dst, w.null...)
		} else {
			at := len(dst)
			dst = w.escape(encode(dst, v, row), at, w.ForceQuote != nil && w.ForceQuote[i])
		}
	}
	return append(dst, '\n')
}

// appendTrailer ends the data of the binary format.
func (w *copyWriter) appendTrailer(dst []byte) []byte {
	if w.Kind != CopyBinary {
		return dst
	}
	start := len(dst)
	dst = append(beginCopyData(dst), w.binaryHeader...)
	return endCopyData(append(dst, 0xff, 0xff), start)
}

// escape escapes or quotes the value at dst[at:] as the format requires.
func (w *copyWriter) escape(dst []byte, at int, quoted bool) []byte {
	value := dst[at:]
	special := quoted
	for i := 0; i < len(value) && !special; i++ {
		special = w.mustEscape[value[i]]
	}
	if w.Kind == CopyCSV {
		// Without quotes the value would be read as NULL or as the end of the data.
		special = special || string(value) == w.null || len(w.Columns) == 1 && string(value) == `\.`
	}
	if !special {
		return dst
	}
	w.scratch = append(w.scratch[:0], value...)
	if w.Kind == CopyCSV {
		return w.appendQuoted(dst[:at])
	}
	return w.appendEscaped(dst[:at])
}

// appendEscaped is CopyAttributeOutText of the value in scratch.
func (w *copyWriter) appendEscaped(dst []byte) []byte {
	const controls, letters = "\b\t\n\v\f\r", "btnvfr" // 8 to 13
	for _, c := range w.scratch {
		switch {
		case !w.mustEscape[c]:
			dst = append(dst, c)
		case c >= controls[0] && c <= controls[5]:
			dst = append(dst, '\\', letters[c-controls[0]])
		default:
			dst = append(dst, '\\', c)
		}
	}
	return dst
}

// appendQuoted is CopyAttributeOutCSV of the value in scratch.
func (w *copyWriter) appendQuoted(dst []byte) []byte {
	dst = append(dst, w.Quote)
	for _, c := range w.scratch {
		if c == w.Quote || c == w.Escape {
			dst = append(dst, w.Escape)
		}
		dst = append(dst, c)
	}
	return append(dst, w.Quote)
}
