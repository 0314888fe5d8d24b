package wire

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/ontosql/ontosql/pgerr"
)

// take returns the next n bytes of the data, fewer at its end.
func (r *CopyReader) take(ctx context.Context, n int) ([]byte, error) {
	l := &r.lines
	for len(l.buf)-l.pos < n && !l.eof {
		if err := r.fill(ctx); err != nil {
			return nil, err
		}
	}
	taken := l.buf[l.pos:min(l.pos+n, len(l.buf))]
	l.pos += len(taken)
	return taken, nil
}

// binaryHeader reads the header of the data (PostgreSQL manual, COPY, "Binary Format").
func (r *CopyReader) binaryHeader(ctx context.Context) error {
	signature, err := r.take(ctx, len(copySignature))
	if err != nil {
		return err
	}
	if string(signature) != copySignature {
		return badCopy("COPY file signature not recognized")
	}
	flags, ok, err := r.takeInt(ctx)
	switch {
	case err != nil:
		return err
	case !ok:
		return badCopy("invalid COPY file header (missing flags)")
	case flags&(1<<16) != 0:
		return badCopy("invalid COPY file header (WITH OIDS)")
	case uint32(flags)>>16 != 0:
		return badCopy("unrecognized critical flags in COPY file header")
	}
	length, ok, err := r.takeInt(ctx)
	switch {
	case err != nil:
		return err
	case !ok || length < 0:
		return badCopy("invalid COPY file header (missing length)")
	}
	for length > 0 {
		skipped, err := r.take(ctx, min(int(length), copyScanBytes))
		if err != nil {
			return err
		}
		if len(skipped) == 0 {
			return badCopy("invalid COPY file header (wrong length)")
		}
		length -= int32(len(skipped))
		r.lines.start = r.lines.pos
		r.reset()
	}
	return nil
}

func (r *CopyReader) takeInt(ctx context.Context) (n int32, ok bool, err error) {
	b, err := r.take(ctx, 4)
	if err != nil || len(b) < 4 {
		return 0, false, err
	}
	return int32(binary.BigEndian.Uint32(b)), true, nil
}

// binaryRow reads one tuple of the binary format into the batch.
func (r *CopyReader) binaryRow(ctx context.Context) error {
	l := &r.lines
	if l.number == 0 {
		if err := r.binaryHeader(ctx); err != nil {
			return err
		}
	}
	l.number++
	b, err := r.take(ctx, 2)
	if err != nil {
		return r.withLine(err)
	}
	if len(b) < 2 {
		return io.EOF
	}
	width := len(r.c.Columns)
	switch count := int(int16(binary.BigEndian.Uint16(b))); {
	case count == -1:
		return r.binaryEnd(ctx)
	case count != width:
		return r.withLine(badCopy("row field count is %d, expected %d", count, width))
	}
	for i := range width {
		value, err := r.binaryField(ctx, r.c.Columns[i].OID)
		if err != nil {
			// Errors of earlier fields are reported first.
			r.rows.places = append(r.rows.places, copyPlace{line: l.number})
			r.rows.Len++
			return r.withContext(err, l.number, ", column "+r.c.Columns[i].Name)
		}
		r.fields.values = append(r.fields.values, value)
	}
	l.start = l.pos
	r.rows.places = append(r.rows.places, copyPlace{line: l.number})
	r.rows.Len++
	return nil
}

// binaryEnd checks that nothing follows the trailer.
func (r *CopyReader) binaryEnd(ctx context.Context) error {
	b, err := r.take(ctx, 1)
	switch {
	case err != nil:
		return r.withLine(err)
	case len(b) > 0:
		return r.withLine(badCopy("received copy data after EOF marker"))
	}
	return io.EOF
}

// binaryField reads one field and returns it in the text format.
func (r *CopyReader) binaryField(ctx context.Context, oid uint32) ([]byte, error) {
	length, ok, err := r.takeInt(ctx)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, badCopy("unexpected EOF in COPY data")
	case length == -1:
		return nil, nil
	case length < 0:
		return nil, badCopy("invalid field size")
	case length > maxValue:
		return nil, pgerr.New(pgerr.ProgramLimitExceeded, "field of %d bytes exceeds the limit of %d bytes", length, maxValue)
	}
	raw, err := r.take(ctx, int(length))
	if err != nil {
		return nil, err
	}
	if len(raw) < int(length) {
		return nil, badCopy("unexpected EOF in COPY data")
	}
	switch oid {
	case oidText, oidVarchar, oidBPChar, oidJSON:
		return r.c.Encoding.Decode(raw)
	}
	in, begin := binaryReader{rest: raw, encoding: r.c.Encoding}, len(r.fields.scratch)
	r.fields.scratch = in.value(r.fields.scratch, oid)
	if in.err == nil && len(in.rest) > 0 {
		in.fail("incorrect binary data format")
	}
	value := r.fields.scratch[begin:len(r.fields.scratch):len(r.fields.scratch)]
	return value, in.err
}
