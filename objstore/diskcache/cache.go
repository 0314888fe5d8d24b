package diskcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/objstore"
)

var (
	// ErrCacheFull: the disk below the cache directory has no room for the
	// objects of a statement, even after others were evicted. The store is not
	// touched by it.
	ErrCacheFull = errors.New("no space left for cached objects")
	// ErrChanged: the object has another version than the one that was asked
	// for. Whoever looks up the version again gets on.
	ErrChanged = errors.New("object was replaced")
)

// Options of a Cache.
type Options struct {
	// Budget is how many bytes of files are kept; leased files may exceed it,
	// and are evicted by the next Fetch after their release. 0 is no limit.
	Budget int64
	// Parallel is how many objects are fetched or verified at a time, for all
	// callers together; 16 when 0.
	Parallel int
	// Inspect looks into a file once, when it was fetched and verified; what it
	// returns is kept as the blob's note, even when the file is evicted. path
	// has no particular suffix. It is called for several files at once. Its
	// error makes the object a corrupt one, unless the operating system gave it
	// (syscall.Errno). Notes outlive the program, so they should carry a version.
	// nil leaves them empty.
	Inspect func(ctx context.Context, path string) ([]byte, error)
	Logger  *slog.Logger // nil discards
}

// Cache is a directory of verified local files. Its methods may be called from
// several goroutines.
type Cache struct {
	dir     string
	budget  int64
	inspect func(ctx context.Context, path string) ([]byte, error)
	log     *slog.Logger
	workers chan struct{}            // a token for each fetch or verification
	writer  func(*os.File) io.Writer // the file itself, save in tests of a full disk

	mu             sync.Mutex
	files          map[string]*localFile // verified by this process, by name
	flights        map[string]*flight    // being verified or fetched
	metadataByName map[string]metadata

	usage usage
}

// Open makes a cache of dir, creating it. What is there already is looked at
// when it is asked for, and when the first new file comes: then what processes
// that died left half written is removed, and what exceeds the budget.
func Open(dir string, o Options) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	if o.Parallel == 0 {
		o.Parallel = 16
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Inspect == nil {
		o.Inspect = func(context.Context, string) ([]byte, error) { return nil, nil }
	}
	return &Cache{
		dir:            dir,
		budget:         o.Budget,
		inspect:        o.Inspect,
		log:            o.Logger,
		workers:        make(chan struct{}, o.Parallel),
		writer:         func(f *os.File) io.Writer { return f },
		files:          map[string]*localFile{},
		flights:        map[string]*flight{},
		metadataByName: map[string]metadata{},
	}, nil
}

func (c *Cache) path(name, suffix string) string { return filepath.Join(c.dir, name+suffix) }

// Fetch makes the blobs local files, those that are not here by reading them
// from bucket, and leases them to the caller, who releases them. It gets all or
// none.
//
// The error is a *ontosql.CorruptError when an object is missing (it wraps
// objstore.ErrNotFound then), is not what its blob says or does not pass
// Inspect; ErrChanged or ErrCacheFull with the key; what the operating system
// says of the directory, with the key too; or the bucket's.
func (c *Cache) Fetch(ctx context.Context, bucket objstore.Bucket, blobs []Blob) (*Lease, error) {
	l := &Lease{cache: c, files: make([]*localFile, len(blobs)), metadata: make([][]byte, len(blobs))}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cap(c.workers))
	for i, b := range blobs {
		if l.files[i] = c.lease(b.name()); l.files[i] != nil {
			continue
		}
		if groupCtx.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			l.files[i], err = c.get(groupCtx, bucket, b)
			return err
		})
	}
	err := group.Wait()
	if err == nil && ctx.Err() != nil {
		err = objstore.ContextError(ctx)
	}
	for i := 0; err == nil && i < len(blobs); i++ {
		var n metadata
		n, err = c.metadata(blobs[i])
		l.metadata[i] = n.inspected
	}
	if err != nil {
		l.Release()
		return nil, err
	}
	if err := c.evictOverBudget(); err != nil {
		// The statement has its files; what cannot be evicted stays.
		c.log.WarnContext(ctx, "cached objects not evicted", "error", err)
	}
	return l, nil
}

// Metadata is what Inspect said of the blob when it was fetched, by whichever
// process shares the directory; false when it never was. The file need not be
// here any more.
func (c *Cache) Metadata(b Blob) ([]byte, bool) {
	n, err := c.metadata(b)
	return n.inspected, err == nil
}
