package compaction

import (
	"context"

	"golang.org/x/sync/errgroup"

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
	Bytes    int64 // size of the snapshot, if it was written; 0 if not
}

// run is a Plan with what it is made of.
type run struct {
	Plan
	entry  format.IndexEntry // of the snapshot
	inputs []input
}

// newRun is the run of neighbouring inputs. ok is false if there is nothing to merge: it has one
// file, or those of one commit, of which an index has no snapshot.
func newRun(ref ontosql.TypeRef, inputs []input) (r run, ok bool) {
	if len(inputs) < 2 {
		return run{}, false
	}
	r = run{inputs: inputs, Plan: Plan{
		Type: ref, Files: len(inputs), Min: inputs[0].files[0].Commit,
	}}
	for i := range inputs {
		files := inputs[i].files
		r.Rows += rowsOf(files)
		r.Max = files[len(files)-1].Commit
	}
	r.entry = format.IndexEntry{MinCommitID: r.Min, MaxCommitID: r.Max, Path: format.SnapshotKey(ref, r.Min, r.Max)}
	return r, r.Min < r.Max
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
func whole(view *chain.View, ref ontosql.TypeRef) [][]input {
	var inputs []input
	for _, f := range view.Files(ref, 0, view.Head().Commit) {
		inputs = append(inputs, fileInput(f))
	}
	return [][]input{inputs}
}

// newest leaves out the oldest inputs until the objects of the others have at most so many bytes.
// One that does not exist has none: it is named when it is read.
func (s Store) newest(ctx context.Context, inputs []input, most int64) ([]input, error) {
	sizes := make([]int64, len(inputs))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range inputs {
		g.Go(func() (err error) {
			sizes[i], err = s.size(gctx, inputs[i].key)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := len(inputs); i > 0; i-- {
		if most -= max(sizes[i-1], 0); most < 0 {
			return inputs[i:], nil
		}
	}
	return inputs, nil
}
