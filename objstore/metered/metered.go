// Package metered counts what is asked of an object store: requests, failures
// and bytes by operation, for the whole process, for one statement, and line
// by line for the tests that hold round trips down. It changes no answer.
package metered

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// page is how many objects S3 tells in one answer to a list request.
const page = 1000

// Options of a metered bucket.
type Options struct {
	// OnRequest, if set, is called before each request, in the goroutine that
	// makes it, with one of the objstore.Op constants and the key or prefix.
	OnRequest func(op, key string)
}

// Bucket counts the requests that pass through it.
type Bucket struct {
	inner     objstore.Bucket
	onRequest func(op, key string)
	total     Counter
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.Local        = (*Bucket)(nil)
	_ objstore.Clock        = (*Bucket)(nil)
)

// New returns inner with its requests counted. The optional powers of inner are
// passed through; where it lacks one, objstore's fallback answers.
func New(inner objstore.Bucket, opts Options) *Bucket {
	b := &Bucket{inner: inner, onRequest: opts.OnRequest}
	if b.onRequest == nil {
		b.onRequest = func(string, string) {}
	}
	return b
}

// Status is everything that was counted since New.
func (b *Bucket) Status() Counts { return b.total.Counts() }

func (b *Bucket) String() string { return b.inner.String() }

// Get is objstore.Bucket's.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	b.onRequest(objstore.OpGet, key)
	body, v, err := b.inner.Get(ctx, key)
	b.count(ctx, objstore.OpGet, int64(len(body)), err)
	return body, v, err
}

// GetIfChanged is objstore.GetIfChanged's.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	b.onRequest(objstore.OpGetIfChanged, key)
	body, v, changed, err := objstore.ReadIfChanged(ctx, b.inner, key, known)
	b.count(ctx, objstore.OpGetIfChanged, int64(len(body)), err)
	return body, v, changed, err
}

// GetRange is objstore.Bucket's.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	b.onRequest(objstore.OpGetRange, key)
	body, err := b.inner.GetRange(ctx, key, offset, length)
	b.count(ctx, objstore.OpGetRange, int64(len(body)), err)
	return body, err
}

// Open is objstore.Bucket's. Bytes are counted as they are read.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	b.onRequest(objstore.OpOpen, key)
	r, v, err := b.inner.Open(ctx, key)
	b.count(ctx, objstore.OpOpen, 0, err)
	if err != nil {
		return nil, objstore.Absent, err
	}
	return &reader{ReadCloser: r, ctx: ctx, b: b}, v, nil
}

type reader struct {
	io.ReadCloser
	ctx context.Context // of the Open, whose counter the bytes belong to
	b   *Bucket
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	count := Count{Bytes: int64(n)}
	if err != nil && !errors.Is(err, io.EOF) {
		count.Failures = 1
	}
	r.b.add(r.ctx, objstore.OpOpen, count)
	return n, err
}

// Put is objstore.Bucket's.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	b.onRequest(objstore.OpPut, key)
	v, err := b.inner.Put(ctx, key, body)
	b.count(ctx, objstore.OpPut, int64(len(body)), err)
	return v, err
}

// Upload is objstore.Bucket's.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	b.onRequest(objstore.OpUpload, key)
	v, err := b.inner.Upload(ctx, key, body, size)
	b.count(ctx, objstore.OpUpload, size, err)
	return v, err
}

// Swap is objstore.Bucket's.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	b.onRequest(objstore.OpSwap, key)
	v, err := b.inner.Swap(ctx, key, want, body)
	b.count(ctx, objstore.OpSwap, int64(len(body)), err)
	return v, err
}

// Delete is objstore.Bucket's.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	b.onRequest(objstore.OpDelete, key)
	err := b.inner.Delete(ctx, key)
	b.count(ctx, objstore.OpDelete, 0, err)
	return err
}

// DeleteIf is objstore.Bucket's.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	b.onRequest(objstore.OpDeleteIf, key)
	err := b.inner.DeleteIf(ctx, key, want)
	b.count(ctx, objstore.OpDeleteIf, 0, err)
	return err
}

// List is objstore.Bucket's. Pages beyond the first are counted as they begin;
// an error of fn is no failure of the store.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	b.onRequest(objstore.OpList, prefix)
	var told int64
	var stopped error
	err := b.inner.List(ctx, prefix, func(o objstore.Object) error {
		if told++; told%page == 1 && told > 1 {
			b.add(ctx, objstore.OpList, Count{Requests: 1})
		}
		stopped = fn(o)
		return stopped
	})
	if stopped != nil {
		b.count(ctx, objstore.OpList, 0, nil)
		return err
	}
	b.count(ctx, objstore.OpList, 0, err)
	return err
}

// Local is objstore.Local's.
func (b *Bucket) Local() bool { return objstore.IsLocal(b.inner) }

// ServerTime is objstore.Clock's.
func (b *Bucket) ServerTime(ctx context.Context) (time.Time, error) {
	b.onRequest(objstore.OpServerTime, "")
	t, err := objstore.ServerTime(ctx, b.inner)
	b.count(ctx, objstore.OpServerTime, 0, err)
	return t, err
}

func (b *Bucket) count(ctx context.Context, op string, size int64, err error) {
	count := Count{Requests: 1, Bytes: size}
	if err != nil && !errors.Is(err, objstore.ErrNotFound) && !errors.Is(err, objstore.ErrPreconditionFailed) {
		count.Failures = 1
	}
	b.add(ctx, op, count)
}

func (b *Bucket) add(ctx context.Context, op string, count Count) {
	b.total.add(op, count)
	counterOf(ctx).add(op, count)
}
