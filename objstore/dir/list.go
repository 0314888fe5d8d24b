package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// List implements objstore.Bucket. Objects have no versions, because a version
// costs a read of the file. Files whose names are not valid keys are skipped. A link
// to a file is listed as that file. A link to a folder, or out of the directory, is
// an error: skipping it would hide its objects.
func (b *Bucket) List(ctx context.Context, prefix string, fn func(objstore.Object) error) error {
	if ctx.Err() != nil {
		return b.fail(objstore.OpList, prefix, objstore.ContextError(ctx))
	}
	l := b.cache.forPrefix(prefix)
	if l == nil {
		return b.list(&walk{ctx: ctx, b: b, prefix: prefix, fn: fn})
	}
	objects, ok := l.current()
	if !ok {
		var err error
		if objects, err = b.listInto(ctx, l, prefix); err != nil {
			return err
		}
	}
	for _, o := range objects {
		if err := fn(o); err != nil {
			return err
		}
	}
	return nil
}

// listInto lists the objects and keeps them in l.
func (b *Bucket) listInto(ctx context.Context, l *cachedListing, prefix string) (objects []objstore.Object, err error) {
	w := walk{ctx: ctx, b: b, prefix: prefix, watch: newWatch(), fn: func(o objstore.Object) error {
		objects = append(objects, o)
		return nil
	}}
	began := time.Now()
	if err := b.list(&w); err != nil {
		w.watch.close()
		return nil, err
	}
	l.set(w.watch, began, objects)
	return objects, nil
}

// ListAfter implements objstore.ListAfter. It does not look at the files up to after. Its results are
// not cached: whoever lists from a key on expects more every time.
func (b *Bucket) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	if after == "" {
		return b.List(ctx, prefix, fn)
	}
	if ctx.Err() != nil {
		return b.fail(objstore.OpList, prefix, objstore.ContextError(ctx))
	}
	return b.list(&walk{ctx: ctx, b: b, prefix: prefix, after: after, fn: fn})
}

func (b *Bucket) list(w *walk) error {
	folder := w.prefix[:strings.LastIndexByte(w.prefix, '/')+1]
	root := b.root
	if folder != "" {
		if checkKey(strings.TrimSuffix(folder, "/")) != nil {
			return nil // no valid key has this prefix
		}
		w.watchAbove(folder)
		var err error
		root, err = b.root.OpenRoot(folder)
		if err != nil {
			if err = classifyMissing(err); errors.Is(err, objstore.ErrNotFound) {
				return nil
			}
			return b.fail(objstore.OpList, w.prefix, err)
		}
		defer root.Close()
	}
	err := w.folder(root, folder)
	if err == nil || w.stopped {
		return err
	}
	return b.fail(objstore.OpList, w.prefix, classify(err))
}

// walk is the state of one List.
type walk struct {
	ctx     context.Context
	b       *Bucket
	prefix  string
	after   string // keys up to this one are left out; "" for none
	fn      func(objstore.Object) error
	watch   *watch // on the listed folders; nil if the result is not cached
	stopped bool   // fn returned an error
}

// unwatch stops watching, because some change could be missed.
func (w *walk) unwatch() {
	w.watch.close()
	w.watch = nil
}

// watchAbove watches the parents of a folder: a parent may be replaced by another
// folder. It calls unwatch if that is impossible.
func (w *walk) watchAbove(name string) {
	above := "."
	for name := range strings.SplitSeq(strings.TrimSuffix(name, "/"), "/") {
		if w.watch == nil {
			return
		}
		info, err := w.b.root.Lstat(path.Join(above, name))
		if err != nil || info.Mode()&fs.ModeSymlink != 0 { // changes of the link's target are not seen
			w.unwatch()
			return
		}
		root, err := w.b.root.OpenRoot(above)
		if err != nil || !w.watch.add(root, name) {
			w.unwatch()
		}
		if err == nil {
			root.Close()
		}
		above = path.Join(above, name)
	}
}

// folder lists the objects below one folder. Its name is "" or ends in a slash.
func (w *walk) folder(root *os.Root, name string) error {
	if w.watch != nil && !w.watch.add(root, "") { // before the folder is read
		w.unwatch()
	}
	// O_NONBLOCK has no effect on a folder. With it, os does not make the system
	// calls that set and reset it.
	dir, err := root.OpenFile(".", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	names, err := dir.Readdirnames(-1) // ReadDir would look at each file
	dir.Close()
	if err != nil {
		return err
	}
	entries := make([]fs.FileInfo, 0, len(names))
	for _, n := range names {
		if key := name + n; !w.wanted(key, true) && !w.wanted(key, false) || checkKey(key) != nil {
			continue
		}
		info, err := root.Lstat(n)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted after the folder was read
		}
		if err != nil {
			return err
		}
		entries = append(entries, info)
	}
	// To list keys in byte order, sort a folder as if its name ended in a slash:
	// "c.x" < "c/1" < "c0".
	slices.SortFunc(entries, func(x, y fs.FileInfo) int { return strings.Compare(sortKey(x), sortKey(y)) })
	for _, info := range entries {
		if w.ctx.Err() != nil {
			return objstore.ContextError(w.ctx)
		}
		key := name + info.Name()
		if !w.wanted(key, info.IsDir()) {
			continue
		}
		if err := w.entry(root, info, key); err != nil {
			return err
		}
	}
	return nil
}

func sortKey(info fs.FileInfo) string {
	if info.IsDir() {
		return info.Name() + "/"
	}
	return info.Name()
}

// wanted reports whether a file is to be listed, or a folder may have such files.
func (w *walk) wanted(key string, isDir bool) bool {
	if isDir {
		key += "/"
		return (strings.HasPrefix(key, w.prefix) || strings.HasPrefix(w.prefix, key)) && (key > w.after || strings.HasPrefix(w.after, key))
	}
	return strings.HasPrefix(key, w.prefix) && key > w.after
}

func (w *walk) entry(root *os.Root, info fs.FileInfo, key string) error {
	if info.IsDir() {
		sub, err := root.OpenRoot(info.Name())
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed after the folder was read
		}
		if err != nil {
			return err
		}
		defer sub.Close()
		return w.folder(sub, key+"/")
	}
	var err error
	if info.Mode()&fs.ModeSymlink != 0 {
		w.unwatch() // changes of the link's target are not seen
		info, err = w.b.root.Stat(key)
		if err == nil && info.IsDir() {
			return fmt.Errorf("%w: %q is a symbolic link to a folder, which is not followed", objstore.ErrDenied, key)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a dangling link
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
