// Package metered counts requests, failures and bytes of an object store by operation,
// for the process and for one statement. It can also report each request to a test. It
// does not change results.
package metered

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// page is the number of objects in one page of an S3 list response.
const page = 1000

// Options configure a metered bucket.
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
	_ objstore.ListAfter    = (*Bucket)(nil)
	_ objstore.Local        = (*Bucket)(nil)
	_ objstore.Clock        = (*Bucket)(nil)
	_ objstore.Copier       = (*Bucket)(nil)
	_ objstore.Wrapper      = (*Bucket)(nil)
)

// New returns a bucket that counts the requests to inner. It implements the optional
// interfaces; where inner does not, objstore's fallback is used.
func New(inner objstore.Bucket, opts Options) *Bucket {
	b := &Bucket{inner: inner, onRequest: opts.OnRequest}
	if b.onRequest == nil {
		b.onRequest = func(string, string) {}
	}
	return b
}

// Status returns the counts since New.
func (b *Bucket) Status() Counts { return b.total.Counts() }

func (b *Bucket) String() string { return b.inner.String() }

// Get implements objstore.Bucket.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	b.onRequest(objstore.OpGet, key)
	body, v, err := b.inner.Get(ctx, key)
	b.count(ctx, objstore.OpGet, int64(len(body)), err)
	return body, v, err
}

// GetIfChanged implements objstore.GetIfChanged.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	b.onRequest(objstore.OpGetIfChanged, key)
	body, v, changed, err := objstore.ReadIfChanged(ctx, b.inner, key, known)
	b.count(ctx, objstore.OpGetIfChanged, int64(len(body)), err)
	return body, v, changed, err
}

// GetRange implements objstore.Bucket.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	b.onRequest(objstore.OpGetRange, key)
	body, err := b.inner.GetRange(ctx, key, offset, length)
	b.count(ctx, objstore.OpGetRange, int64(len(body)), err)
	return body, err
}

// Open implements objstore.Bucket. Bytes are counted when they are read.
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
	ctx context.Context // of Open; its counter counts the bytes
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

// Put implements objstore.Bucket.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	b.onRequest(objstore.OpPut, key)
	v, err := b.inner.Put(ctx, key, body)
	b.count(ctx, objstore.OpPut, int64(len(body)), err)
	return v, err
}

// Upload implements objstore.Bucket.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	b.onRequest(objstore.OpUpload, key)
	v, err := b.inner.Upload(ctx, key, body, size)
	b.count(ctx, objstore.OpUpload, size, err)
	return v, err
}

// Swap implements objstore.Bucket.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	b.onRequest(objstore.OpSwap, key)
	v, err := b.inner.Swap(ctx, key, want, body)
	b.count(ctx, objstore.OpSwap, int64(len(body)), err)
	return v, err
}

// Delete implements objstore.Bucket.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	b.onRequest(objstore.OpDelete, key)
	err := b.inner.Delete(ctx, key)
	b.count(ctx, objstore.OpDelete, 0, err)
	return err
}

// DeleteIf implements objstore.Bucket.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	b.onRequest(objstore.OpDeleteIf, key)
	err := b.inner.DeleteIf(ctx, key, want)
	b.count(ctx, objstore.OpDeleteIf, 0, err)
	return err
}

// List implements objstore.Bucket. Each page counts as a request when it begins. An
// error of fn does not count as a failure.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return b.ListAfter(ctx, prefix, "", fn)
}

// ListAfter implements objstore.ListAfter.
func (b *Bucket) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	b.onRequest(objstore.OpList, prefix)
	l := list{ctx: ctx, b: b, fn: fn}
	err := objstore.ListFrom(ctx, b.inner, prefix, after, l.next)
	if l.stopped != nil {
		b.count(ctx, objstore.OpList, 0, nil)
		return err
	}
	b.count(ctx, objstore.OpList, 0, err)
	return err
}

// list is a List that runs.
type list struct {
	ctx     context.Context
	b       *Bucket
	fn      func(objstore.Object) error
	told    int64 // objects so far
	stopped error // of fn
}

func (l *list) next(o objstore.Object) error {
	if l.told++; l.told%page == 1 && l.told > 1 {
		l.b.add(l.ctx, objstore.OpList, Count{Requests: 1})
	}
	l.stopped = l.fn(o)
	return l.stopped
}

// Local implements objstore.Local.
func (b *Bucket) Local() bool { return objstore.IsLocal(b.inner) }

// ServerTime implements objstore.Clock.
func (b *Bucket) ServerTime(ctx context.Context) (time.Time, error) {
	b.onRequest(objstore.OpServerTime, "")
	t, err := objstore.ServerTime(ctx, b.inner)
	b.count(ctx, objstore.OpServerTime, 0, err)
	return t, err
}

// CopyFrom implements objstore.Copier. It counts a request for each object.
func (b *Bucket) CopyFrom(ctx context.Context, from objstore.Bucket, keys []string) error {
	for _, key := range keys {
		b.onRequest(objstore.OpCopy, key)
	}
	err := objstore.Copy(ctx, b.inner, from, keys)
	b.count(ctx, objstore.OpCopy, 0, err)
	b.add(ctx, objstore.OpCopy, Count{Requests: int64(len(keys)) - 1})
	return err
}

// Unwrap implements objstore.Wrapper.
func (b *Bucket) Unwrap() objstore.Bucket { return b.inner }

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
