package maintain

import (
	"context"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// checkIndexes checks the index of every type against the chain.
func (v *verifier) checkIndexes(ctx context.Context) error {
	if v.view == nil {
		return nil
	}
	for key, body := range v.bodies {
		if family(key) != format.IndicesPrefix {
			continue
		}
		ref, _ := typeOf(key)
		index, err := format.DecodeIndex(key, body)
		switch {
		case err != nil:
			v.found.corrupt(RuleIndex, key, err)
			continue
		case index.TypeName != ref.Name:
			v.found.add(RuleIndex, Error, key, "is of type %q", index.TypeName)
		case v.types[ref] == nil && !v.halfBlind:
			v.found.add(A34, Error, key, "is the index of a type that there is not")
		}
		if err := v.checkIndex(ctx, key, ref, index); err != nil {
			return err
		}
	}
	for ref, t := range v.types {
		key := format.IndexKey(ref)
		if _, there := v.bodies[key]; !there && !v.blames(key) && t.listed && len(v.filesOf(ref, v.headID())) > 0 {
			v.found.add(I5, Lag, key, "does not exist")
		}
	}
	return nil
}

// filesOf returns the valid files of a type up to a commit.
func (v *verifier) filesOf(ref ontosql.TypeRef, to ontosql.CommitID) []chain.File {
	return v.view.Files(ref, 0, to)
}

func (v *verifier) checkIndex(ctx context.Context, key string, ref ontosql.TypeRef, index *format.Index) error {
	switch {
	case index.MaxIndexedCommit > v.headID():
		v.found.add(I2, Error, key, "claims to know commit %d, the head is %d", index.MaxIndexedCommit, v.headID())
		return nil
	case index.MaxIndexedCommit < v.headID() && !v.endedBy(ref, index):
		v.found.add(I5, Lag, key, "is at commit %d, the head is %d", index.MaxIndexedCommit, v.headID())
	}
	if !slices.IsSortedFunc(index.Entries, format.IndexEntry.Compare) {
		v.found.add(RuleIndex, Error, key, "its entries are not sorted by min_commit_id, max_commit_id and path")
		return nil
	}
	for i, e := range index.Entries {
		if i > 0 && index.Entries[i-1].MaxCommitID >= e.MinCommitID {
			v.found.add(RuleIndex, Error, key, "%s overlaps %s", e.Path, index.Entries[i-1].Path)
			return nil
		}
		if err := v.checkEntry(ctx, key, ref, e, index.MaxIndexedCommit); err != nil {
			return err
		}
	}
	for _, f := range v.filesOf(ref, index.MaxIndexedCommit) {
		if !slices.ContainsFunc(index.Entries, func(e format.IndexEntry) bool { return e.Covers(f.Commit) }) {
			v.found.add(RuleIndex, Error, key, "has no entry for commit %d, which it claims to know", f.Commit)
		}
	}
	return nil
}

// endedBy reports whether the index of a dropped type reaches its drop, after which it is not
// updated.
func (v *verifier) endedBy(ref ontosql.TypeRef, index *format.Index) bool {
	t, floor := v.types[ref], v.view.Floor(ref)
	return floor > 0 && index.MaxIndexedCommit >= floor-1 && (t == nil || !t.listed && t.committed == nil)
}

// checkEntry checks one entry against the chain. Entries from before the type's last drop are
// a known deviation of the original, whose repair and compaction ignore the drop (COMPAT D16);
// our readers skip them.
func (v *verifier) checkEntry(ctx context.Context, key string, ref ontosql.TypeRef, e format.IndexEntry, known ontosql.CommitID) error {
	floor := v.view.Floor(ref)
	switch {
	case e.MaxCommitID > known:
		v.found.add(RuleIndex, Error, key, "%s is above max_indexed_commit %d", e.Path, known)
	case e.MinCommitID < floor && known < floor: // behind, which is reported
	case e.MinCommitID < floor:
		v.found.add(A14, Foreign, key, "%s has rows from before commit %d dropped the type", e.Path, floor)
	case e.Snapshot():
		return v.checkSnapshot(ctx, key, ref, e)
	default:
		files := v.view.Files(ref, e.MinCommitID-1, e.MaxCommitID)
		if slices.ContainsFunc(files, func(f chain.File) bool { return f.Path == e.Path }) {
			return nil
		}
		rule := RuleIndex
		if id, attempt, ok := format.ParseCommitDir(e.Path); ok && !v.onChain(id, attempt) {
			rule = I2
		}
		v.found.add(rule, Error, key, "%s is not the file of commit %d", e.Path, e.MinCommitID)
	}
	return nil
}

// onChain reports whether an attempt is the commit with its number.
func (v *verifier) onChain(id ontosql.CommitID, attempt string) bool {
	e := v.view.Commit(id)
	if e == nil {
		return false
	}
	_, became, _ := format.ParseCommitDir(e.Path)
	return became == attempt
}

// checkSnapshot compares the rows of a snapshot with those of the files that it replaces. It
// has no checksum, so that its rows are all there is to check.
func (v *verifier) checkSnapshot(ctx context.Context, key string, ref ontosql.TypeRef, e format.IndexEntry) error {
	if want := format.SnapshotKey(ref, e.MinCommitID, e.MaxCommitID); e.Path != want {
		v.found.add(RuleIndex, Error, key, "%s stands for commits %d to %d, whose snapshot is %s", e.Path, e.MinCommitID, e.MaxCommitID, want)
		return nil
	}
	if !v.options.Data {
		v.exists(e.Path, key)
		return nil
	}
	body, there, err := v.get(ctx, e.Path, key)
	if err != nil {
		return fmt.Errorf("read snapshot: %w", err)
	}
	if !there {
		return nil
	}
	v.found.add(RuleIndex, Foreign, e.Path, "has no checksum anywhere; its rows are compared with those of commits %d to %d", e.MinCommitID, e.MaxCommitID)
	c := &fileCheck{v: v, key: e.Path, ref: ref, low: e.MinCommitID, high: e.MaxCommitID, snapshot: true}
	ok, err := c.run(ctx, body)
	if err != nil || !ok {
		return err
	}
	var want digest
	for _, f := range v.view.Files(ref, e.MinCommitID-1, e.MaxCommitID) {
		d, readable := v.digests[f.Path]
		if !readable {
			return nil // that file's problem is reported
		}
		want.add(d)
	}
	switch {
	case c.digest.rows != want.rows:
		v.found.add(I8, Error, e.Path, "has %d rows, commits %d to %d have %d", c.digest.rows, e.MinCommitID, e.MaxCommitID, want.rows)
	case c.digest.sum != want.sum:
		v.found.add(I8, Error, e.Path, "has other rows than commits %d to %d", e.MinCommitID, e.MaxCommitID)
	}
	return nil
}
