package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/ontosql/ontosql/objstore"
)

// List is objstore.Bucket's. It tells no versions, because they would cost a
// read of every file. Files whose names are no keys are not objects. A link to
// a file is told as that file; a link to a folder, or out of the directory, is
// an error, because leaving its objects out would not be noticed.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	if ctx.Err() != nil {
		return b.fail(objstore.OpList, prefix, objstore.Ended(ctx))
	}
	folder := prefix[:strings.LastIndexByte(prefix, '/')+1]
	root := b.root
	if folder != "" {
		if checkKey(strings.TrimSuffix(folder, "/")) != nil {
			return nil // no key begins like this
		}
		var err error
		root, err = b.root.OpenRoot(folder)
		if err != nil {
			if err = absence(err); errors.Is(err, objstore.ErrNotFound) {
				return nil
			}
			return b.fail(objstore.OpList, prefix, err)
		}
		defer root.Close()
	}
	w := walk{ctx: ctx, b: b, prefix: prefix, fn: fn}
	err := w.folder(root, folder)
	if err == nil || w.stopped {
		return err
	}
	return b.fail(objstore.OpList, prefix, refusal(err))
}

// walk is one listing.
type walk struct {
	ctx     context.Context
	b       *Bucket
	prefix  string
	fn      func(objstore.Object) error
	stopped bool // by an error of fn
}

// folder tells the objects below one folder, whose name is "" or ends in a
// slash.
func (w *walk) folder(root *os.Root, name string) error {
	// O_NONBLOCK, which means nothing for a folder, spares the calls that os makes
	// to set it and to take it back.
	dir, err := root.OpenFile(".", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return err
	}
	// Keys are in byte order when a folder stands where its slash puts it:
	// "c.x" < "c/1" < "c0".
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(slashed(x), slashed(y)) })
	for _, entry := range entries {
		if w.ctx.Err() != nil {
			return objstore.Ended(w.ctx)
		}
		key := name + entry.Name()
		if !w.wanted(key, entry.IsDir()) || checkKey(key) != nil {
			continue
		}
		if err := w.entry(root, entry, key); err != nil {
			return err
		}
	}
	return nil
}

func slashed(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + "/"
	}
	return e.Name()
}

func (w *walk) wanted(key string, isDir bool) bool {
	if isDir {
		key += "/"
		return strings.HasPrefix(key, w.prefix) || strings.HasPrefix(w.prefix, key)
	}
	return strings.HasPrefix(key, w.prefix)
}

func (w *walk) entry(root *os.Root, entry fs.DirEntry, key string) error {
	if entry.IsDir() {
		sub, err := root.OpenRoot(entry.Name())
		if errors.Is(err, fs.ErrNotExist) {
			return nil // pruned since
		}
		if err != nil {
			return err
		}
		defer sub.Close()
		return w.folder(sub, key+"/")
	}
	info, err := entry.Info() // of the moment when the folder was read
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = w.b.root.Stat(key)
		if err == nil && info.IsDir() {
			return fmt.Errorf("%w: %q is a symbolic link to a folder, which is not followed", objstore.ErrDenied, key)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // deleted since, or a link to nothing
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	err = w.fn(objstore.Object{Key: key, Size: info.Size(), Modified: info.ModTime()})
	w.stopped = err != nil
	return err
}
