package gateway

import (
	"context"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore/diskcache"
	"github.com/ontosql/ontosql/resolver"
)

// prune leaves out files whose keys lie outside what the statement asks for, as
// far as the cache has seen them.
func (db *Database) prune(files []resolver.File, keys keyBounds) []resolver.File {
	return resolver.Prune(files, keys.first(), func(f resolver.File) (*format.Facts, bool) {
		note, ok := db.cache.Note(blob(f))
		if !ok {
			return nil, false
		}
		facts, err := format.DecodeFacts(note)
		return facts, err == nil
	})
}

// distrustSnapshots finds the snapshots among files that cannot be had, so that
// the next resolution reads the commits' own files instead (I5). It reports
// whether there were any.
func (db *Database) distrustSnapshots(ctx context.Context, t ontosql.TypeRef, files []resolver.File) (bool, error) {
	found := false
	for _, f := range files {
		if !f.Snapshot() {
			continue
		}
		_, lease, err := db.fetch(ctx, []resolver.File{f})
		if err == nil {
			lease.Release()
			continue
		}
		if ctx.Err() != nil {
			return false, err
		}
		found = true
		if err := db.store.Distrust(ctx, t, f.Key, err); err != nil {
			return false, err
		}
	}
	return found, nil
}

// fetch brings files into the cache and says what they hold.
func (db *Database) fetch(ctx context.Context, files []resolver.File) ([]*format.Facts, *diskcache.Lease, error) {
	blobs := make([]diskcache.Blob, len(files))
	for i, f := range files {
		blobs[i] = blob(f)
	}
	lease, err := db.cache.Fetch(ctx, db.bucket, blobs)
	if err != nil {
		return nil, nil, err
	}
	facts := make([]*format.Facts, len(files))
	for i, note := range lease.Notes() {
		if facts[i], err = format.DecodeFacts(note); err == nil {
			err = agrees(files[i], facts[i])
		}
		if err != nil {
			lease.Release()
			return nil, nil, err
		}
	}
	return facts, lease, nil
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
