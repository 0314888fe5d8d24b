// Package faulty breaks chosen requests to an object store, so that tests can
// walk through every step of a protocol and lose the question, the answer or
// the whole store there. It is for tests only.
package faulty

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Bucket passes requests on until number At, counted from 0 over all
// operations, and breaks that one with an error that wraps
// objstore.ErrUnreachable. The usual loop raises At until the run succeeds:
//
//	b := &faulty.Bucket{Bucket: disk, At: at, Applied: applied, Dead: dead}
//
// The fields are set before the first request and not changed after it.
type Bucket struct {
	objstore.Bucket // the store behind

	// At is the number of the request that breaks; below 0 none does.
	At int
	// Applied chooses what is lost: false the question, which never reaches the
	// store, true the answer. A read whose answer is lost is broken off at its
	// end: Open's reader and List's calls come first.
	Applied bool
	// Dead makes every request after number At fail too, as when the process
	// died or lost its network there. Their questions are lost.
	Dead bool
	// Delay, if set, is called before each request with its number, operation
	// (an objstore.Op constant) and key. It may block until the test, or ctx,
	// lets it go.
	Delay func(ctx context.Context, number int, op, key string)

	mu   sync.Mutex
	seen int
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.Clock        = (*Bucket)(nil)
)

// Requests is how many requests were seen so far, broken ones included. After a
// run that succeeded it is the number from which At breaks nothing.
func (b *Bucket) Requests() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen
}

// lost is the fate of one request.
type lost uint8

const (
	nothing lost = iota
	question
	answer
)

func (b *Bucket) next(ctx context.Context, op, key string) lost {
	b.mu.Lock()
	number := b.seen
	b.seen++
	b.mu.Unlock()
	if b.Delay != nil {
		b.Delay(ctx, number, op, key)
	}
	switch {
	case b.At < 0 || number < b.At:
		return nothing
	case number > b.At && b.Dead:
		return question
	case number > b.At:
		return nothing
	case b.Applied:
		return answer
	}
	return question
}

func (b *Bucket) broken(op, key string) error {
	return &objstore.Error{Op: op, Bucket: b.String(), Key: key, Err: objstore.ErrUnreachable}
}

// Get is objstore.Bucket's.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if b.next(ctx, objstore.OpGet, key) != nothing {
		return nil, objstore.Absent, b.broken(objstore.OpGet, key)
	}
	return b.Bucket.Get(ctx, key)
}

// GetIfChanged is objstore.GetIfChanged's.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	if b.next(ctx, objstore.OpGetIfChanged, key) != nothing {
		return nil, objstore.Absent, false, b.broken(objstore.OpGetIfChanged, key)
	}
	return objstore.ReadIfChanged(ctx, b.Bucket, key, known)
}

// GetRange is objstore.Bucket's.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	if b.next(ctx, objstore.OpGetRange, key) != nothing {
		return nil, b.broken(objstore.OpGetRange, key)
	}
	return b.Bucket.GetRange(ctx, key, offset, length)
}

// Open is objstore.Bucket's.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	switch b.next(ctx, objstore.OpOpen, key) {
	case question:
		return nil, objstore.Absent, b.broken(objstore.OpOpen, key)
	case answer:
		r, v, err := b.Bucket.Open(ctx, key)
		if err != nil {
			return nil, objstore.Absent, err
		}
		return &brokenReader{ReadCloser: r, err: b.broken(objstore.OpOpen, key)}, v, nil
	}
	return b.Bucket.Open(ctx, key)
}

// brokenReader loses the connection where the object should end.
type brokenReader struct {
	io.ReadCloser
	err error
}

func (r *brokenReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		err = r.err
	}
	return n, err
}

// Put is objstore.Bucket's.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpPut, key, func() (objstore.Version, error) {
		return b.Bucket.Put(ctx, key, body)
	})
}

// Upload is objstore.Bucket's.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	return b.write(ctx, objstore.OpUpload, key, func() (objstore.Version, error) {
		return b.Bucket.Upload(ctx, key, body, size)
	})
}

// Swap is objstore.Bucket's.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpSwap, key, func() (objstore.Version, error) {
		return b.Bucket.Swap(ctx, key, want, body)
	})
}

// Delete is objstore.Bucket's.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	_, err := b.write(ctx, objstore.OpDelete, key, func() (objstore.Version, error) {
		return objstore.Absent, b.Bucket.Delete(ctx, key)
	})
	return err
}

// DeleteIf is objstore.Bucket's.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	_, err := b.write(ctx, objstore.OpDeleteIf, key, func() (objstore.Version, error) {
		return objstore.Absent, b.Bucket.DeleteIf(ctx, key, want)
	})
	return err
}

// write sends the request unless its question is lost. When its answer is lost,
// a refusal is lost with it: the caller cannot know.
func (b *Bucket) write(ctx context.Context, op, key string, send func() (objstore.Version, error)) (objstore.Version, error) {
	fate := b.next(ctx, op, key)
	if fate == question {
		return objstore.Absent, b.broken(op, key)
	}
	v, err := send()
	if fate == answer {
		return objstore.Absent, b.broken(op, key)
	}
	return v, err
}

// List is objstore.Bucket's.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	fate := b.next(ctx, objstore.OpList, prefix)
	if fate == question {
		return b.broken(objstore.OpList, prefix)
	}
	if err := b.Bucket.List(ctx, prefix, fn); err != nil || fate == nothing {
		return err
	}
	return b.broken(objstore.OpList, prefix)
}

// ServerTime is objstore.Clock's.
func (b *Bucket) ServerTime(ctx context.Context) (time.Time, error) {
	if b.next(ctx, objstore.OpServerTime, "") != nothing {
		return time.Time{}, b.broken(objstore.OpServerTime, "")
	}
	return objstore.ServerTime(ctx, b.Bucket)
}
