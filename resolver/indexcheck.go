package resolver

import (
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// problem is a disagreement between an index and the manifest log. The log is
// authoritative (I5). A statement is warned of problems in its window.
type problem struct {
	from, to ontosql.CommitID // first and last commit
	status   string           // one of the Status constants
	text     string
	detail   string // "" if text is sufficient
}

// String returns the problem as index_health shows it.
func (p problem) String() string {
	if p.detail == "" {
		return p.text
	}
	return p.text + ": " + p.detail
}

// warning returns the problem as a statement's warning. It begins with the original's
// text (COMPAT 3.5).
func (p problem) warning(ref ontosql.TypeRef) string {
	w := fmt.Sprintf("%s for %s; using manifest fallback", p.text, ref)
	if p.detail != "" {
		w += ": " + p.detail
	}
	return w
}

// assessment is the result of checking an index for a pin.
type assessment struct {
	findings
	problems []problem
	behind   time.Time // created_at of the first commit that the index lacks; zero if none
}

// findings are the results of checking the entries of an index object. They do not depend
// on commits that the object does not claim to contain, so most new heads do not change
// them.
type findings struct {
	of       *format.Index
	at       ontosql.CommitID // the last commit that was checked
	floor    ontosql.CommitID
	accepted []acceptedSnapshot // usable snapshots in commit order
	faults   []problem
}

// acceptedSnapshot is a compaction snapshot that can be read instead of files.
type acceptedSnapshot struct {
	format.IndexEntry
	version objstore.Version
	files   int // number of files that it replaces
	rows    int64
	schema  int64 // schema version of those files; 0 if they differ
}

// checkAgainst compares the index with the log of view. view must have the same chain as
// the findings.
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

// checkEntries checks the entries of the index. files are the type's files in the log,
// all above the floor.
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
			// The commit is above the pin, or belongs to a dropped type of the same name.
		case e.Snapshot():
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

// mismatch adds a problem with one commit's entry. The original has another text for the
// head's commit.
func (v *findings) mismatch(commit ontosql.CommitID, detail string) {
	text := "index entry mismatch"
	if commit == v.at {
		text = "index latest coverage mismatch"
	}
	v.add(commit, commit, text, detail)
}

// accept selects the usable snapshots. Snapshots have no checksum. To be accepted, a
// snapshot must begin and end at commits that wrote the type, must not reach below the
// floor, and must not overlap another. A snapshot that was left by an earlier state of
// the store fails one of these checks.
func (v *findings) accept(merged, single []format.IndexEntry, files []chain.File, known map[string]snapshot) {
	slices.SortFunc(merged, format.IndexEntry.Compare)
	for i, e := range merged {
		of := between(files, e.MinCommitID, e.MaxCommitID)
		why := ""
		switch {
		case format.Immutable(e.Path):
			why = "is a commit's file"
		case e.MinCommitID < v.floor:
			why = fmt.Sprintf("holds rows from before the type was dropped by commit %d", v.floor)
		case i > 0 && e.Overlaps(merged[i-1]), i+1 < len(merged) && e.Overlaps(merged[i+1]), slices.ContainsFunc(single, e.Overlaps):
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

// between returns the files of the commits from first to last. It returns none if first or
// last did not write the type.
func between(files []chain.File, first, last ontosql.CommitID) []chain.File {
	files = upTo(files, last)
	files = files[len(upTo(files, first-1)):]
	if len(files) == 0 || files[0].Commit != first || files[len(files)-1].Commit != last {
		return nil
	}
	return files
}

// findMissing adds the commits that the index should contain but has no entry for.
func (v *findings) findMissing(files []chain.File, single, merged []format.IndexEntry) {
	have := make(map[string]bool, len(single))
	for _, e := range single {
		have[e.Path] = true
	}
	for _, f := range upTo(files, v.of.MaxIndexedCommit) {
		if !have[f.Path] && !slices.ContainsFunc(merged, func(e format.IndexEntry) bool { return e.Covers(f.Commit) }) {
			v.mismatch(f.Commit, fmt.Sprintf("no entry for commit %d", f.Commit))
		}
	}
}
