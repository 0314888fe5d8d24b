package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/diskcache"
)

// Uploads wraps the bucket of a committer. It puts large data files into the disk cache
// while they are uploaded, if the mirror has their type. A statement that looks up a row
// just after a large commit, such as a migration, then does not wait for fetching and
// verifying the file.
func (k *RecentCommits) Uploads(bucket objstore.Bucket, cache *diskcache.Cache) objstore.Bucket {
	return uploads{bucket, cache, k}
}

type uploads struct {
	objstore.Bucket
	cache *diskcache.Cache
	own   *RecentCommits
}

// GetIfChanged is the bucket's (objstore.GetIfChanged).
func (u uploads) GetIfChanged(ctx context.Context, key string, known objstore.Version) ([]byte, objstore.Version, bool, error) {
	return objstore.ReadIfChanged(ctx, u.Bucket, key, known)
}

// ListAfter is the bucket's (objstore.ListAfter).
func (u uploads) ListAfter(ctx context.Context, prefix, after string, fn func(objstore.Object) error) error {
	return objstore.ListFrom(ctx, u.Bucket, prefix, after, fn)
}

// ServerTime is the bucket's (objstore.Clock).
func (u uploads) ServerTime(ctx context.Context) (time.Time, error) {
	return objstore.ServerTime(ctx, u.Bucket)
}

// Upload is the bucket's (objstore.Bucket).
func (u uploads) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	if !u.own.awaited(key) {
		return u.Bucket.Upload(ctx, key, body, size)
	}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		u.keep(ctx, key, body, size)
	}()
	v, err := u.Bucket.Upload(ctx, key, body, size)
	<-kept // the body is the caller's again
	return v, err
}

// keep puts an object into the disk cache. If that fails, its first reader fetches it.
func (u uploads) keep(ctx context.Context, key string, body io.ReaderAt, size int64) {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(body, 0, size)); err != nil {
		return
	}
	blob := diskcache.Blob{Key: key, SHA256: hex.EncodeToString(hash.Sum(nil))}
	if lease, err := u.cache.Fetch(ctx, uploaded{u.Bucket, body, size}, []diskcache.Blob{blob}); err == nil {
		lease.Release()
	}
}

// uploaded is a bucket with one object.
type uploaded struct {
	objstore.Bucket
	body io.ReaderAt
	size int64
}

// Open opens the object (objstore.Bucket).
func (u uploaded) Open(context.Context, string) (io.ReadCloser, objstore.Version, error) {
	return io.NopCloser(io.NewSectionReader(u.body, 0, u.size)), objstore.Absent, nil
}

// awaited reports whether an object is a data file of a type that the mirror has.
func (k *RecentCommits) awaited(key string) bool {
	m := k.mirror.Load()
	id, attempt, ok := format.ParseCommitDir(key)
	if m == nil || !ok {
		return false
	}
	for _, s := range m.Status() {
		if s.Through > 0 && isDataOf(key, id, attempt, s.Type) {
			return true
		}
	}
	return false
}

func isDataOf(key string, id ontosql.CommitID, attempt string, ref ontosql.TypeRef) bool {
	file := format.DataKey(format.EngineV1, id, attempt, ref, 0)
	return key == file || strings.HasPrefix(key, strings.TrimSuffix(file, ".parquet")+"/") // of engine v2
}
