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
	// ErrCacheFull: the disk of the cache directory has no space for the objects of
	// a statement, even after eviction. The object store is not affected.
	ErrCacheFull = errors.New("no space left for cached objects")
	// ErrChanged: the object no longer has the requested version. The caller can
	// look up the current version and retry.
	ErrChanged = errors.New("object was replaced")
)

// Options configure a Cache.
type Options struct {
	// Budget is the maximum size of the cached files in bytes; 0 means no limit.
	// Leased files may exceed it; the next Fetch after their release evicts them.
	Budget int64
	// Parallel is the maximum number of objects that are fetched or verified at a
	// time, for all callers together. 0 means 16.
	Parallel int
	// Inspect is called once for each file after it was fetched and verified. Its
	// result is stored as the blob's metadata and kept when the file is evicted.
	// path has no particular suffix. Inspect may be called concurrently. If it
	// returns an error, the object is reported as corrupt, unless the error is one
	// of the operating system (syscall.Errno). Metadata outlives the process, so
	// its encoding should contain a version. If Inspect is nil, metadata is empty.
	Inspect func(ctx context.Context, path string) ([]byte, error)
	Logger  *slog.Logger // nil discards
}

// Cache is a directory of verified local copies of objects. Its methods are safe for
// concurrent use.
type Cache struct {
	dir     string
	budget  int64
	inspect func(ctx context.Context, path string) ([]byte, error)
	log     *slog.Logger
	workers chan struct{}            // semaphore for fetches and verifications
	writer  func(*os.File) io.Writer // returns the file; replaced in tests of a full disk

	mu             sync.Mutex
	files          map[string]*localFile // verified by this process; by name
	flights        map[string]*flight    // fetches and verifications in progress; by name
	metadataByName map[string]metadata

	usage usage
}

// Open opens or creates a cache in dir. It does not read the directory. A cached file
// is verified when it is first requested. When the first file is added, part files of
// dead processes are removed and the budget is enforced.
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

// Fetch returns a lease on local files for all blobs. It reads missing ones from
// bucket. The caller releases the lease. If one blob fails, Fetch returns no lease.
//
// Errors: *ontosql.CorruptError if an object is missing (then it wraps
// objstore.ErrNotFound), does not match its blob, or fails Inspect; ErrChanged or
// ErrCacheFull; an error of the operating system for the directory, with the key;
// or an error of the bucket.
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
		// The fetch succeeded. Files that cannot be evicted stay.
		c.log.WarnContext(ctx, "cached objects not evicted", "error", err)
	}
	return l, nil
}

// Metadata returns the result of Inspect for the blob, from this or another process
// that shares the directory. It returns false if the blob was never fetched. The data
// file may have been evicted.
func (c *Cache) Metadata(b Blob) ([]byte, bool) {
	n, err := c.metadata(b)
	return n.inspected, err == nil
}
