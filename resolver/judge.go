package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// problem is a disagreement between an index and the manifest log. The log is
// right (I5); a reader of a window hears of what lies in it.
type problem struct {
	from, to ontosql.CommitID // the commits it is about, inclusive
	status   string           // one of the Status constants
	text     string
	detail   string // "" where text says all
}

// String is the problem as index_health shows it.
func (p problem) String() string {
	if p.detail == "" {
		return p.text
	}
	return p.text + ": " + p.detail
}

// warning is the problem as the client of a statement reads it, the original's
// words first (COMPAT 3.5).
func (p problem) warning(ref ontosql.TypeRef) string {
	w := fmt.Sprintf("%s for %s; using manifest fallback", p.text, ref)
	if p.detail != "" {
		w += ": " + p.detail
	}
	return w
}

// verdict is what an index is worth at a pin.
type verdict struct {
	believed []format.IndexEntry // the snapshots that can be read, in commit order
	problems []problem
	behind   time.Time // when the first commit was made that the index lacks; zero for none
}

// judge holds an index against the log. files are those of the type that the
// log has up to head, all of them above the floor.
func judge(x index, files []chain.File, floor, head ontosql.CommitID) verdict {
	var v verdict
	switch {
	case x.damaged != nil:
		v.add(1, head, StatusDamaged, "index damaged", x.damaged.Error())
		return v
	case x.object == nil:
		v.add(1, head, StatusMissing, "index missing", "")
		return v
	case x.object.MaxIndexedCommit < head:
		v.add(x.object.MaxIndexedCommit+1, head, StatusLagging, "index lag detected", "")
	}
	paths := map[ontosql.CommitID][]string{}
	for _, f := range files {
		paths[f.Commit] = append(paths[f.Commit], f.Path)
	}
	var single, merged []format.IndexEntry
	for _, e := range x.object.Entries {
		switch {
		case e.MaxCommitID > x.object.MaxIndexedCommit:
			v.add(e.MinCommitID, e.MaxCommitID, StatusDamaged, "index entry mismatch",
				fmt.Sprintf("%s is above max_indexed_commit %d", e.Path, x.object.MaxIndexedCommit))
		case e.MaxCommitID > head || e.MaxCommitID < floor:
			// Of a commit that this pin does not see, or of a dropped namesake.
		case e.MinCommitID < e.MaxCommitID:
			merged = append(merged, e)
		case slices.Contains(paths[e.MinCommitID], e.Path):
			single = append(single, e)
		default:
			v.mismatch(e.MinCommitID, head, fmt.Sprintf("%s is not the file of commit %d", e.Path, e.MinCommitID))
		}
	}
	v.believe(merged, single, files, x.snapshots, floor)
	v.seek(files, single, merged, x.object.MaxIndexedCommit, head)
	return v
}

func (v *verdict) add(from, to ontosql.CommitID, status, text, detail string) {
	v.problems = append(v.problems, problem{from, to, status, text, detail})
}

// mismatch is a problem of one commit's entry. That of head has a name of its
// own in the original.
func (v *verdict) mismatch(at, head ontosql.CommitID, detail string) {
	text := "index entry mismatch"
	if at == head {
		text = "index latest coverage mismatch"
	}
	v.add(at, at, StatusDamaged, text, detail)
}

// believe takes the snapshots that cannot be told from good ones. They have no
// checksum, so each must begin and end at a commit that wrote the type, not
// reach below the floor, and overlap nothing: one left behind by an earlier
// life of the store fails one of these.
func (v *verdict) believe(merged, single []format.IndexEntry, files []chain.File, known map[string]snapshot, floor ontosql.CommitID) {
	slices.SortFunc(merged, func(a, b format.IndexEntry) int {
		return cmp.Or(cmp.Compare(a.MinCommitID, b.MinCommitID), cmp.Compare(a.MaxCommitID, b.MaxCommitID))
	})
	for i, e := range merged {
		overlaps := func(o format.IndexEntry) bool {
			return o.MinCommitID <= e.MaxCommitID && e.MinCommitID <= o.MaxCommitID
		}
		why := ""
		switch {
		case format.Immutable(e.Path):
			why = "is a commit's file"
		case e.MinCommitID < floor:
			why = fmt.Sprintf("holds rows from before the type was dropped by commit %d", floor)
		case i > 0 && overlaps(merged[i-1]), i+1 < len(merged) && overlaps(merged[i+1]), slices.ContainsFunc(single, overlaps):
			why = "overlaps another entry"
		case !wrote(files, e.MinCommitID) || !wrote(files, e.MaxCommitID):
			why = "is of commits that did not write the type"
		case known[e.Path].unfit != nil:
			why = fmt.Sprintf("cannot be read: %v", known[e.Path].unfit)
		}
		if why != "" {
			v.add(e.MinCommitID, e.MaxCommitID, StatusDamaged, "index snapshot refused", e.Path+" "+why)
			continue
		}
		v.believed = append(v.believed, e)
	}
}

func wrote(files []chain.File, id ontosql.CommitID) bool {
	_, found := slices.BinarySearchFunc(files, id, func(f chain.File, id ontosql.CommitID) int { return cmp.Compare(f.Commit, id) })
	return found
}

// seek finds the commits that the index claims to know and has no entry for.
func (v *verdict) seek(files []chain.File, single, merged []format.IndexEntry, indexed, head ontosql.CommitID) {
	have := make(map[string]bool, len(single))
	for _, e := range single {
		have[e.Path] = true
	}
	for _, f := range files {
		if f.Commit > indexed || have[f.Path] || slices.ContainsFunc(merged, func(e format.IndexEntry) bool {
			return e.MinCommitID <= f.Commit && f.Commit <= e.MaxCommitID
		}) {
			continue
		}
		v.mismatch(f.Commit, head, fmt.Sprintf("no entry for commit %d", f.Commit))
	}
}
