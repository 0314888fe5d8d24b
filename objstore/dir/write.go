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

// Put implements objstore.Bucket.
func (b *Bucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.write(ctx, objstore.OpPut, key, whole(body), func(staged string) error {
		return b.root.Rename(staged, key)
	})
}

// Upload implements objstore.Bucket.
func (b *Bucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	copied := func(w io.Writer) error {
		_, err := io.CopyBuffer(w, contextReader{ctx, objstore.NewBody(body, size)}, make([]byte, 1<<20))
		return err
	}
	return b.write(ctx, objstore.OpUpload, key, copied, func(staged string) error {
		return b.root.Rename(staged, key)
	})
}

// Swap implements objstore.Bucket. It is atomic between processes.
func (b *Bucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	if want == objstore.Absent && b.check(ctx, objstore.OpSwap, key) == nil {
		// Many race for the same object. Those who are late need not store and sync a body.
		if there, err := b.isObject(key); err == nil && there {
			return objstore.Absent, b.fail(objstore.OpSwap, key, objstore.ErrPreconditionFailed)
		}
	}
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

// explainExists returns the error of a Swap from Absent that found something at
// the key: a folder, or a file that a program without the lock created.
func (b *Bucket) explainExists(key string, err error) error {
	if info, statErr := b.root.Lstat(key); statErr == nil && info.IsDir() {
		return err
	}
	return objstore.ErrPreconditionFailed
}

// compare returns ErrPreconditionFailed unless the object has the version want.
func (b *Bucket) compare(ctx context.Context, key string, want objstore.Version) error {
	_, got, err := b.Get(ctx, key)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return errors.Unwrap(err) // write adds the same *objstore.Error
	}
	if got != want {
		return objstore.ErrPreconditionFailed
	}
	return nil
}

// whole returns a function that writes body.
func whole(body []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(body)
		return err
	}
}

// write stores the body in a staging file and calls publish under the key's lock.
func (b *Bucket) write(ctx context.Context, op, key string, body func(io.Writer) error, publish func(staged string) error) (objstore.Version, error) {
	if err := b.check(ctx, op, key); err != nil {
		return objstore.Absent, err
	}
	b.sweep.Do(b.sweepStaging)
	staged, version, err := b.stage(body)
	if err != nil {
		return objstore.Absent, b.fail(op, key, fmt.Errorf("stage: %w", classify(err)))
	}
	defer func() { _ = b.root.Remove(staged) }() // fails if it was renamed
	unlock, err := b.lock(ctx, key)
	if err != nil {
		return objstore.Absent, b.fail(op, key, err)
	}
	defer unlock()
	err = publish(staged)
	// Create the folders only if they are missing. A concurrent Delete may remove
	// them again before publish runs, so retry.
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

// makeFolders creates dir and its parents and syncs their parent folders.
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

// syncFolder syncs a folder, so that the names in it survive a power failure.
func (b *Bucket) syncFolder(dir string) error {
	f, err := b.root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // this file system does not support sync of folders
	}
	return err
}

// Delete implements objstore.Bucket.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	return b.remove(ctx, objstore.OpDelete, key, func() error { return nil })
}

// DeleteIf implements objstore.Bucket. A missing object is not an error. Comparing
// and removing are one atomic step.
func (b *Bucket) DeleteIf(ctx context.Context, key string, want objstore.Version) error {
	return b.remove(ctx, objstore.OpDeleteIf, key, func() error { return b.compare(ctx, key, want) })
}

func (b *Bucket) remove(ctx context.Context, op, key string, allowed func() error) error {
	if err := b.check(ctx, op, key); err != nil {
		return err
	}
	if there, err := b.isObject(key); err != nil || !there { // do not create a lock file
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
	// Remove folders that became empty. Errors are ignored: an empty folder does no
	// harm.
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

// isObject reports whether a file or a link exists at the key.
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
