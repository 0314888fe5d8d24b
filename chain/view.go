package chain

import (
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// View is an ontology's chain up to one head. It is immutable, makes no requests and is
// safe for concurrent use. Ids above its head are clamped.
type View struct {
	head ontosql.Head
	h    *history // may contain more commits than head.Commit
}

// File is a data file and the commit that wrote it.
type File struct {
	Commit ontosql.CommitID
	*format.File
}

// Head returns the head of the view.
func (v *View) Head() ontosql.Head { return v.head }

// Len returns the number of commits, which is also the id of the last one (I3).
func (v *View) Len() int { return int(v.head.Commit) }

// Commit returns the commit with the id, or nil.
func (v *View) Commit(id ontosql.CommitID) *Entry {
	if id < 1 || id > v.head.Commit {
		return nil
	}
	return v.h.entries[id-1]
}

// At returns the chain up to an earlier commit, as it was when that was the newest one.
func (v *View) At(id ontosql.CommitID) *View {
	at := &View{h: v.h}
	if e := v.Commit(min(id, v.head.Commit)); e != nil {
		at.head = ontosql.Head{Commit: e.ID, ManifestPath: e.Path, RuntimeID: e.Manifest.RuntimeID, UpdatedAt: e.Manifest.CreatedAt.Time}
	}
	return at
}

// Fork returns the last commit that two chains have in common, 0 for none. They are compared from
// the first commit on, all of which are in memory.
func (v *View) Fork(o *View) ontosql.CommitID {
	id := ontosql.CommitID(0)
	for id < min(v.head.Commit, o.head.Commit) && v.Commit(id+1).Same(o.Commit(id+1)) {
		id++
	}
	return id
}

// LastCommitAt returns the greatest commit whose created_at is not after t, or 0
// (decision A12). The clocks of other writers may run backwards, so lower commits may
// have a created_at after t.
func (v *View) LastCommitAt(t time.Time) ontosql.CommitID {
	// Stored times have a resolution of microseconds.
	limit := t.UnixMicro()
	for id := v.head.Commit; id > 0; id-- {
		if v.h.created[id-1] <= limit {
			return id
		}
	}
	return 0
}

// Resolve returns the commit of a point, clamped to 0 and the head. The error is an
// *ontosql.BadPointError for a tag that does not exist, or that of Tags.
func (v *View) Resolve(p ontosql.Point) (ontosql.CommitID, error) {
	if t, ok := p.Time(); ok {
		return v.LastCommitAt(t), nil
	}
	if name, ok := p.Tag(); ok {
		tags, err := v.Tags()
		if err != nil {
			return 0, err
		}
		tag, there := tags[name]
		if !there {
			return 0, &ontosql.BadPointError{Text: name}
		}
		return min(tag.Commit, v.head.Commit), nil
	}
	id, _ := p.Commit(v.head.Commit)
	return id, nil
}

// Files returns the files of t that the commits in (lower, upper] wrote, in the order of
// commits and of their manifests. It omits the files before the type's last drop (see
// Floor): their rows are invisible at every point of this head.
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

// HasFiles reports whether Files returns any file. It is faster than Files.
func (v *View) HasFiles(t ontosql.TypeRef, lower, upper ontosql.CommitID) bool {
	from, to := v.commitRange(t, lower, upper)
	return from < to
}

// Types returns the types of which Files returns any file, in the order of TypeRef.Compare.
func (v *View) Types() []ontosql.TypeRef {
	var types []ontosql.TypeRef
	for ref := range v.h.types {
		if v.HasFiles(ref, 0, v.head.Commit) {
			types = append(types, ref)
		}
	}
	slices.SortFunc(types, ontosql.TypeRef.Compare)
	return types
}

// Count returns the number of files that Files returns and the sum of their row counts.
// It does not read the list of files.
func (v *View) Count(t ontosql.TypeRef, lower, upper ontosql.CommitID) (files int, rows int64) {
	h := v.h.types[t]
	from, to := v.commitRange(t, lower, upper)
	before, all := h.upTo(from), h.upTo(to)
	return all.files - before.files, all.rows - before.rows
}

// CountCommits returns the number of commits of the files that Files returns.
func (v *View) CountCommits(t ontosql.TypeRef, lower, upper ontosql.CommitID) int {
	from, to := v.commitRange(t, lower, upper)
	return to - from
}

// commitRange returns the range [from, to) in t's history of the commits whose files
// Files returns.
func (v *View) commitRange(t ontosql.TypeRef, lower, upper ontosql.CommitID) (from, to int) {
	written := v.h.types[t].written
	from, _ = slices.BinarySearch(written, max(lower+1, v.Floor(t)))
	return from, max(from, len(upTo(written, min(upper, v.head.Commit))))
}

// LastCommit returns the last commit with files of t since the type's last drop, or 0.
func (v *View) LastCommit(t ontosql.TypeRef) ontosql.CommitID {
	return v.LastCommitTo(t, v.head.Commit)
}

// FirstCommit returns the first commit with files of t since the type's last drop, or 0.
func (v *View) FirstCommit(t ontosql.TypeRef) ontosql.CommitID {
	from, to := v.commitRange(t, 0, v.head.Commit)
	if from == to {
		return 0
	}
	return v.h.types[t].written[from]
}

// LastCommitTo returns the last commit up to upTo whose files Files returns, or 0.
func (v *View) LastCommitTo(t ontosql.TypeRef, upTo ontosql.CommitID) ontosql.CommitID {
	id := last(v.h.types[t].written, min(upTo, v.head.Commit))
	if id < v.Floor(t) {
		return 0
	}
	return id
}

// Floor returns the last commit that dropped t, or 0 (decision A14). Rows of earlier
// commits are ignored. Rows of the drop's own commit are visible: only ontosql writes
// such commits, for a type that was dropped and created again in one transaction.
func (v *View) Floor(t ontosql.TypeRef) ontosql.CommitID {
	return last(v.h.types[t].dropped, v.head.Commit)
}

// DroppedAfter returns the types with files at or below a commit that were dropped after it.
func (v *View) DroppedAfter(id ontosql.CommitID) (refs []ontosql.TypeRef) {
	for ref, t := range v.h.types {
		if written := last(t.written, id); v.Floor(ref) > id && written > 0 && written >= last(t.dropped, id) {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, ontosql.TypeRef.Compare)
	return refs
}

// SchemaVersionAt returns the greatest schema version that a type is known to have had at a
// commit: that of the newest schema change at or below it, or of the last file; 0 if neither
// tells. changed is true if the schema change does. The error is a *ontosql.CorruptError.
func (v *View) SchemaVersionAt(ref ontosql.TypeRef, id ontosql.CommitID) (version int64, changed bool, err error) {
	change, _, err := v.LastSchemaChange(id)
	if err != nil {
		return 0, false, err
	}
	if change != nil {
		for _, t := range change.Types {
			if t.Type == ref.Name && t.Kind == ref.Kind.String() {
				version, changed = t.SchemaVersionID, true
			}
		}
	}
	if at := v.LastCommitTo(ref, id); at > 0 {
		for _, f := range v.Files(ref, at-1, at) {
			if f.SchemaVersionID != nil {
				version = max(version, *f.SchemaVersionID)
			}
		}
	}
	return version, changed, nil
}

// LastSchemaChange returns the newest schema change in a commit at or below upTo
// (decision A13) and the commit's id, or nil and 0, as in a store that only the original
// wrote. The caller must not modify it. The error is a *ontosql.CorruptError.
func (v *View) LastSchemaChange(upTo ontosql.CommitID) (*format.SchemaChange, ontosql.CommitID, error) {
	id := last(v.h.schema, min(upTo, v.head.Commit))
	if id == 0 {
		return nil, 0, nil
	}
	change, err := v.h.entries[id-1].schema()
	return change, id, err
}

// Tags returns the tags at the head, nil for none. The caller must not modify them. The error is
// a *ontosql.CorruptError.
func (v *View) Tags() (format.Tags, error) {
	id := last(v.h.tagged, v.head.Commit)
	if id == 0 {
		return nil, nil
	}
	return v.h.entries[id-1].tags()
}

// FindAttempt returns the commit that an attempt became, or nil if it is not on the chain.
// The id of an attempt is in the commit's metadata (key ontosql_attempt) or in its folder
// name, commits/{id}-{attempt}/. If several commits match, the newest is returned.
func (v *View) FindAttempt(attempt string) *Entry {
	if attempt == "" { // commits without the key would match
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
