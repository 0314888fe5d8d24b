package objstore

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// BodyError says that the body of an Upload could not be read.
type BodyError struct{ Err error }

func (e *BodyError) Error() string { return fmt.Sprintf("read body: %v", e.Err) }

func (e *BodyError) Unwrap() error { return e.Err }

// Body is the body of an Upload as adapters send it: from its first byte to its
// last, again after a Seek. Its errors are *BodyError.
type Body struct {
	io.ReadSeeker
	left   int64 // bytes that are still to come
	failed atomic.Pointer[BodyError]
}

// NewBody is the first size bytes of r.
func NewBody(r io.ReaderAt, size int64) *Body {
	return &Body{ReadSeeker: io.NewSectionReader(r, 0, size), left: size}
}

// Read is io.Reader's. A body that ends early is io.ErrUnexpectedEOF.
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

// Seek is io.Seeker's.
func (b *Body) Seek(offset int64, whence int) (int64, error) {
	before, _ := b.ReadSeeker.Seek(0, io.SeekCurrent) // of a section it does not fail
	at, err := b.ReadSeeker.Seek(offset, whence)
	b.left += before - at
	return at, err
}

// Failed is the error with which a Read ended, nil for none: what sends the body
// may tell it otherwise. It may be called while the body is read.
func (b *Body) Failed() error {
	if failed := b.failed.Load(); failed != nil {
		return failed
	}
	return nil
}
