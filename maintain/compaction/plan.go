package compaction

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// Plan is what a compaction merges of one type into one snapshot.
type Plan struct {
	Type     ontosql.TypeRef
	Files    int // number of files and snapshots to be merged
	Rows     int64
	Min, Max ontosql.CommitID
}

// run is a Plan with what it is made of.
type run struct {
	Plan
	entry  format.IndexEntry // of the snapshot
	inputs []input
}

// newRun is the run of neighbouring inputs.
func newRun(ref ontosql.TypeRef, inputs []input) run {
	r := run{inputs: inputs, Plan: Plan{
		Type: ref, Files: len(inputs), Min: inputs[0].files[0].Commit,
	}}
	for i := range inputs {
		files := inputs[i].files
		r.Rows += rowsOf(files)
		r.Max = files[len(files)-1].Commit
	}
	r.entry = format.IndexEntry{MinCommitID: r.Min, MaxCommitID: r.Max, Path: format.SnapshotKey(ref, r.Min, r.Max)}
	return r
}

// files returns the commits' files of a run.
func (r *run) files() (all []chain.File) {
	for i := range r.inputs {
		all = append(all, r.inputs[i].files...)
	}
	return all
}

// whole plans a snapshot of all commits of a type, from their files, as the original does (COMPAT
// 3.7): existing snapshots are not read, so that a damaged one is replaced.
func whole(view *chain.View, ref ontosql.TypeRef) []run {
	var inputs []input
	for _, f := range view.Files(ref, 0, view.Head().Commit) {
		inputs = append(inputs, fileInput(f))
	}
	return mergeable(ref, inputs)
}

// mergeable is the run of inputs if it is one: it has several files, of more than one commit.
func mergeable(ref ontosql.TypeRef, inputs []input) []run {
	if len(inputs) < 2 {
		return nil
	}
	r := newRun(ref, inputs)
	if r.Min == r.Max { // an index has no snapshot of one commit
		return nil
	}
	return []run{r}
}
