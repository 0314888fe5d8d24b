package dir

import (
	"context"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/objstore"
)

// CopyFrom implements objstore.Copier between directories. A file becomes a hard link to that of
// the other directory. Where that is not possible, above all on another file system, it is copied
// by this machine.
func (b *Bucket) CopyFrom(ctx context.Context, from objstore.Bucket, keys []string) error {
	source, ok := from.(*Bucket)
	if !ok {
		return b.fail(objstore.OpCopy, "", objstore.ErrNoCopy)
	}
	for _, key := range keys {
		if err := source.check(ctx, objstore.OpCopy, key); err != nil {
			return err
		}
	}
	left, err := b.link(ctx, source, keys)
	if err != nil {
		return b.fail(objstore.OpCopy, "", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(linkers)
	for _, key := range left {
		g.Go(func() error { return b.copyFile(ctx, source, key) })
	}
	return g.Wait()
}

// link makes files of this directory links to those of another one. It returns the keys of those that
// cannot be, for whatever reason: to copy them shows why.
func (b *Bucket) link(ctx context.Context, source *Bucket, keys []string) (left []string, err error) {
	from, err := source.root.Open(".")
	if err != nil {
		return nil, classify(err)
	}
	defer from.Close()
	to, err := b.root.Open(".")
	if err != nil {
		return nil, classify(err)
	}
	defer to.Close()
	l := &linker{ctx: ctx}
	if err := l.folder(int(from.Fd()), int(to.Fd()), newTree(keys)); err != nil {
		return nil, err
	}
	return l.left, nil
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

// linker is one run of link.
type linker struct {
	ctx context.Context

	mu   sync.Mutex
	left []string
}

// leave leaves all files of a tree to be copied.
func (l *linker) leave(t *tree) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.each(func(key string) { l.left = append(l.left, key) })
}
