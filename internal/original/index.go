package original

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// indexes brings the index of every known type up to the commit m, down to
// which gaps are filled from the chain. One that fails does not stop the others.
func (w *Writer) indexes(ctx context.Context, m *format.Manifest) error {
	types, _, err := read(ctx, w.Bucket, format.TypesKey, format.DecodeTypes)
	if err != nil {
		return fmt.Errorf("index update skipped: %w", err)
	}
	var failed []error
	for _, name := range types.Entities {
		failed = append(failed, w.index(ctx, ontosql.TypeRef{Kind: ontosql.Entity, Name: name}, m))
	}
	for _, name := range types.Relations {
		failed = append(failed, w.index(ctx, ontosql.TypeRef{Kind: ontosql.Relation, Name: name}, m))
	}
	return errors.Join(failed...)
}

func (w *Writer) index(ctx context.Context, ref ontosql.TypeRef, m *format.Manifest) error {
	x, etag, err := read(ctx, w.Bucket, format.IndexKey(ref), format.DecodeIndex)
	if err != nil {
		return err
	}
	if writes(m, ref) {
		x.Entries = slices.DeleteFunc(x.Entries, func(e format.IndexEntry) bool { return covers(e, m.CommitID) })
	}
	for at := m; ; {
		if !slices.ContainsFunc(x.Entries, func(e format.IndexEntry) bool { return covers(e, at.CommitID) }) {
			add(x, ref, at)
		}
		if at.CommitID-1 <= x.MaxIndexedCommit {
			break
		}
		path := *at.ParentManifestPath
		body, _, err := w.Bucket.Get(ctx, path)
		if err != nil {
			return fmt.Errorf("index of %s: %w", ref, err)
		}
		if at, err = format.DecodeManifest(path, body); err != nil {
			return err
		}
	}
	x.TypeName, x.MaxIndexedCommit = ref.Name, m.CommitID
	slices.SortFunc(x.Entries, func(a, b format.IndexEntry) int {
		return cmp.Or(cmp.Compare(a.MinCommitID, b.MinCommitID), cmp.Compare(a.MaxCommitID, b.MaxCommitID), cmp.Compare(a.Path, b.Path))
	})
	if _, err := w.Bucket.Swap(ctx, format.IndexKey(ref), etag, format.EncodeIndex(x)); err != nil {
		return fmt.Errorf("index of %s: %w", ref, err)
	}
	return nil
}

func covers(e format.IndexEntry, id ontosql.CommitID) bool {
	return e.MinCommitID <= id && id <= e.MaxCommitID
}

func add(x *format.Index, ref ontosql.TypeRef, m *format.Manifest) {
	for i := range m.Files {
		if m.Files[i].Ref() == ref {
			x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: m.CommitID, MaxCommitID: m.CommitID, Path: m.Files[i].Path})
		}
	}
}

func writes(m *format.Manifest, ref ontosql.TypeRef) bool {
	return slices.ContainsFunc(m.Files, func(f format.File) bool { return f.Ref() == ref })
}
