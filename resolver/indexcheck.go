package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
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

// assessment is what an index is worth at a pin.
type assessment struct {
	findings
	problems []problem
	behind   time.Time // when the first commit was made that the index lacks; zero for none
}

// findings are what is found of an index object's entries. They hang on no
// commit behind the first that the object does not claim to know, so that most
// new heads leave them as they are.
type findings struct {
	of       *format.Index
	at       ontosql.CommitID // the commits that were looked at
	floor    ontosql.CommitID
	accepted []acceptedSnapshot // the snapshots that can be read, in commit order
	faults   []problem
}

// acceptedSnapshot is a snapshot that can be read in the place of files.
type acceptedSnapshot struct {
	format.IndexEntry
	version objstore.Version
	files   int // that it was made of
	rows    int64
	schema  int64 // their schema version, 0 where they differ
}

// checkAgainst holds the index against the log as view has it. The chain of view must
// be the one that the findings are of.
func (x *index) checkAgainst(view *chain.View, ref ontosql.TypeRef) {
	head, floor := view.Head().Commit, view.Floor(ref)
	x.problems, x.behind = nil, behind(x.object, view, ref)
	switch {
	case x.damaged != nil:
		x.findings, x.problems = findings{}, []problem{{1, head, StatusDamaged, "index damaged", x.damaged.Error()}}
		return
	case x.object == nil:
		x.findings, x.problems = findings{}, []problem{{1, head, StatusMissing, "index missing", ""}}
		return
	}
	indexed := x.object.MaxIndexedCommit
	if at := min(head, indexed+1); x.of != x.object || x.at != at || x.floor != floor {
		x.findings = findings{of: x.object, at: at, floor: floor}
		x.checkEntries(view.Files(ref, 0, at), x.snapshots)
	}
	if indexed < head {
		x.problems = append(x.problems, problem{indexed + 1, head, StatusLagging, "index lag detected", ""})
	}
	x.problems = append(x.problems, x.faults...)
}

// checkEntries goes through the entries. files are those of the type that the log has,
// all of them above the floor.
func (v *findings) checkEntries(files []chain.File, known map[string]snapshot) {
	paths := map[ontosql.CommitID][]string{}
	for _, f := range files {
		paths[f.Commit] = append(paths[f.Commit], f.Path)
	}
	var single, merged []format.IndexEntry
	for _, e := range v.of.Entries {
		switch {
		case e.MaxCommitID > v.of.MaxIndexedCommit:
			v.add(e.MinCommitID, e.MaxCommitID, "index entry mismatch",
				fmt.Sprintf("%s is above max_indexed_commit %d", e.Path, v.of.MaxIndexedCommit))
		case e.MaxCommitID > v.at || e.MaxCommitID < v.floor:
			// Of a commit that this pin does not see, or of a dropped namesake.
		case e.MinCommitID < e.MaxCommitID:
			merged = append(merged, e)
		case slices.Contains(paths[e.MinCommitID], e.Path):
			single = append(single, e)
		default:
			v.mismatch(e.MinCommitID, fmt.Sprintf("%s is not the file of commit %d", e.Path, e.MinCommitID))
		}
	}
	v.accept(merged, single, files, known)
	v.findMissing(files, single, merged)
}

func (v *findings) add(from, to ontosql.CommitID, text, detail string) {
	v.faults = append(v.faults, problem{from, to, StatusDamaged, text, detail})
}

// mismatch is a problem of one commit's entry. That of the head has a name of
// its own in the original.
func (v *findings) mismatch(commit ontosql.CommitID, detail string) {
	text := "index entry mismatch"
	if commit == v.at {
		text = "index latest coverage mismatch"
	}
	v.add(commit, commit, text, detail)
}

// accept takes the snapshots that cannot be told from good ones. They have no
// checksum, so each must begin and end at a commit that wrote the type, not
// reach below the floor, and overlap nothing: one left behind by an earlier
// life of the store fails one of these.
func (v *findings) accept(merged, single []format.IndexEntry, files []chain.File, known map[string]snapshot) {
	slices.SortFunc(merged, func(a, b format.IndexEntry) int {
		return cmp.Or(cmp.Compare(a.MinCommitID, b.MinCommitID), cmp.Compare(a.MaxCommitID, b.MaxCommitID))
	})
	for i, e := range merged {
		overlaps := func(o format.IndexEntry) bool {
			return o.MinCommitID <= e.MaxCommitID && e.MinCommitID <= o.MaxCommitID
		}
		of := between(files, e.MinCommitID, e.MaxCommitID)
		why := ""
		switch {
		case format.Immutable(e.Path):
			why = "is a commit's file"
		case e.MinCommitID < v.floor:
			why = fmt.Sprintf("holds rows from before the type was dropped by commit %d", v.floor)
		case i > 0 && overlaps(merged[i-1]), i+1 < len(merged) && overlaps(merged[i+1]), slices.ContainsFunc(single, overlaps):
			why = "overlaps another entry"
		case len(of) == 0:
			why = "is of commits that did not write the type"
		case known[e.Path].rejected != nil:
			why = fmt.Sprintf("cannot be read: %v", known[e.Path].rejected)
		}
		if why != "" {
			v.add(e.MinCommitID, e.MaxCommitID, "index snapshot refused", e.Path+" "+why)
			continue
		}
		v.accepted = append(v.accepted, acceptedSnapshot{e, known[e.Path].version, len(of), rows(of), commonVersion(of)})
	}
}

// between are the files of the commits from first to last, none where one of
// the two did not write the type.
func between(files []chain.File, first, last ontosql.CommitID) []chain.File {
	files = upTo(files, last)
	files = files[len(upTo(files, first-1)):]
	if len(files) == 0 || files[0].Commit != first || files[len(files)-1].Commit != last {
		return nil
	}
	return files
}

// findMissing finds the commits that the index claims to know and has no entry for.
func (v *findings) findMissing(files []chain.File, single, merged []format.IndexEntry) {
	have := make(map[string]bool, len(single))
	for _, e := range single {
		have[e.Path] = true
	}
	for _, f := range upTo(files, v.of.MaxIndexedCommit) {
		if !have[f.Path] && !slices.ContainsFunc(merged, func(e format.IndexEntry) bool {
			return e.MinCommitID <= f.Commit && f.Commit <= e.MaxCommitID
		}) {
			v.mismatch(f.Commit, fmt.Sprintf("no entry for commit %d", f.Commit))
		}
	}
}
