package wire

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/pgerr"
)

const (
	// copyBatchRows and copyBatchBytes are the maximum size of a batch, about as in PostgreSQL
	// (MAX_BUFFERED_TUPLES, MAX_BUFFERED_BYTES).
	copyBatchRows  = 1000
	copyBatchBytes = 64 << 10
	// copyScanBytes is the number of bytes that are scanned before more data is read.
	copyScanBytes = 64 << 10
	// maxCopyLine is the maximum length of a line in bytes (PRODUCT "Limits").
	maxCopyLine = 256 << 20
	// copyKeepBytes is the capacity of the buffer that is kept after a long line.
	copyKeepBytes = 1 << 20
)

// CopyReader reads the rows of COPY FROM STDIN. Its errors are those of PostgreSQL, with the
// position in the data as Where.
type CopyReader struct {
	// Report, if not nil, is called by Next with the numbers of rows and bytes that have come.
	Report func(rows, bytes int64)

	c    Copy
	more func(context.Context) ([]byte, error)

	unread  []byte // data that is not in lines yet
	invalid error  // the error of data after unread that is not valid in the encoding
	lines   copyLines
	fields  copyFields
	rows    CopyRows
	place   copyPlace // of the last line
	err     error     // the error after the rows, or io.EOF
	bom     bool      // the data began with a byte order mark
	count   int64     // rows that have come
	bytes   int64     // of their data
}

// NewCopyReader returns a reader of the data that more returns, divided at any byte, until io.EOF.
// The bytes of one call are valid until the next call of more.
func NewCopyReader(c Copy, more func(context.Context) ([]byte, error)) *CopyReader {
	r := &CopyReader{c: c, more: more}
	csv := c.Kind == CopyCSV
	r.lines = copyLines{csv: csv}
	r.fields = copyFields{csv: csv, delimiter: c.Delimiter, null: c.Null, scratch: make([]byte, 0, copyScanBytes)}
	if csv {
		r.lines.quote, r.fields.quote, r.fields.escape = c.Quote, c.Quote, c.Escape
		if c.Escape != c.Quote {
			r.lines.escape = c.Escape
		}
	}
	r.rows.reader = r
	return r
}

// Next returns the next rows, which are valid until the following call. It may return rows together
// with an error; the error, io.EOF at the end of the data, is that of the data after the rows.
func (r *CopyReader) Next(ctx context.Context) (*CopyRows, error) {
	r.reset()
	for r.err == nil && r.rows.Len < copyBatchRows && r.lines.start < copyBatchBytes {
		r.err = r.row(ctx)
	}
	if r.count += int64(r.rows.Len); r.Report != nil {
		r.Report(r.count, r.bytes)
	}
	return &r.rows, r.err
}

// reset discards the rows of the last batch.
func (r *CopyReader) reset() {
	l := &r.lines
	kept := l.buf[l.start:]
	if cap(l.buf) > copyKeepBytes && len(kept) < copyScanBytes {
		l.buf = append(make([]byte, 0, 2*copyScanBytes), kept...)
	} else {
		l.buf = append(l.buf[:0], kept...)
	}
	l.pos, l.scanned, l.clean = l.pos-l.start, l.scanned-l.start, l.clean-l.start
	l.start = 0
	clear(r.fields.values)
	r.fields.values, r.fields.scratch = r.fields.values[:0], r.fields.scratch[:0]
	if cap(r.fields.scratch) > copyKeepBytes {
		r.fields.scratch = make([]byte, 0, copyScanBytes)
	}
	r.rows.Len, r.rows.places = 0, r.rows.places[:0]
}

// fill moves more data into the buffer of lines.
func (r *CopyReader) fill(ctx context.Context) error {
	if len(r.lines.buf)-r.lines.start > maxCopyLine {
		return pgerr.New(pgerr.ProgramLimitExceeded, "line of COPY data exceeds the limit of %d bytes", maxCopyLine)
	}
	if r.invalid != nil {
		return r.invalid
	}
	for len(r.unread) == 0 {
		piece, err := r.more(ctx)
		if err == io.EOF {
			r.lines.eof = true
			return nil
		}
		if err != nil {
			return err
		}
		r.unread = piece
		r.bytes += int64(len(piece))
	}
	n := min(len(r.unread), copyScanBytes)
	if e := r.c.Encoding; e == nil || r.c.Kind == CopyBinary {
		r.lines.buf = append(r.lines.buf, r.unread[:n]...)
	} else if r.lines.buf, n = e.AppendUTF8(r.lines.buf, r.unread[:n]); n < min(len(r.unread), copyScanBytes) {
		r.invalid = e.Refuse(r.unread[n])
	}
	r.unread = r.unread[n:]
	return nil
}

// row reads one row into the batch.
func (r *CopyReader) row(ctx context.Context) error {
	if r.c.Kind == CopyBinary {
		return r.binaryRow(ctx)
	}
	if r.lines.number == 0 && r.c.Header != NoHeader {
		if err := r.header(ctx); err != nil {
			return err
		}
	}
	line, last, err := r.line(ctx)
	if err != nil {
		return r.withLine(err)
	}
	if last && len(line) == 0 {
		return io.EOF
	}
	begin, width := len(r.fields.values), len(r.c.Columns)
	if r.lines.plain {
		r.fields.splitPlain(line, width)
	} else if err := r.fields.split(line, width); err != nil {
		return r.withLineText(err, line)
	}
	if r.fields.count > width {
		return r.withLineText(badCopy("extra data after last expected column"), line)
	}
	r.applyForce(r.fields.values[begin:])
	r.rows.places = append(r.rows.places, r.place)
	r.rows.Len++
	if r.fields.count < width {
		return r.withLineText(badCopy("missing data for column \"%s\"", r.c.Columns[r.fields.count].Name), line)
	}
	if last {
		return io.EOF
	}
	return nil
}

// line reads the next line. last is true if the data ends with it.
func (r *CopyReader) line(ctx context.Context) (line []byte, last bool, err error) {
	l := &r.lines
	l.number++
	number, eol := l.number, l.eol
	for {
		line, end, err := l.next()
		if err != nil {
			if bad := r.checkUTF8(ctx, l.start, l.pos, number, eol); bad != nil {
				return nil, false, bad
			}
			return nil, false, err
		}
		if end == lineCut {
			if err := r.fill(ctx); err != nil {
				return nil, false, err
			}
			continue
		}
		r.place = copyPlace{line: l.number, from: l.start, to: l.start + len(line)}
		l.start = l.pos
		r.bom = r.bom || l.number == 1 && bytes.HasPrefix(line, []byte("\xef\xbb\xbf"))
		if r.place.to >= l.clean {
			if err := r.checkUTF8(ctx, r.place.from, r.place.to, number, eol); err != nil {
				return nil, false, err
			}
		}
		if end == lineLast {
			return line, true, r.drain(ctx)
		}
		return line, false, nil
	}
}

// checkUTF8 checks buf[from:to], a line or a part of one. The error about an incomplete character
// shows the bytes after it, also beyond to.
func (r *CopyReader) checkUTF8(ctx context.Context, from, to int, number int64, eol copyEOL) error {
	l := &r.lines
	if charset.Check(l.buf[from:to]) == nil {
		return nil
	}
	for len(l.buf)-to < utf8.UTFMax && !l.eof {
		if err := r.fill(ctx); err != nil {
			return err
		}
	}
	rest := l.buf[from:]
	if l.csv { // a quoted field may have line ends, so the error may be on an earlier line
		before := copyLines{csv: true, quote: l.quote, escape: l.escape, eol: eol, number: number}
		for _, c := range rest[:charset.ValidLength(rest)] {
			before.trackQuotes(c)
		}
		l.number = before.number
	}
	return charset.Check(rest)
}

// drain reads and ignores the data after the end-of-data marker.
func (r *CopyReader) drain(ctx context.Context) error {
	for !r.lines.eof {
		_, err := r.more(ctx)
		r.lines.eof = err == io.EOF
		if err != nil && err != io.EOF {
			return err
		}
	}
	return nil
}

// header reads the line of column names.
func (r *CopyReader) header(ctx context.Context) error {
	line, last, err := r.line(ctx)
	if err != nil {
		return r.withLine(err)
	}
	if r.c.Header == HeaderMatch {
		if err := r.matchHeader(line); err != nil {
			return r.withLineText(err, line)
		}
	}
	if last {
		return io.EOF
	}
	return nil
}

func (r *CopyReader) matchHeader(line []byte) error {
	width := len(r.c.Columns)
	if err := r.fields.split(line, width); err != nil {
		return err
	}
	names := r.fields.values
	r.fields.values = r.fields.values[:0]
	if r.fields.count != width {
		return badCopy("wrong number of fields in header line: got %d, expected %d", r.fields.count, width)
	}
	for i, c := range r.c.Columns {
		switch {
		case names[i] == nil:
			return badCopy("column name mismatch in header line field %d: got null value (\"%s\"), expected \"%s\"", i+1, r.c.Null, c.Name)
		case string(names[i]) != c.Name:
			return badCopy("column name mismatch in header line field %d: got \"%s\", expected \"%s\"", i+1, names[i], c.Name)
		}
	}
	return nil
}

// applyForce applies FORCE_NOT_NULL and FORCE_NULL to the fields of a row.
func (r *CopyReader) applyForce(fields [][]byte) {
	if r.c.ForceNotNull == nil && r.c.ForceNull == nil {
		return
	}
	for i := range fields {
		switch {
		case fields[i] == nil && r.c.ForceNotNull != nil && r.c.ForceNotNull[i]:
			fields[i] = []byte(r.c.Null)
		case fields[i] != nil && r.c.ForceNull != nil && r.c.ForceNull[i] && string(fields[i]) == r.c.Null:
			fields[i] = nil
		}
	}
}
