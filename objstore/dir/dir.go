// Package dir keeps the objects of a store as files of one directory: a key is
// the slash-separated path of a file below it, its body the file's whole
// content. A folder that another program filled is a store, and so is a copy.
//
// Writes are complete files that are renamed or linked to their name after an
// fsync, under a lock between processes; see PROTOCOL in lock.go. Everything
// the room needs for itself lies in a ".ontosql" folder, which is made by the
// first write: a directory that is only read is never changed.
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

// reserved is the name of the room's own folder. No segment of a key may be
// it, at any depth, so that a store within a store stays hidden too.
const reserved = ".ontosql"

// maxSegment is the longest file name in bytes that every common file system
// takes (NAME_MAX of Linux and macOS).
const maxSegment = 255

// Options of a directory.
type Options struct {
	// Create makes the directory, parents included, if it does not exist.
	Create bool
}

// Bucket is an objstore.Bucket in a directory. It holds a file descriptor until
// it is garbage.
type Bucket struct {
	path  string // absolute
	root  *os.Root
	local bool
	locks [lockStripes]chan struct{}
	sweep sync.Once // of stale staging files
	cache listingCache
}

var (
	_ objstore.Bucket       = (*Bucket)(nil)
	_ objstore.GetIfChanged = (*Bucket)(nil)
	_ objstore.Local        = (*Bucket)(nil)
)

// Open opens the directory at path. Where there is none it fails with
// objstore.ErrNoBucket, unless it is to create it. It writes nothing else.
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

// Local is objstore.Local's: the directory is on a file system of this machine.
func (b *Bucket) Local() bool { return b.local }

// check refuses a request before anything is done for it.
func (b *Bucket) check(ctx context.Context, op, key string) error {
	if ctx.Err() != nil {
		return b.fail(op, key, objstore.ContextError(ctx))
	}
	if err := checkKey(key); err != nil {
		return b.fail(op, key, err)
	}
	return nil
}
