package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/ontosql/ontosql/objstore"
)

// Put is objstore.Bucket's.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpPut, key, whole(body), func(staged string) error {
		return b.root.Rename(staged, key)
	})
}

// Upload is objstore.Bucket's.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	copied := func(w io.Writer) error {
		_, err := io.CopyBuffer(w, contextReader{ctx, objstore.NewBody(body, size)}, make([]byte, 1<<20))
		return err
	}
	return b.write(ctx, objstore.OpUpload, key, copied, func(staged string) error {
		return b.root.Rename(staged, key)
	})
}

// Swap is objstore.Bucket's, true between processes.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpSwap, key, whole(body), func(staged string) error {
		if err := b.compare(ctx, key, want); err != nil {
			return err
		}
		if want != objstore.Absent {
			return b.root.Rename(staged, key)
		}
		err := b.root.Link(staged, key)
		if errors.Is(err, fs.ErrExist) {
			return b.explainExists(key, err)
		}
		return err
	})
}

// explainExists tells the two reasons apart for which there was something in the way
// of a new file, although there was no object: a folder, and a program that
// wrote without the lock.
func (b *Bucket) explainExists(key string, err error) error {
	if info, statErr := b.root.Lstat(key); statErr == nil && info.IsDir() {
		return err
	}
	return objstore.ErrPreconditionFailed
}

// compare fails with ErrPreconditionFailed unless the object has the version.
func (b *Bucket) compare(ctx context.Context, key string, want objstore.Version) error {
	_, got, err := b.Get(ctx, key)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return errors.Unwrap(err) // write adds what Get added
	}
	if got != want {
		return objstore.ErrPreconditionFailed
	}
	return nil
}

// whole writes a body that is in memory.
func whole(body []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	}
}

// write stages the body, and has it published under the key's lock.
func (b *Bucket) write(ctx context.Context, op, key string, body func(io.Writer) error, publish func(staged string) error) (objstore.Version, error) {
	if err := b.check(ctx, op, key); err != nil {
		return objstore.Absent, err
	}
	b.sweep.Do(b.sweepStaging)
	staged, version, err := b.stage(body)
	if err != nil {
		return objstore.Absent, b.fail(op, key, fmt.Errorf("stage: %w", classify(err)))
	}
	defer func() { _ = b.root.Remove(staged) }() // gone already if it was renamed
	unlock, err := b.lock(ctx, key)
	if err != nil {
		return objstore.Absent, b.fail(op, key, err)
	}
	defer unlock()
	err = publish(staged)
	// The folders are made when they turn out to be missing; a Delete may prune
	// them again before we are there.
	for range 100 {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err = b.makeFolders(path.Dir(key)); err == nil || errors.Is(err, fs.ErrNotExist) {
			err = publish(staged)
		}
	}
	if err != nil {
		return objstore.Absent, b.fail(op, key, pathConflict(err))
	}
	if err := b.syncFolder(path.Dir(key)); err != nil {
		return objstore.Absent, b.fail(op, key, fmt.Errorf("sync folder: %w", classifyAfterRename(err)))
	}
	return version, nil
}

// makeFolders makes dir and its parents durable parts of the directory.
func (b *Bucket) makeFolders(dir string) error {
	parent := "."
	for segment := range strings.SplitSeq(dir, "/") {
		folder := path.Join(parent, segment)
		err := b.root.Mkdir(folder, 0o777)
		if err == nil {
			err = b.syncFolder(parent)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		parent = folder
	}
	return nil
}

// syncFolder makes the names in a folder survive a power failure.
func (b *Bucket) syncFolder(dir string) error {
	f, err := b.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // a file system that keeps names safe by itself, or not at all
	}
	return err
}

// Delete is objstore.Bucket's.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.remove(ctx, objstore.OpDelete, key, func() error { return nil })
}

// DeleteIf is objstore.Bucket's; a missing object is no error. Comparing and
// removing are one step here.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	return b.remove(ctx, objstore.OpDeleteIf, key, func() error { return b.compare(ctx, key, want) })
}

func (b *Bucket) remove(ctx context.Context, op, key string, allowed func() error) error {
	if err := b.check(ctx, op, key); err != nil {
		return err
	}
	if there, err := b.isObject(key); err != nil || !there { // without a lock file for nothing
		return b.failIf(op, key, err)
	}
	unlock, err := b.lock(ctx, key)
	if err != nil {
		return b.fail(op, key, err)
	}
	defer unlock()
	if there, err := b.isObject(key); err != nil || !there {
		return b.failIf(op, key, err)
	}
	if err := allowed(); err != nil {
		return b.fail(op, key, err)
	}
	if err := b.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b.fail(op, key, classify(err))
	}
	if err := b.syncFolder(path.Dir(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b.fail(op, key, fmt.Errorf("sync folder: %w", classifyAfterRename(err)))
	}
	// Folders exist for their objects. One that is not empty stays, and so does
	// one that cannot be removed, which does no harm.
	for dir := path.Dir(key); dir != "." && b.root.Remove(dir) == nil; dir = path.Dir(dir) {
	}
	return nil
}

func (b *Bucket) failIf(op, key string, err error) error {
	if err == nil {
		return nil
	}
	return b.fail(op, key, err)
}

// isObject reports whether a file, or a link, is at the key.
func (b *Bucket) isObject(key string) (bool, error) {
	info, err := b.root.Lstat(key)
	if err != nil {
		err = classifyMissing(err)
		if errors.Is(err, objstore.ErrNotFound) {
			return false, nil
		}
		return false, err
	}
	return !info.IsDir(), nil
}
