package dir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/ontosql/ontosql/objstore"
)

// linkers is the number of goroutines that link files or sync folders. More wait for the same
// journal of the file system.
const linkers = 8

// CopyFrom implements objstore.Copier between directories. A file becomes a hard link to that of
// the other directory. Where that is not possible, above all on another file system, it is copied
// by this machine.
//
// Folders are synced once at the end and not after each link, so that thousands of files take a
// second.
func (b *Bucket) CopyFrom(ctx context.Context, from objstore.Bucket, keys []string) error {
	source, ok := from.(*Bucket)
	if !ok {
		return b.fail(objstore.OpCopy, "", objstore.ErrNoCopy)
	}
	if err := inParallel(ctx, keys, func(ctx context.Context, key string) error {
		if err := source.check(ctx, objstore.OpCopy, key); err != nil {
			return err
		}
		linked, err := b.link(source, key)
		switch {
		case errors.Is(err, objstore.ErrNotFound):
			return source.fail(objstore.OpCopy, key, err)
		case err != nil:
			return b.fail(objstore.OpCopy, key, err)
		case linked:
			return nil
		}
		return b.copyFile(ctx, source, key)
	}); err != nil {
		return err
	}
	return inParallel(ctx, foldersOf(keys), func(_ context.Context, folder string) error {
		if err := b.syncFolder(folder); err != nil {
			return b.fail(objstore.OpCopy, folder, classifyAfterRename(err))
		}
		return nil
	})
}

// inParallel calls do for each name, several at a time.
func inParallel(ctx context.Context, names []string, do func(ctx context.Context, name string) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(linkers)
	for _, name := range names {
		g.Go(func() error { return do(ctx, name) })
	}
	return g.Wait()
}

// foldersOf returns the folders of keys and all folders above them.
func foldersOf(keys []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, key := range keys {
		for folder := path.Dir(key); !seen[folder]; folder = path.Dir(folder) {
			seen[folder] = true
			all = append(all, folder)
		}
	}
	return all
}

// link makes the file of a key a link to that of another directory. It reports false, and changes
// nothing, if it cannot be one. The paths are resolved below the two roots, so that no symbolic link leads out.
func (b *Bucket) link(source *Bucket, key string) (linked bool, err error) {
	info, err := source.root.Lstat(key)
	if err != nil {
		return false, classifyMissing(err)
	}
	if !info.Mode().IsRegular() {
		return false, nil
	}
	folder, name := path.Split(key)
	from, err := source.root.Open(path.Clean(folder))
	if err != nil {
		return false, classifyMissing(err)
	}
	defer from.Close()
	to, err := b.root.Open(path.Clean(folder))
	if errors.Is(err, fs.ErrNotExist) {
		if err = b.root.MkdirAll(path.Clean(folder), 0o777); err == nil {
			to, err = b.root.Open(path.Clean(folder))
		}
	}
	if err != nil {
		return false, pathConflict(err)
	}
	defer to.Close()
	err = unix.Linkat(int(from.Fd()), name, int(to.Fd()), name, 0)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, syscall.EEXIST):
		there, err := b.root.Lstat(key)
		return err == nil && os.SameFile(info, there), nil
	}
	// Another file system, one without hard links, a file of another user, too many links: whether
	// the file can be copied is seen then.
	return false, nil //nolint:nilerr // as above
}

// copyFile copies the file of a key.
func (b *Bucket) copyFile(ctx context.Context, source *Bucket, key string) error {
	f, size, err := source.open(ctx, objstore.OpCopy, key)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = b.write(ctx, objstore.OpCopy, key, func(w io.Writer) error {
		_, err := io.CopyBuffer(w, contextReader{ctx, objstore.NewBody(f, size)}, make([]byte, 1<<20))
		return err
	}, func(staged string) error { return b.root.Rename(staged, key) })
	return err
}
