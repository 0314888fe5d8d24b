package original

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Data are the rows that a commit writes of one type. Commit and
// SchemaVersionID of the rows are filled in.
type Data struct {
	Type ontosql.TypeRef
	Rows []format.Row
}

// Commit takes the lock, asks change for the rows to write on the head that it
// then finds, publishes them, brings the indexes forward and removes the lock.
// The id is that of the commit. Of a non-nil error only ErrLockTimeout,
// ErrCrash, ErrLeaseExpired and an error of change say that nothing is visible.
func (w *Writer) Commit(ctx context.Context, change func(*format.Head) ([]Data, error)) (ontosql.CommitID, error) {
	engine, err := w.engine(ctx)
	if err != nil {
		return 0, err
	}
	if err := w.Acquire(ctx); err != nil {
		return 0, err
	}
	defer w.Release(ctx)
	head, etag, err := w.head(ctx)
	if err != nil {
		return 0, err
	}
	data, err := change(head)
	if err != nil {
		return 0, err
	}
	m, path, err := w.stage(ctx, engine, head, data)
	if err != nil {
		return 0, err
	}
	if err := w.checkLease(ctx); err != nil {
		return 0, err
	}
	next := &format.Head{CommitID: m.CommitID, ManifestPath: &path, RuntimeID: w.Owner, UpdatedAt: format.TimeOf(w.now())}
	_, err = w.Bucket.Swap(ctx, format.HeadKey, etag, format.EncodeHead(next))
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return 0, ErrHeadMismatch
	}
	if err != nil {
		return 0, fmt.Errorf("original: write head: %w", err)
	}
	w.IndexWarning = w.indexes(ctx, m)
	return m.CommitID, nil
}

func (w *Writer) head(ctx context.Context) (*format.Head, objstore.Version, error) {
	body, etag, err := w.Bucket.Get(ctx, format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent, ontosql.ErrNotInitialised
	}
	if err != nil {
		return nil, objstore.Absent, fmt.Errorf("original: read head: %w", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	return head, etag, err
}

// stage writes the data files and then the manifest, whose path it returns.
func (w *Writer) stage(ctx context.Context, engine string, head *format.Head, data []Data) (*format.Manifest, string, error) {
	var name [4]byte
	_, _ = rand.Read(name[:])
	attempt := hex.EncodeToString(name[:])
	m := &format.Manifest{
		CommitID: head.CommitID + 1, CreatedAt: format.TimeOf(w.now()), RuntimeID: w.Owner,
		Files: []format.File{}, ParentManifestPath: head.ManifestPath,
	}
	if head.CommitID > 0 {
		parent := head.CommitID
		m.ParentCommitID = &parent
	}
	for _, d := range data {
		file, body, err := w.encode(ctx, engine, m.CommitID, attempt, d)
		if err != nil {
			return nil, "", fmt.Errorf("original: write %s: %w", d.Type, err)
		}
		if _, err := w.Bucket.Put(ctx, file.Path, body); err != nil {
			return nil, "", fmt.Errorf("original: write %s: %w", d.Type, err)
		}
		m.Files = append(m.Files, file)
	}
	path := format.ManifestKey(m.CommitID, attempt)
	body, err := format.EncodeManifest(m)
	if err != nil {
		return nil, "", err
	}
	if _, err := w.Bucket.Put(ctx, path, body); err != nil {
		return nil, "", fmt.Errorf("original: write manifest: %w", err)
	}
	return m, path, nil
}

// encode makes the data file of one type by its current schema.
func (w *Writer) encode(ctx context.Context, engine string, id ontosql.CommitID, attempt string, d Data) (format.File, []byte, error) {
	key := format.VersionsKey(d.Type)
	versions, _, err := read(ctx, w.Bucket, key, format.DecodeVersions)
	if err != nil {
		return format.File{}, nil, err
	}
	current, ok := versions.Current()
	if !ok {
		return format.File{}, nil, errors.New("the type is not registered")
	}
	schema, err := format.DecodeSchema(key, "schema_json", []byte(current.SchemaJSON))
	if err != nil {
		return format.File{}, nil, err
	}
	var body bytes.Buffer
	written, err := format.WriteRows(&body, d.Type, format.DataFields(schema.Fields), func(yield func(format.Row, error) bool) {
		for _, r := range d.Rows {
			r.Commit, r.SchemaVersionID = id, current.SchemaVersionID
			if !yield(r, nil) {
				return
			}
		}
	})
	if err != nil {
		return format.File{}, nil, err
	}
	return format.File{
		ContentSHA256: written.SHA256, Kind: d.Type.Kind.String(), Path: format.DataKey(engine, id, attempt, d.Type, current.SchemaVersionID),
		RowCount: written.Rows, SchemaVersionID: &current.SchemaVersionID, TypeName: d.Type.Name,
	}, body.Bytes(), nil
}
