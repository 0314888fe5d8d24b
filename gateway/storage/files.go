package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/ontosql/ontosql"
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

// Files is the Backend of an ontology in a bucket. Its rows are in Parquet files, which
// are fetched into a cache on this machine.
type Files struct {
	*resolver.Store
	bucket objstore.Bucket
	cache  *diskcache.Cache
	recent *RecentCommits

	foreign    foreignFiles
	converters converters
	footers    footers
	conditions *writepath.ConditionalWrites
}

var _ Backend = (*Files)(nil)

// FilesOptions is what Files is built from. The caller closes the store.
type FilesOptions struct {
	Bucket objstore.Bucket
	Store  *resolver.Store // of the bucket
	Cache  *diskcache.Cache
	Own    *RecentCommits // called by the committer; nil if the committer calls none
	Probed string         // file that remembers the probe of the bucket; "" for none
}

// NewFiles is the Backend of a bucket.
func NewFiles(o FilesOptions) *Files {
	return &Files{
		Store: o.Store, bucket: o.Bucket, cache: o.Cache, recent: orNew(o.Own),
		conditions: writepath.NewConditionalWrites(o.Bucket, o.Probed),
	}
}

// Source is SourceFiles (Backend).
func (b *Files) Source() string { return SourceFiles }

// Recent remembers the last commits of this gateway (Backend).
func (b *Files) Recent() *RecentCommits { return b.recent }

// Manifest is the key of a commit's manifest (Backend).
func (b *Files) Manifest(e *chain.Entry) string { return e.Path }

// Ready checks whether the bucket honours conditional writes (decision A29; Backend).
func (b *Files) Ready(ctx context.Context) error {
	if err := b.conditions.Check(ctx); err != nil {
		return fmt.Errorf("try conditional writes: %w", err)
	}
	return nil
}

// Doubt makes the next Ready probe the bucket (Backend).
func (b *Files) Doubt() { b.conditions.Doubt() }

// Find resolves the window to files and fetches them into the cache (Backend). A snapshot
// that cannot be read is replaced by the files of the commits in it (I5).
func (b *Files) Find(ctx context.Context, _ *duckdb.Engine, s Search) (Result, error) {
	if s.Empty() {
		return Result{Report: filesReport(0, 0)}, nil
	}
	for {
		res, err := b.Files(ctx, s.Pin, s.Type, s.Window)
		if err != nil {
			return Result{}, err
		}
		for _, text := range res.Warnings {
			s.Warn(pgerr.IndexCorrupted, text)
		}
		files := b.prune(res.Files, s.Keys)
		report := filesReport(res.Considered, len(files))
		if s.DryRun {
			return Result{Report: report}, nil
		}
		facts, lease, err := b.fetch(ctx, files)
		if err != nil {
			again, lost := b.distrustSnapshots(ctx, s.Type.Ref, files)
			if lost != nil || !again {
				return Result{}, err
			}
			continue
		}
		f := Result{Files: make([]scan.File, len(files)), Report: report, Release: lease.Release, size: sizeOf(lease.Paths())}
		for i, path := range lease.Paths() {
			f.Files[i] = scan.File{Path: path, Facts: facts[i].Without(s.Type.Distrusted[files[i].Key]), Min: files[i].Min, Max: files[i].Max}
		}
		return f, nil
	}
}

func filesReport(considered, read int) Report {
	return Report{Some: read > 0, Text: func() string {
		return fmt.Sprintf("Files: %d considered, %d pruned, %d read", considered, considered-read, read)
	}}
}

// distrustSnapshots finds the snapshots among files that cannot be read, so that the next
// resolution reads the files of their commits instead (I5). It reports whether there were
// any.
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
		if err := b.RejectSnapshot(ctx, t, f.Key, err); err != nil {
			return false, err
		}
	}
	return found, nil
}

// shortage reports whether an error is for lack of a resource on this machine. Such an
// error says nothing about the file.
func shortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, diskcache.ErrCacheFull)
}

// fetch fetches files into the cache and returns their facts. The caller releases the
// lease.
func (b *Files) fetch(ctx context.Context, files []resolver.File) ([]*format.Facts, *diskcache.Lease, error) {
	blobs := make([]diskcache.Blob, len(files))
	for i, f := range files {
		blobs[i] = blob(f)
	}
	lease, err := b.cache.Fetch(ctx, fileStore{b.bucket, &b.recent.files}, blobs)
	if err != nil {
		return nil, nil, err
	}
	facts := make([]*format.Facts, len(files))
	for i, note := range lease.Metadata() {
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

// Identities reads the identities in data files of other writers, for a committer
// (writepath.Options). It reads through the cache, in which statements look for the files
// too.
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

// sizeOf sums the sizes of local files in bytes. It leaves out files that cannot be read.
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

// agrees checks the facts of a file against what the manifest says of it.
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

// Recoveries are the recorded recoveries (Backend). Of a damaged record the error is a
// *ontosql.CorruptError.
func (b *Files) Recoveries(ctx context.Context) ([]format.Recovery, error) {
	body, _, err := b.bucket.Get(ctx, format.RecoveriesKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read recoveries: %w", err)
	}
	return format.DecodeRecoveries(format.RecoveriesKey, body)
}
