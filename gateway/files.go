package gateway

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// Files is the Storage of an ontology in a bucket: its rows lie in Parquet files,
// which are brought into a cache on this machine.
type Files struct {
	*resolver.Store
	bucket objstore.Bucket
	cache  *diskcache.Cache
	ours   *OwnCommits

	footers footers
	probed  struct {
		sync.Mutex
		done bool // the bucket has shown that it honours conditional writes
	}
}

var _ Storage = (*Files)(nil)

// FilesOptions is what Files is built from. Closing the store is the caller's.
type FilesOptions struct {
	Bucket objstore.Bucket
	Store  *resolver.Store // of the bucket
	Cache  *diskcache.Cache
	Own    *OwnCommits // told by the committer; nil when it is told of nothing
}

// NewFiles is the storage of a bucket.
func NewFiles(o FilesOptions) *Files {
	return &Files{Store: o.Store, bucket: o.Bucket, cache: o.Cache, ours: orNew(o.Own)}
}

func (b *Files) source() string { return sourceFiles }

func (b *Files) own() *OwnCommits { return b.ours }

func (b *Files) manifest(e *chain.Entry) string { return e.Path }

func (b *Files) warnings(ctx context.Context, pin *resolver.Pin, t *catalog.Type, w ontosql.Window) ([]string, error) {
	return b.Warnings(ctx, pin, t, w)
}

func (b *Files) health(ctx context.Context, pin *resolver.Pin) ([]resolver.Health, error) {
	return b.IndexHealth(ctx, pin)
}

// ready tries the bucket's conditional writes, once (decision A29).
func (b *Files) ready(ctx context.Context) error {
	b.probed.Lock()
	defer b.probed.Unlock()
	if b.probed.done {
		return nil
	}
	if err := writepath.ProbeConditionalWrites(ctx, b.bucket); err != nil {
		return fmt.Errorf("try conditional writes: %w", err)
	}
	b.probed.done = true
	return nil
}

// find resolves the window and brings its files into the cache.
func (b *Files) find(ctx context.Context, _ *duckdb.Engine, s search) (found, error) {
	if s.empty() {
		return found{report: filesReport(0, 0)}, nil
	}
	for {
		res, err := b.Files(ctx, s.pin, s.typ, s.window)
		if err != nil {
			return found{}, err
		}
		for _, text := range res.Warnings {
			s.warn(pgerr.IndexCorrupted, text)
		}
		files := b.prune(res.Files, s.keys)
		report := filesReport(res.Considered, len(files))
		if s.dry {
			return found{report: report}, nil
		}
		facts, lease, err := b.fetch(ctx, files)
		if err != nil {
			again, lost := b.distrustSnapshots(ctx, s.typ.Ref, files)
			if lost != nil || !again {
				return found{}, err
			}
			continue
		}
		f := found{files: make([]scan.File, len(files)), report: report, release: lease.Release, size: sizeOf(lease.Paths())}
		for i, path := range lease.Paths() {
			f.files[i] = scan.File{Path: path, Facts: facts[i], Min: files[i].Min, Max: files[i].Max}
		}
		return f, nil
	}
}

func filesReport(considered, read int) foundReport {
	return foundReport{some: read > 0, text: func() string {
		return fmt.Sprintf("Files: %d considered, %d pruned, %d read", considered, considered-read, read)
	}}
}

// distrustSnapshots finds the snapshots among files that cannot be had, so that
// the next resolution reads the commits' own files instead (I5). It reports
// whether there were any.
func (b *Files) distrustSnapshots(ctx context.Context, t ontosql.TypeRef, files []resolver.File) (bool, error) {
	found := false
	for _, f := range files {
		if !f.Snapshot() {
			continue
		}
		_, lease, err := b.fetch(ctx, []resolver.File{f})
		if err == nil {
			lease.Release()
			continue
		}
		if ctx.Err() != nil || shortage(err) {
			return false, err
		}
		found = true
		if err := b.Distrust(ctx, t, f.Key, err); err != nil {
			return false, err
		}
	}
	return found, nil
}

// shortage reports whether this machine lacks something, which says nothing of a
// file.
func shortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, diskcache.ErrCacheFull)
}

// fetch brings files into the cache and says what they hold.
func (b *Files) fetch(ctx context.Context, files []resolver.File) ([]*format.Facts, *diskcache.Lease, error) {
	blobs := make([]diskcache.Blob, len(files))
	for i, f := range files {
		blobs[i] = blob(f)
	}
	lease, err := b.cache.Fetch(ctx, fileStore{b.bucket, &b.ours.files}, blobs)
	if err != nil {
		return nil, nil, err
	}
	facts := make([]*format.Facts, len(files))
	for i, note := range lease.Notes() {
		if facts[i], err = b.footers.read(blobs[i], note); err == nil {
			err = agrees(files[i], facts[i])
		}
		if err != nil {
			lease.Release()
			return nil, nil, err
		}
	}
	return facts, lease, nil
}

// Identities reads the data files of other writers for a committer
// (writepath.Options) through the cache, where statements look for them too.
func Identities(cache *diskcache.Cache, bucket objstore.Bucket) func(context.Context, chain.File, func(string)) error {
	return func(ctx context.Context, f chain.File, each func(identity string)) error {
		lease, err := cache.Fetch(ctx, bucket, []diskcache.Blob{{Key: f.Path, SHA256: f.ContentSHA256}})
		if err != nil {
			return err
		}
		defer lease.Release()
		return writepath.ReadIdentities(lease.Paths()[0], f, each)
	}
}

// sizeOf tells the size of local files in bytes, as far as it can be told.
func sizeOf(paths []string) func() int64 {
	return func() (sum int64) {
		for _, path := range paths {
			if info, err := os.Stat(path); err == nil {
				sum += info.Size()
			}
		}
		return sum
	}
}

func blob(f resolver.File) diskcache.Blob {
	return diskcache.Blob{Key: f.Key, SHA256: f.SHA256, Version: f.Version}
}

// agrees holds what a manifest says of a file against the file.
func agrees(f resolver.File, facts *format.Facts) error {
	if f.RowCount >= 0 && f.RowCount != facts.Rows {
		return ontosql.Corrupt(f.Key, "row_count", "the manifest says %d rows, the file has %d", f.RowCount, facts.Rows)
	}
	if facts.Rows > 0 && (facts.MinCommit < f.Min || facts.MaxCommit > f.Max) {
		return ontosql.Corrupt(f.Key, "commit_id", "rows of the commits %d to %d in a file of %d to %d",
			facts.MinCommit, facts.MaxCommit, f.Min, f.Max)
	}
	return nil
}
