package compaction

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// replaced returns the files that a snapshot of the commits first to last stands for. It returns
// none if one of the two did not write the type, or is below the type's floor (decision A14).
func replaced(view *chain.View, ref ontosql.TypeRef, first, last ontosql.CommitID) []chain.File {
	files := view.Files(ref, first-1, last)
	if len(files) == 0 || files[0].Commit != first || files[len(files)-1].Commit != last {
		return nil
	}
	return files
}

func rowsOf(files []chain.File) (n int64) {
	for _, f := range files {
		n += f.RowCount
	}
	return n
}

// refused returns why a snapshot that an index names cannot be used, "" if it can. Snapshots have
// no checksum, so their footers are compared with the manifests: number of rows and range of
// commits.
func (s Store) refused(ctx context.Context, view *chain.View, ref ontosql.TypeRef, e format.IndexEntry) (string, error) {
	if !e.Snapshot() || e.Path != format.SnapshotKey(ref, e.MinCommitID, e.MaxCommitID) {
		return fmt.Sprintf("is not the snapshot of commits %d to %d", e.MinCommitID, e.MaxCommitID), nil
	}
	if floor := view.Floor(ref); e.MinCommitID < floor {
		return fmt.Sprintf("has rows from before commit %d dropped the type", floor), nil
	}
	files := replaced(view, ref, e.MinCommitID, e.MaxCommitID)
	if files == nil {
		return "is of commits that did not write the type", nil
	}
	x, err := s.extent(ctx, e.Path)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		return "does not exist", nil
	case errors.Is(err, format.ErrDamagedFile):
		return fmt.Sprintf("cannot be read: %v", err), nil
	case err != nil:
		return "", fmt.Errorf("read snapshot: %w", err)
	}
	if want := rowsOf(files); x.Rows != want {
		return fmt.Sprintf("has %d rows, its commits have %d", x.Rows, want), nil
	}
	if x.MinCommit != 0 && (x.MinCommit < e.MinCommitID || x.MaxCommit > e.MaxCommitID) {
		return fmt.Sprintf("has rows of commits %d to %d", x.MinCommit, x.MaxCommit), nil
	}
	return "", nil
}

// size is the size of an object, negative if it does not exist.
func (s Store) size(ctx context.Context, key string) (int64, error) {
	size := int64(-1)
	found := errors.New("found")
	err := s.Bucket.List(ctx, key, func(o objstore.Object) error {
		if o.Key == key {
			size = o.Size
		}
		return found // key itself sorts before all keys that it is a prefix of
	})
	if err != nil && !errors.Is(err, found) {
		return 0, err
	}
	return size, nil
}

// extent reads the footer of an object.
func (s Store) extent(ctx context.Context, key string) (format.Extent, error) {
	size, err := s.size(ctx, key)
	if err != nil {
		return format.Extent{}, err
	}
	if size < 0 {
		return format.Extent{}, fmt.Errorf("%s: %w", key, objstore.ErrNotFound)
	}
	r := &rangeReader{ctx: ctx, bucket: s.Bucket, key: key, size: size}
	x, err := format.ReadExtent(r, size)
	if r.err != nil { // the Parquet library may hide it
		err = r.err
	}
	return x, err
}

// rangeReader reads an object in ranges. The end, which has the footer, is read once.
type rangeReader struct {
	ctx    context.Context
	bucket objstore.Bucket
	key    string
	size   int64
	tail   []byte
	err    error // of the bucket
}

// footerBytes is how much of the end of an object is read at a time; few footers are larger.
const footerBytes = 64 << 10

func (r *rangeReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= r.size {
		return 0, io.EOF
	}
	from := max(0, r.size-footerBytes)
	if off >= from {
		if r.tail == nil {
			if r.tail, r.err = r.bucket.GetRange(r.ctx, r.key, from, r.size-from); r.err != nil {
				return 0, r.err
			}
		}
		n := copy(p, r.tail[min(off-from, int64(len(r.tail))):])
		if n < len(p) {
			return n, io.EOF
		}
		return n, nil
	}
	body, err := r.bucket.GetRange(r.ctx, r.key, off, min(int64(len(p)), r.size-off))
	if err != nil {
		r.err = err
		return 0, err
	}
	n := copy(p, body)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
