package dir

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Get implements objstore.Bucket.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, objstore.Version, error) {
	body, err := b.read(ctx, objstore.OpGet, key)
	if err != nil {
		return nil, objstore.Absent, err
	}
	return body, versionOfBody(body), nil
}

// GetIfChanged implements objstore.GetIfChanged. A caller that knows a version will
// probably ask again, so the version is cached with a watch on the file.
func (b *Bucket) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	if err := b.check(ctx, objstore.OpGetIfChanged, key); err != nil {
		return nil, objstore.Absent, false, err
	}
	var l *cachedListing
	var w walk
	if known != objstore.Absent {
		l = b.cache.forKey(key)
	}
	if l != nil {
		if objects, ok := l.current(); ok && objects[0].Version == known {
			return nil, known, false, nil
		}
		w = walk{b: b, watch: newWatch()}
		w.watchAbove(key)
	}
	began := time.Now()
	body, err := b.read(ctx, objstore.OpGetIfChanged, key)
	if err != nil {
		w.watch.close()
		return nil, objstore.Absent, false, err
	}
	v := versionOfBody(body)
	if l != nil {
		l.set(w.watch, began, []objstore.Object{{Key: key, Version: v}})
	}
	b.cache.recordVersion(key, v, began)
	if v == known {
		return nil, v, false, nil
	}
	return body, v, true, nil
}

func (b *Bucket) read(ctx context.Context, op, key string) ([]byte, error) {
	f, size, err := b.open(ctx, op, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var buf bytes.Buffer
	buf.Grow(int(size) + bytes.MinRead)
	if _, err := buf.ReadFrom(contextReader{ctx, f}); err != nil {
		return nil, b.fail(op, key, classify(err))
	}
	return buf.Bytes(), nil
}

// GetRange implements objstore.Bucket.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	f, size, err := b.open(ctx, objstore.OpGetRange, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from, to, err := objstore.ClampRange(offset, length, size)
	if err != nil {
		return nil, b.fail(objstore.OpGetRange, key, err)
	}
	body := make([]byte, to-from)
	if _, err := f.ReadAt(body, from); err != nil {
		return nil, b.fail(objstore.OpGetRange, key, classify(err))
	}
	return body, nil
}

// Open implements objstore.Bucket. It reads the file twice, first to compute its
// version. The content of a published file does not change between the two reads.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, objstore.Version, error) {
	f, _, err := b.open(ctx, objstore.OpOpen, key)
	if err != nil {
		return nil, objstore.Absent, err
	}
	v, err := versionOf(contextReader{ctx, f})
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, objstore.Absent, b.fail(objstore.OpOpen, key, classify(err))
	}
	return &stream{Closer: f, r: contextReader{ctx, f}, b: b, key: key}, v, nil
}

// stream converts the read errors of a file to *objstore.Error.
type stream struct {
	io.Closer
	r   contextReader
	b   *Bucket
	key string
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.b.fail(objstore.OpOpen, s.key, classify(err))
	}
	return n, err
}

// open opens the file of a key and returns its size. The caller closes it.
func (b *Bucket) open(ctx context.Context, op, key string) (*os.File, int64, error) {
	if err := b.check(ctx, op, key); err != nil {
		return nil, 0, err
	}
	// Without O_NONBLOCK, opening a named pipe would block.
	f, err := b.root.OpenFile(key, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, b.fail(op, key, classifyMissing(err))
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = objstore.ErrNotFound
	}
	if err != nil {
		f.Close()
		return nil, 0, b.fail(op, key, classify(err))
	}
	return f, info.Size(), nil
}
