// Package mem stores objects in memory, for tests and for data that lives as long as
// the process.
package mem

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Bucket is an objstore.Bucket in memory. The zero value is an empty bucket.
type Bucket struct {
	name string

	mu      sync.RWMutex
	objects map[string]object
	writes  uint64 // counts writes; the versions are these numbers
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.ListAfter    = (*Bucket)(nil)
	_ objstore.Copier       = (*Bucket)(nil)
)

type object struct {
	body     []byte // never modified after it was stored
	version  objstore.Version
	modified time.Time
}

// New returns an empty bucket. Its String method returns "mem://name".
func New(name string) *Bucket { return &Bucket{name: name} }

func (b *Bucket) String() string { return "mem://" + b.name }

// Get implements objstore.Bucket.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	o, err := b.read(ctx, objstore.OpGet, key)
	if err != nil {
		return nil, objstore.Absent, err
	}
	return bytes.Clone(o.body), o.version, nil
}

// GetIfChanged implements objstore.GetIfChanged.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	o, err := b.read(ctx, objstore.OpGetIfChanged, key)
	if err != nil {
		return nil, objstore.Absent, false, err
	}
	if o.version == known {
		return nil, o.version, false, nil
	}
	return bytes.Clone(o.body), o.version, true, nil
}

// GetRange implements objstore.Bucket.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	o, err := b.read(ctx, objstore.OpGetRange, key)
	if err != nil {
		return nil, err
	}
	from, to, err := objstore.ClampRange(offset, length, int64(len(o.body)))
	if err != nil {
		return nil, b.fail(objstore.OpGetRange, key, err)
	}
	return bytes.Clone(o.body[from:to]), nil
}

// Open implements objstore.Bucket. The reader fails when ctx ends, like that of a
// network store.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	o, err := b.read(ctx, objstore.OpOpen, key)
	if err != nil {
		return nil, objstore.Absent, err
	}
	return &reader{ctx: ctx, b: b, key: key, rest: bytes.NewReader(o.body)}, o.version, nil
}

type reader struct {
	ctx  context.Context
	b    *Bucket
	key  string
	rest *bytes.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, r.b.fail(objstore.OpOpen, r.key, objstore.ContextError(r.ctx))
	}
	return r.rest.Read(p)
}

func (r *reader) Close() error { return nil }

// Put implements objstore.Bucket.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpPut, key, body, func(objstore.Version) bool { return true })
}

// Upload implements objstore.Bucket.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	whole := make([]byte, size)
	if _, err := io.ReadFull(objstore.NewBody(body, size), whole); err != nil {
		return objstore.Absent, b.fail(objstore.OpUpload, key, err)
	}
	return b.write(ctx, objstore.OpUpload, key, whole, func(objstore.Version) bool { return true })
}

// Swap implements objstore.Bucket.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpSwap, key, body, func(v objstore.Version) bool { return v == want })
}

// CopyFrom implements objstore.Copier between buckets in memory. They share the bodies.
func (b *Bucket) CopyFrom(ctx context.Context, from objstore.Bucket, keys []string) error {
	source, ok := from.(*Bucket)
	if !ok {
		return b.fail(objstore.OpCopy, "", objstore.ErrNoCopy)
	}
	for _, key := range keys {
		o, err := source.read(ctx, objstore.OpCopy, key)
		if err != nil {
			return err
		}
		b.mu.Lock()
		b.put(key, o.body)
		b.mu.Unlock()
	}
	return nil
}

// Delete implements objstore.Bucket.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.remove(ctx, objstore.OpDelete, key, func(objstore.Version) bool { return true })
}

// DeleteIf implements objstore.Bucket. A missing object is not an error.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	return b.remove(ctx, objstore.OpDeleteIf, key, func(v objstore.Version) bool {
		return v == want || v == objstore.Absent
	})
}

// List implements objstore.Bucket. It lists a snapshot of the bucket; fn may write.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	return b.ListAfter(ctx, prefix, "", fn)
}

// ListAfter implements objstore.ListAfter.
func (b *Bucket) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	if ctx.Err() != nil {
		return b.fail(objstore.OpList, prefix, objstore.ContextError(ctx))
	}
	b.mu.RLock()
	objects := map[string]object{}
	for key, o := range b.objects {
		if key > after && strings.HasPrefix(key, prefix) {
			objects[key] = o
		}
	}
	b.mu.RUnlock()
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if ctx.Err() != nil {
			return b.fail(objstore.OpList, prefix, objstore.ContextError(ctx))
		}
		o := objects[key]
		err := fn(objstore.Object{Key: key, Size: int64(len(o.body)), Version: o.version, Modified: o.modified})
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Bucket) read(ctx context.Context, op, key string) (object, error) {
	if err := b.check(ctx, op, key); err != nil {
		return object{}, err
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	o, ok := b.objects[key]
	if !ok {
		return object{}, b.fail(op, key, objstore.ErrNotFound)
	}
	return o, nil
}

func (b *Bucket) write(ctx context.Context, op, key string, body []byte, allowed func(objstore.Version) bool) (objstore.Version, error) {
	if err := b.check(ctx, op, key); err != nil {
		return objstore.Absent, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !allowed(b.objects[key].version) {
		return objstore.Absent, b.fail(op, key, objstore.ErrPreconditionFailed)
	}
	return b.put(key, bytes.Clone(body)), nil
}

// put stores a body, which nobody changes afterwards. The caller holds b.mu.
func (b *Bucket) put(key string, body []byte) objstore.Version {
	if b.objects == nil {
		b.objects = map[string]object{}
	}
	b.writes++
	v := objstore.Version(fmt.Sprintf("%q", fmt.Sprint("write-", b.writes)))
	b.objects[key] = object{body: body, version: v, modified: time.Now()}
	return v
}

func (b *Bucket) remove(ctx context.Context, op, key string, allowed func(objstore.Version) bool) error {
	if err := b.check(ctx, op, key); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !allowed(b.objects[key].version) {
		return b.fail(op, key, objstore.ErrPreconditionFailed)
	}
	delete(b.objects, key)
	return nil
}

func (b *Bucket) check(ctx context.Context, op, key string) error {
	if ctx.Err() != nil {
		return b.fail(op, key, objstore.ContextError(ctx))
	}
	if err := objstore.CheckKey(key); err != nil {
		return b.fail(op, key, err)
	}
	return nil
}

func (b *Bucket) fail(op, key string, err error) error {
	return &objstore.Error{Op: op, Bucket: b.String(), Key: key, Err: err}
}
