package resolver

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/objstore"
)

// File is one object that contains rows of a type.
type File struct {
	Key string
	// SHA256 is the checksum from the manifest, lower-case hex. It is empty if the
	// writer recorded none, and for snapshots, which Key and Version identify.
	SHA256 string
	// Version is the version of a snapshot, Absent for a commit's file.
	Version objstore.Version
	// Min and Max are the first and last commit of the rows. They are equal for a
	// commit's file. A snapshot may exceed the window on both sides, so its rows must
	// be filtered by the window.
	Min, Max ontosql.CommitID
	// RowCount is the number of rows according to the manifests.
	RowCount int64
	// SchemaVersionID is the schema version of all rows; 0 if unknown or not uniform.
	SchemaVersionID int64
}

// Snapshot reports whether the file is a compaction snapshot.
func (f File) Snapshot() bool { return f.Min < f.Max }

// Resolution is the result of Files.
type Resolution struct {
	Files []File // in commit order
	// Considered is the number of files with rows of the type at the pin's head.
	// Pruned is the number of those that the window excludes.
	Considered, Pruned int
	// Warnings describe problems of the index for the client. The files are correct
	// nevertheless (I5).
	Warnings []string
}

// maxWarnings is the maximum number of warnings about one index in a statement.
const maxWarnings = 5

// Files returns the files with the rows of a type in a window, from the manifest log. A
// compaction snapshot replaces several files if the index names a valid one (seed 000
// section 8.2, COMPAT 3.5). Bounds above the pin's head are clamped. The index is read
// once per head. Errors are the bucket's; problems of the index are warnings.
func (s *Store) Files(ctx context.Context, pin *Pin, t *catalog.Type, w ontosql.Window) (Resolution, error) {
	upper, lower := min(w.Upper, pin.Head.Commit), max(w.Lower, 0)
	inside := pin.View.Files(t.Ref, lower, upper)
	considered, _ := pin.View.Count(t.Ref, 0, pin.Head.Commit)
	r := Resolution{Considered: considered, Pruned: considered - len(inside)}
	if len(inside) == 0 {
		return r, nil
	}
	x, err := s.index(ctx, pin, t.Ref)
	if err != nil {
		return Resolution{}, err
	}
	r.Warnings = x.warnings(t.Ref, lower, upper)
	r.addFiles(inside, x.accepted)
	return r, nil
}

// Warnings returns the warnings of Files for a statement that reads a copy of the rows
// instead of files.
func (s *Store) Warnings(ctx context.Context, pin *Pin, t *catalog.Type, w ontosql.Window) ([]string, error) {
	upper, lower := min(w.Upper, pin.Head.Commit), max(w.Lower, 0)
	if !pin.View.HasFiles(t.Ref, lower, upper) {
		return nil, nil
	}
	x, err := s.index(ctx, pin, t.Ref)
	if err != nil {
		return nil, err
	}
	return x.warnings(t.Ref, lower, upper), nil
}

// warnings returns the problems of an index in the commits (lower, upper], except pending
// publications.
func (x *index) warnings(t ontosql.TypeRef, lower, upper ontosql.CommitID) []string {
	var texts []string
	now := time.Now()
	for _, p := range x.problems {
		if !x.isPending(p, now) && p.to > lower && p.from <= upper && len(texts) < maxWarnings {
			texts = append(texts, p.warning(t))
		}
	}
	return texts
}

// upTo returns the files of the commits up to last.
func upTo(files []chain.File, last ontosql.CommitID) []chain.File {
	n, _ := slices.BinarySearchFunc(files, last+1, func(f chain.File, id ontosql.CommitID) int { return cmp.Compare(f.Commit, id) })
	return files[:n]
}

// addFiles adds the files of a window, with snapshots instead of the files they replace.
func (r *Resolution) addFiles(inside []chain.File, snapshots []acceptedSnapshot) {
	for len(inside) > 0 {
		first := inside[0]
		for len(snapshots) > 0 && snapshots[0].MaxCommitID < first.Commit {
			snapshots = snapshots[1:]
		}
		if len(snapshots) == 0 || snapshots[0].MinCommitID > first.Commit {
			r.Files = append(r.Files, fileOf(first))
			inside = inside[1:]
			continue
		}
		c := &snapshots[0]
		replaced := upTo(inside, c.MaxCommitID)
		inside = inside[len(replaced):]
		if !c.isWorthReading(replaced) {
			for _, f := range replaced {
				r.Files = append(r.Files, fileOf(f))
			}
			continue
		}
		r.Files = append(r.Files, File{
			Key: c.Path, Version: c.version, Min: c.MinCommitID, Max: c.MaxCommitID, RowCount: c.rows, SchemaVersionID: c.schema,
		})
		// The snapshot counts as one file. Its commits outside the window do not
		// count as pruned.
		r.Considered -= c.files - 1
		r.Pruned -= c.files - len(replaced)
	}
}

// isWorthReading reports whether to read the snapshot instead of the files in the window.
// For one file, or for less than half of the snapshot's rows, the snapshot would be the
// larger read.
func (c *acceptedSnapshot) isWorthReading(replaced []chain.File) bool {
	return len(replaced) > 1 && 2*rows(replaced) >= c.rows
}

func rows(files []chain.File) (n int64) {
	for _, f := range files {
		n += f.RowCount
	}
	return n
}

func fileOf(f chain.File) File {
	return File{
		Key: f.Path, SHA256: f.ContentSHA256, Min: f.Commit, Max: f.Commit,
		RowCount: f.RowCount, SchemaVersionID: versionID(f),
	}
}

func versionID(f chain.File) int64 {
	if f.SchemaVersionID == nil {
		return 0
	}
	return *f.SchemaVersionID
}

func commonVersion(files []chain.File) int64 {
	id := versionID(files[0])
	for _, f := range files {
		if versionID(f) != id {
			return 0
		}
	}
	return id
}
