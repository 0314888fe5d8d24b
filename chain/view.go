package chain

import (
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// View is an ontology's chain as one head sees it. It never changes, asks for
// nothing, and may be kept and shared by any number of goroutines. Commits
// above its head do not exist for it: ids beyond are clamped.
type View struct {
	head ontosql.Head
	h    *history // may be longer than head.Commit
}

// File is a data file with the commit that wrote it.
type File struct {
	Commit ontosql.CommitID
	*format.File
}

// Head is the head this is the view of.
func (v *View) Head() ontosql.Head { return v.head }

// Len is the number of commits, which is also the id of the last one (I3).
func (v *View) Len() int { return int(v.head.Commit) }

// Commit is the commit of that id, nil when there is none.
func (v *View) Commit(id ontosql.CommitID) *Entry {
	if id < 1 || id > v.head.Commit {
		return nil
	}
	return v.h.entries[id-1]
}

// LastCommitAt is the greatest commit whose created_at is not after t, 0 when there
// is none (decision A12). Clocks of foreign writers may run backwards, so
// commits below it may be later than t.
func (v *View) LastCommitAt(t time.Time) ontosql.CommitID {
	// Stored times are whole microseconds, so cutting t to them asks the same.
	limit := t.UnixMicro()
	for id := v.head.Commit; id > 0; id-- {
		if v.h.created[id-1] <= limit {
			return id
		}
	}
	return 0
}

// Resolve is the commit a point names, between 0 and the head.
func (v *View) Resolve(p ontosql.Point) ontosql.CommitID {
	if t, ok := p.Time(); ok {
		return v.LastCommitAt(t)
	}
	id, _ := p.Commit(v.head.Commit)
	return id
}

// Files are the files of t that the commits in (lower, upper] wrote, in the
// order of commits and, within one, of its manifest. Those from before the
// type's last drop (see Floor) are left out: their rows are gone for every
// reader of this head, whatever point it asks for.
func (v *View) Files(t ontosql.TypeRef, lower, upper ontosql.CommitID) []File {
	var files []File
	written := v.h.types[t].written
	from, to := v.commitRange(t, lower, upper)
	for _, id := range written[from:to] {
		all := v.h.entries[id-1].Manifest.Files
		for i := range all {
			if all[i].Ref() == t {
				files = append(files, File{Commit: id, File: &all[i]})
			}
		}
	}
	return files
}

// HasFiles reports whether Files gives any, without a look at each of them.
func (v *View) HasFiles(t ontosql.TypeRef, lower, upper ontosql.CommitID) bool {
	from, to := v.commitRange(t, lower, upper)
	return from < to
}

// Count is how many files Files gives and the sum of their row counts, without
// a look at each of them.
func (v *View) Count(t ontosql.TypeRef, lower, upper ontosql.CommitID) (files int, rows int64) {
	h := v.h.types[t]
	from, to := v.commitRange(t, lower, upper)
	before, all := h.upTo(from), h.upTo(to)
	return all.files - before.files, all.rows - before.rows
}

// commitRange are the places in t's history of the commits whose files Files gives:
// from, and up to but without to.
func (v *View) commitRange(t ontosql.TypeRef, lower, upper ontosql.CommitID) (from, to int) {
	written := v.h.types[t].written
	from, _ = slices.BinarySearch(written, max(lower+1, v.Floor(t)))
	return from, max(from, len(upTo(written, min(upper, v.head.Commit))))
}

// LastCommit is the last commit with files of t, 0 when there is none since the
// type was last dropped.
func (v *View) LastCommit(t ontosql.TypeRef) ontosql.CommitID {
	return v.LastCommitTo(t, v.head.Commit)
}

// FirstCommit is the first commit with files of t since the type was last
// dropped, 0 when there is none.
func (v *View) FirstCommit(t ontosql.TypeRef) ontosql.CommitID {
	from, to := v.commitRange(t, 0, v.head.Commit)
	if from == to {
		return 0
	}
	return v.h.types[t].written[from]
}

// LastCommitTo is the last of the commits up to upTo whose files Files gives, 0
// when there is none.
func (v *View) LastCommitTo(t ontosql.TypeRef, upTo ontosql.CommitID) ontosql.CommitID {
	id := last(v.h.types[t].written, min(upTo, v.head.Commit))
	if id < v.Floor(t) {
		return 0
	}
	return id
}

// Floor is the last commit that dropped t, 0 when none did (decision A14). Rows
// of commits below it are not believed. Rows of that very commit are: only a
// commit of ours writes any, for the type as it was created again after the
// drop.
func (v *View) Floor(t ontosql.TypeRef) ontosql.CommitID {
	return last(v.h.types[t].dropped, v.head.Commit)
}

// LastSchemaChange is the newest schema change at or below upTo that stands in
// a commit (decision A13), with the id of that commit; nil and 0 when there is
// none, as in a store that only the original wrote. The caller does not change
// it. The error is a *ontosql.CorruptError.
func (v *View) LastSchemaChange(upTo ontosql.CommitID) (*format.SchemaChange, ontosql.CommitID, error) {
	id := last(v.h.schema, min(upTo, v.head.Commit))
	if id == 0 {
		return nil, 0, nil
	}
	change, err := v.h.entries[id-1].schema()
	return change, id, err
}

// FindAttempt is the commit that an attempt became, nil when it is not on the
// chain. An attempt is known by the name in its metadata (key ontosql_attempt)
// or by the one in its folder, commits/{id}-{attempt}/. The newest one wins.
func (v *View) FindAttempt(attempt string) *Entry {
	if attempt == "" { // what a commit without the key would answer to
		return nil
	}
	for id := v.head.Commit; id > 0; id-- {
		e := v.h.entries[id-1]
		if _, folder, _ := format.ParseCommitDir(e.Path); folder == attempt || metadataText(e.Manifest, format.MetadataAttempt) == attempt {
			return e
		}
	}
	return nil
}
