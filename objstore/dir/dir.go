// Package dir stores objects as files in a directory. A key is the slash-separated
// path of a file; the body is the content of the file. A directory that another
// program filled, or a copy of a directory, is a valid store.
//
// A write creates a complete file, syncs it, and renames or links it to its name
// under a lock between processes; see PROTOCOL in lock.go. Internal files are in
// the folder ".ontosql", which the first write creates. Reading never changes the
// directory.
package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/ontosql/ontosql/objstore"
)

// reserved is the name of the folder for internal files. It is not allowed as a
// segment of a key at any depth, so that a store below another store is hidden too.
const reserved = ".ontosql"

// maxSegment is the maximum length in bytes of a file name on all common file
// systems (NAME_MAX of Linux and macOS).
const maxSegment = 255

// Options configure Open.
type Options struct {
	// Create makes Open create the directory and its parents if missing.
	Create bool
}

// Bucket is an objstore.Bucket in a directory. It holds a file descriptor that is
// closed when the Bucket is garbage-collected.
type Bucket struct {
	path  string // absolute
	root  *os.Root
	local bool
	locks [lockStripes]chan struct{}
	sweep sync.Once // removes stale staging files
	cache listingCache
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.ListAfter    = (*Bucket)(nil)
	_ objstore.Local        = (*Bucket)(nil)
	_ objstore.Clock        = (*Bucket)(nil)
	_ objstore.Copier       = (*Bucket)(nil)
)

// Open opens the directory at path. If it does not exist, Open fails with
// objstore.ErrNoBucket, or creates it if opts.Create is set. It writes nothing else.
func Open(path string, opts Options) (*Bucket, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	if opts.Create {
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, fmt.Errorf("create directory: %w", classify(err))
		}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("open directory: %w: %w", objstore.ErrNoBucket, err)
	case err != nil:
		return nil, fmt.Errorf("open directory: %w", classify(err))
	case !info.IsDir():
		return nil, fmt.Errorf("open directory: %w: %s is a file", objstore.ErrNoBucket, path)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", classify(err))
	}
	b := &Bucket{path: path, root: root, local: isLocal(root)}
	for i := range b.locks {
		b.locks[i] = make(chan struct{}, 1)
	}
	return b, nil
}

func (b *Bucket) String() string { return "file://" + b.path }

// Local implements objstore.Local: it reports whether the directory is on a local
// file system.
func (b *Bucket) Local() bool { return b.local }

// check validates the context and the key of a request.
func (b *Bucket) check(ctx context.Context, op, key string) error {
	if ctx.Err() != nil {
		return b.fail(op, key, objstore.ContextError(ctx))
	}
	if err := checkKey(key); err != nil {
		return b.fail(op, key, err)
	}
	return nil
}
