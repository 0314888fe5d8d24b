// Package faulty makes chosen requests to an object store fail, so that tests can
// check every step of a protocol: the request is lost, the response is lost, or all
// later requests fail. It is for tests only.
package faulty

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Bucket passes requests to the inner bucket. Request number At, counted from 0 over
// all operations, fails with an error that wraps objstore.ErrUnreachable. A test
// usually increments At until the run succeeds:
//
//	b := &faulty.Bucket{Bucket: disk, At: at, Applied: applied, Dead: dead}
//
// Set the fields before the first request and do not change them afterwards.
type Bucket struct {
	objstore.Bucket // the inner bucket

	// At is the number of the request that fails; below 0 none fails.
	At int
	// Applied selects what is lost. false: the request, so the store does not see it.
	// true: the response. A read whose response is lost fails at its end: the data of
	// Open and the objects of List are delivered first.
	Applied bool
	// Dead makes all requests after number At fail too, without reaching the store,
	// as if the process had died or lost its network.
	Dead bool
	// Delay, if set, is called before each request with its number, operation (an
	// objstore.Op constant) and key. It may block.
	Delay func(ctx context.Context, number int, op, key string)

	mu   sync.Mutex
	seen int
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.ListAfter    = (*Bucket)(nil)
	_ objstore.Clock        = (*Bucket)(nil)
	_ objstore.Copier       = (*Bucket)(nil)
	_ objstore.Wrapper      = (*Bucket)(nil)
)

// Requests returns the number of requests so far, including failed ones. After a
// successful run, this number or a larger one as At makes no request fail.
func (b *Bucket) Requests() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen
}

// lost says which part of a request is lost.
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

// Get implements objstore.Bucket.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	if b.next(ctx, objstore.OpGet, key) != nothing {
		return nil, objstore.Absent, b.broken(objstore.OpGet, key)
	}
	return b.Bucket.Get(ctx, key)
}

// GetIfChanged implements objstore.GetIfChanged.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	if b.next(ctx, objstore.OpGetIfChanged, key) != nothing {
		return nil, objstore.Absent, false, b.broken(objstore.OpGetIfChanged, key)
	}
	return objstore.ReadIfChanged(ctx, b.Bucket, key, known)
}

// GetRange implements objstore.Bucket.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	if b.next(ctx, objstore.OpGetRange, key) != nothing {
		return nil, b.broken(objstore.OpGetRange, key)
	}
	return b.Bucket.GetRange(ctx, key, offset, length)
}

// Open implements objstore.Bucket.
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

// brokenReader fails where the object should end.
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

// Put implements objstore.Bucket.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpPut, key, func() (objstore.Version, error) {
		return b.Bucket.Put(ctx, key, body)
	})
}

// Upload implements objstore.Bucket.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	return b.write(ctx, objstore.OpUpload, key, func() (objstore.Version, error) {
		return b.Bucket.Upload(ctx, key, body, size)
	})
}

// Swap implements objstore.Bucket.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpSwap, key, func() (objstore.Version, error) {
		return b.Bucket.Swap(ctx, key, want, body)
	})
}

// Delete implements objstore.Bucket.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	_, err := b.write(ctx, objstore.OpDelete, key, func() (objstore.Version, error) {
		return objstore.Absent, b.Bucket.Delete(ctx, key)
	})
	return err
}

// DeleteIf implements objstore.Bucket.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	_, err := b.write(ctx, objstore.OpDeleteIf, key, func() (objstore.Version, error) {
		return objstore.Absent, b.Bucket.DeleteIf(ctx, key, want)
	})
	return err
}

// write sends the request unless the request is lost. If the response is lost, a
// refusal by the store is lost too: the caller cannot see it.
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

// List implements objstore.Bucket.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return b.ListAfter(ctx, prefix, "", fn)
}

// ListAfter implements objstore.ListAfter.
func (b *Bucket) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	fate := b.next(ctx, objstore.OpList, prefix)
	if fate == question {
		return b.broken(objstore.OpList, prefix)
	}
	if err := objstore.ListFrom(ctx, b.Bucket, prefix, after, fn); err != nil || fate == nothing {
		return err
	}
	return b.broken(objstore.OpList, prefix)
}

// ServerTime implements objstore.Clock.
func (b *Bucket) ServerTime(ctx context.Context) (time.Time, error) {
	if b.next(ctx, objstore.OpServerTime, "") != nothing {
		return time.Time{}, b.broken(objstore.OpServerTime, "")
	}
	return objstore.ServerTime(ctx, b.Bucket)
}

// CopyFrom implements objstore.Copier. The copy of each object is a request of its own.
func (b *Bucket) CopyFrom(ctx context.Context, from objstore.Bucket, keys []string) error {
	for _, key := range keys {
		_, err := b.write(ctx, objstore.OpCopy, key, func() (objstore.Version, error) {
			return objstore.Absent, objstore.Copy(ctx, b.Bucket, from, []string{key})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Unwrap implements objstore.Wrapper.
func (b *Bucket) Unwrap() objstore.Bucket { return b.Bucket }
