package writepath_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// original is a writer that behaves as the original does (COMPAT 3.3 and 3.4),
// its weaknesses included.
type original struct {
	b     objstore.Bucket
	owner string
	now   func() time.Time
}

var (
	errLockTimeout = errors.New("original: lock timeout")
	errCrash       = errors.New("original: the lock vanished under its eyes")
	errMismatch    = errors.New("original: head mismatch")
)

func (w *original) lockBody(ttl time.Duration) []byte {
	now := w.now()
	return format.EncodeLock(&format.Lock{
		OwnerID: w.owner, AcquiredAt: format.TimeOf(now), ExpiresAt: format.TimeOf(now.Add(ttl)), LeaseTTLms: ttl.Milliseconds(),
	})
}

// acquire polls every 10 to 30 ms.
func (w *original) acquire(ctx context.Context, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	for {
		_, err := w.b.Swap(ctx, format.LockKey, objstore.Absent, w.lockBody(30*time.Second))
		if err == nil {
			return nil
		}
		if !errors.Is(err, objstore.ErrPreconditionFailed) {
			return err
		}
		body, etag, err := w.b.Get(ctx, format.LockKey)
		if errors.Is(err, objstore.ErrNotFound) {
			return errCrash
		}
		if err != nil {
			return err
		}
		held, err := format.DecodeLock(format.LockKey, body)
		if err != nil {
			return err
		}
		if !w.now().Before(held.ExpiresAt.Time) {
			if _, err := w.b.Swap(ctx, format.LockKey, etag, w.lockBody(30*time.Second)); err == nil {
				return nil
			}
			continue
		}
		if time.Now().After(deadline) {
			return errLockTimeout
		}
		time.Sleep(10*time.Millisecond + mathrand.N(20*time.Millisecond))
	}
}

func (w *original) release(ctx context.Context) {
	body, etag, err := w.b.Get(ctx, format.LockKey)
	if err != nil {
		return
	}
	if held, err := format.DecodeLock(format.LockKey, body); err == nil && held.OwnerID == w.owner {
		_ = w.b.DeleteIf(ctx, format.LockKey, etag)
	}
}

// commit writes rows of one entity type, which change makes of the head it finds.
func (w *original) commit(ctx context.Context, ref ontosql.TypeRef, change func(*format.Head) []format.Row) (ontosql.CommitID, error) {
	if err := w.acquire(ctx, 5*time.Second); err != nil {
		return 0, err
	}
	defer w.release(ctx)
	body, etag, err := w.b.Get(ctx, format.HeadKey)
	if err != nil {
		return 0, err
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return 0, err
	}
	id := head.CommitID + 1
	var name [4]byte
	_, _ = rand.Read(name[:])
	attempt := hex.EncodeToString(name[:])
	version := int64(1)
	var file bytes.Buffer
	written, err := format.WriteRows(&file, ref, schemaOf(ref).Fields, func(yield func(format.Row, error) bool) {
		for _, r := range change(head) {
			r.Commit, r.SchemaVersionID = id, version
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		return 0, err
	}
	key := format.DataKey(format.EngineV1, id, attempt, ref, version)
	if _, err := w.b.Put(ctx, key, file.Bytes()); err != nil {
		return 0, err
	}
	now := format.TimeOf(w.now())
	m := &format.Manifest{
		CommitID: id, CreatedAt: now, RuntimeID: "original", ParentManifestPath: head.ManifestPath,
		Files: []format.File{{ContentSHA256: written.SHA256, Kind: ref.Kind.String(), Path: key, RowCount: written.Rows, SchemaVersionID: &version, TypeName: ref.Name}},
	}
	if head.CommitID > 0 {
		m.ParentCommitID = &head.CommitID
	}
	if now.Before(head.UpdatedAt.Time) {
		m.CreatedAt = head.UpdatedAt // the original would not; the check of the history wants it
	}
	path := format.ManifestKey(id, attempt)
	if body, err = format.EncodeManifest(m); err != nil {
		return 0, err
	}
	if _, err := w.b.Put(ctx, path, body); err != nil {
		return 0, err
	}
	_, err = w.b.Swap(ctx, format.HeadKey, etag, format.EncodeHead(&format.Head{CommitID: id, ManifestPath: &path, RuntimeID: "original", UpdatedAt: m.CreatedAt}))
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return 0, errMismatch
	}
	if err != nil {
		return 0, err
	}
	return id, w.index(ctx, ref, id, key)
}

// index brings the index of one type forward, without repairing a gap: it only
// appends where the index is at the parent.
func (w *original) index(ctx context.Context, ref ontosql.TypeRef, id ontosql.CommitID, path string) error {
	body, etag, err := w.b.Get(ctx, format.IndexKey(ref))
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	x, err := format.DecodeIndex(format.IndexKey(ref), body)
	if err != nil {
		return fmt.Errorf("original: %w", err)
	}
	if x.MaxIndexedCommit != id-1 {
		return nil
	}
	x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: id, MaxCommitID: id, Path: path})
	x.MaxIndexedCommit = id
	_, err = w.b.Swap(ctx, format.IndexKey(ref), etag, format.EncodeIndex(x))
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return nil // last_index_warning, no more (COMPAT 3.4)
	}
	return err
}
