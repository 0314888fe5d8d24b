package diskcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
)

// flight is a fetch or verification in progress. All callers that need the same blob
// wait for it.
type flight struct {
	done        chan struct{}
	err         error // set before done is closed
	contextOnly bool  // err is only about the context of the caller that ran it
}

// get leases a file that this process has not verified yet.
func (c *Cache) get(ctx context.Context, bucket objstore.Bucket, b Blob) (*localFile, error) {
	name := b.name()
	for {
		var f *localFile
		err := c.singleFlight(ctx, name, func() (err error) {
			f, err = c.ensure(ctx, bucket, b)
			return err
		})
		if err != nil {
			return nil, err
		}
		if f == nil { // another goroutine ran ensure
			f = c.lease(name)
		}
		if f != nil {
			return f, nil
		}
		// The other caller has already released its lease and the file was evicted.
	}
}

// singleFlight runs work, or waits for a run of the same name in progress and returns
// its error.
func (c *Cache) singleFlight(ctx context.Context, name string, work func() error) error {
	for {
		c.mu.Lock()
		other := c.flights[name]
		if other == nil {
			break
		}
		c.mu.Unlock()
		select {
		case <-other.done:
			if !other.contextOnly {
				return other.err
			}
		case <-ctx.Done():
			return objstore.ContextError(ctx)
		}
	}
	mine := &flight{done: make(chan struct{}), contextOnly: true}
	c.flights[name] = mine
	c.mu.Unlock()
	defer func() { // also if work panics
		c.mu.Lock()
		delete(c.flights, name)
		c.mu.Unlock()
		close(mine.done)
	}()
	mine.err = work()
	mine.contextOnly = mine.err != nil && ctx.Err() != nil
	return mine.err
}

// ensure leases the blob's file. It verifies an existing file or downloads a new one.
// Other processes may add and remove the file concurrently.
func (c *Cache) ensure(ctx context.Context, bucket objstore.Bucket, b Blob) (*localFile, error) {
	select {
	case c.workers <- struct{}{}:
		defer func() { <-c.workers }()
	case <-ctx.Done():
		return nil, objstore.ContextError(ctx)
	}
	if f := c.lease(b.name()); f != nil { // another flight has just finished
		return f, nil
	}
	for {
		f, err := c.verify(ctx, b)
		if err == nil || ctx.Err() != nil {
			return f, err
		}
		if errors.Is(err, errDamaged) {
			c.log.WarnContext(ctx, "cached file not believed, fetching it again", "key", b.Key, "error", err)
		}
		f, err = c.download(ctx, bucket, b)
		if isDiskFull(err) {
			if err := c.evictHalf(); err != nil {
				c.log.WarnContext(ctx, "cached objects not evicted", "error", err)
			}
			if f, err = c.download(ctx, bucket, b); isDiskFull(err) {
				return nil, fmt.Errorf("%w: %s: %w", ErrCacheFull, b.Key, err)
			}
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// isSystemError reports whether err comes from the operating system. Such an error
// does not mean that the file is damaged.
func isSystemError(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number)
}

var errDamaged = errors.New("its bytes are not those that were fetched")

// verify leases the existing file if its checksum matches its metadata. Otherwise it
// removes the file and returns errDamaged.
func (c *Cache) verify(ctx context.Context, b Blob) (*localFile, error) {
	name := b.name()
	path := c.path(name, dataSuffix)
	file, err := openLocked(path)
	if err != nil {
		return nil, err
	}
	id, err := c.check(ctx, b, file)
	if errors.Is(err, errDamaged) && stillAt(file, path) == nil {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return c.register(name, file, id), nil
}

// check reads the whole file. It returns an error that wraps errDamaged if the content
// is wrong, or another error if reading failed.
func (c *Cache) check(ctx context.Context, b Blob, file *os.File) (identity, error) {
	n, err := c.metadata(b)
	switch {
	case err != nil && isSystemError(err) && !errors.Is(err, fs.ErrNotExist):
		return identity{}, err
	case err != nil:
		return identity{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	before, err := file.Stat()
	if err != nil {
		return identity{}, err
	}
	if before.Size() != n.size {
		return identity{}, fmt.Errorf("%w: %d bytes, not %d", errDamaged, before.Size(), n.size)
	}
	hash := sha256.New()
	if _, err := copyUntil(ctx, hash, file); err != nil {
		return identity{}, err
	}
	after, err := file.Stat()
	if err != nil {
		return identity{}, err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != n.sha256 || identify(before) != identify(after) {
		return identity{}, errDamaged
	}
	return identify(after), nil
}

// register records a verified, open and locked file under its name, with one lease.
func (c *Cache) register(name string, file *os.File, id identity) *localFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &localFile{path: c.path(name, dataSuffix), verified: id, file: file, leases: 1}
	c.files[name] = f
	c.recordUse(name, f)
	return f
}

// download reads the object into a new file, verifies and inspects it, gives it its
// name and leases it. fs.ErrExist means that another process created the file first.
func (c *Cache) download(ctx context.Context, bucket objstore.Bucket, b Blob) (*localFile, error) {
	began := time.Now()
	body, version, err := bucket.Open(ctx, b.Key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, &ontosql.CorruptError{Key: b.Key, Err: err}
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	if b.SHA256 == "" && b.Version != objstore.Absent && b.Version != version {
		return nil, fmt.Errorf("%s: %w: it has version %s, not %s", b.Key, ErrChanged, version, b.Version)
	}
	part, err := c.newPart()
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w", b.Key, err)
	}
	defer part.discard()
	hash := sha256.New()
	size, err := copyUntil(ctx, io.MultiWriter(c.writer(part.file), hash), body)
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w", b.Key, err)
	}
	n := metadata{size: size, sha256: [sha256.Size]byte(hash.Sum(nil))}
	switch {
	case !n.matches(b):
		return nil, ontosql.Corrupt(b.Key, "", "sha256 of its %d bytes is %s, not %s", size, hex.EncodeToString(n.sha256[:]), b.SHA256)
	case b.Size > 0 && b.Size != size:
		return nil, ontosql.Corrupt(b.Key, "", "%d bytes, not %d", size, b.Size)
	}
	if n.inspected, err = c.inspect(ctx, part.file.Name()); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, objstore.ContextError(ctx)
		case isSystemError(err):
			return nil, fmt.Errorf("cache %s: %w", b.Key, err)
		}
		return nil, &ontosql.CorruptError{Key: b.Key, Err: err}
	}
	f, err := c.keep(b.name(), part, n)
	if err != nil {
		return nil, fmt.Errorf("cache %s: %w", b.Key, err)
	}
	c.usage.add(size)
	c.log.DebugContext(ctx, "object cached", "key", b.Key, "bytes", size, "duration", time.Since(began))
	return f, nil
}

// keep gives a verified part file its name; the part's lock becomes the lease. It
// never replaces an existing file: that file may be leased by another process, whose
// lock would then protect a file without a name.
func (c *Cache) keep(name string, part *part, n metadata) (*localFile, error) {
	if err := c.writeMetadata(name, n); err != nil {
		return nil, err
	}
	info, err := part.file.Stat()
	if err != nil {
		return nil, err
	}
	if err := part.publish(c.path(name, dataSuffix)); err != nil {
		return nil, err
	}
	return c.register(name, part.detach(), identify(info)), nil
}

// copyUntil copies in pieces until src ends or ctx ends. Read errors are src's own.
func copyUntil(ctx context.Context, dst io.Writer, src io.Reader) (int64, error) {
	piece := make([]byte, 256<<10)
	var total int64
	for {
		if ctx.Err() != nil {
			return total, objstore.ContextError(ctx)
		}
		n, err := src.Read(piece)
		if n > 0 {
			if _, err := dst.Write(piece[:n]); err != nil {
				return total, err
			}
			total += int64(n)
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
