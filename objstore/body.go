package objstore

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// BodyError reports that the body of an Upload could not be read.
type BodyError struct{ Err error }

func (e *BodyError) Error() string { return fmt.Sprintf("read body: %v", e.Err) }

func (e *BodyError) Unwrap() error { return e.Err }

// Body reads the body of an Upload from its first to its last byte. It can be
// read again after a Seek. All its read errors are *BodyError.
type Body struct {
	io.ReadSeeker
	left   int64 // number of bytes that are not yet read
	failed atomic.Pointer[BodyError]
}

// NewBody returns a Body of the first size bytes of r.
func NewBody(r io.ReaderAt, size int64) *Body {
	return &Body{ReadSeeker: io.NewSectionReader(r, 0, size), left: size}
}

// Read implements io.Reader. If r has fewer than size bytes, the error is
// io.ErrUnexpectedEOF.
func (b *Body) Read(p []byte) (int, error) {
	n, err := b.ReadSeeker.Read(p)
	b.left -= int64(n)
	if errors.Is(err, io.EOF) && b.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		failed := &BodyError{err}
		b.failed.Store(failed)
		return n, failed
	}
	return n, err
}

// Seek implements io.Seeker.
func (b *Body) Seek(offset int64, whence int) (int64, error) {
	before, _ := b.ReadSeeker.Seek(0, io.SeekCurrent) // a SectionReader does not fail here
	at, err := b.ReadSeeker.Seek(offset, whence)
	b.left += before - at
	return at, err
}

// Failed returns the error that ended the last Read, or nil. Use it when an HTTP
// client replaces the error of its body by its own. It may be called concurrently
// with Read.
func (b *Body) Failed() error {
	if failed := b.failed.Load(); failed != nil {
		return failed
	}
	return nil
}
