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

// File is one object that holds rows of a type.
type File struct {
	Key string
	// SHA256 is the checksum that the manifest gives, lower-case hex. It is
	// empty for a snapshot, which is identified by Key and Version instead, and
	// where the writer gave none.
	SHA256 string
	// Version is a snapshot's as it was found, Absent for a commit's file.
	Version objstore.Version
	// Min and Max bound the commits of the rows. They are equal for a commit's
	// file. A snapshot may reach beyond the window on both sides, so its rows
	// have to be held against the window.
	Min, Max ontosql.CommitID
	// RowCount is the number of rows that the manifests say.
	RowCount int64
	// SchemaVersionID is that of all rows, 0 where it is unknown or they differ.
	SchemaVersionID int64
}

// Snapshot reports whether the file is a compaction snapshot.
func (f File) Snapshot() bool { return f.Min < f.Max }

// Resolution is the answer of Files.
type Resolution struct {
	Files []File // in commit order
	// Considered counts the files that hold the type's rows at the pin's head,
	// Pruned those of them that the window left out.
	Considered, Pruned int
	// Warnings are what is wrong with the index, for the client; the files are
	// right all the same (I5).
	Warnings []string
}

// maxWarnings is how many problems of one index a statement is told.
const maxWarnings = 5

// Files resolves a window of a type to the files that hold its rows: those the
// manifest log has, and in the place of several of them the snapshot that
// compaction made of them, where the index names one that can be believed
// (seed 000 section 8.2, COMPAT 3.5). Bounds beyond the pin's head are clamped.
// It reads the index once for each head. Errors are the bucket's; a bad index
// is a warning.
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

// Warnings are those of Files, for a statement that has a copy of the rows and
// reads no file.
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

// warnings are the problems of an index that concern the commits in (lower,
// upper] and will not pass by themselves.
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

// upTo are the first of some files, those of the commits up to last.
func upTo(files []chain.File, last ontosql.CommitID) []chain.File {
	n, _ := slices.BinarySearchFunc(files, last+1, func(f chain.File, id ontosql.CommitID) int { return cmp.Compare(f.Commit, id) })
	return files[:n]
}

// addFiles lists the files of a window, snapshots in the place of theirs.
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
		// The snapshot counts as one file, and its commits outside the window
		// as none that were left out.
		r.Considered -= c.files - 1
		r.Pruned -= c.files - len(replaced)
	}
}

// isWorthReading decides whether a snapshot is read in the place of the files that the
// window has of it: for one file, or for less than half of its rows, it would
// be the greater reading.
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
