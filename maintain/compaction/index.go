package compaction

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// compose returns the index of a type at the head of view: snapshots, which must not overlap, and
// the files of the commits that no snapshot has, as the manifests name them.
func compose(view *chain.View, ref ontosql.TypeRef, snapshots []format.IndexEntry) *format.Index {
	x := &format.Index{TypeName: ref.Name, MaxIndexedCommit: view.Head().Commit, Entries: slices.Clone(snapshots)}
	if x.Entries == nil {
		x.Entries = []format.IndexEntry{}
	}
	for _, f := range view.Files(ref, 0, view.Head().Commit) {
		if !slices.ContainsFunc(snapshots, func(e format.IndexEntry) bool { return e.Covers(f.Commit) }) {
			x.Entries = append(x.Entries, format.IndexEntry{MinCommitID: f.Commit, MaxCommitID: f.Commit, Path: f.Path})
		}
	}
	slices.SortFunc(x.Entries, format.IndexEntry.Compare)
	return x
}

// inspection is what an index is worth at a head.
type inspection struct {
	lagged  bool // it does not reach the head
	missing bool // it does not name the type's file of the head's commit
	// problems are how else it contradicts the manifests; the original does not look for them.
	problems []string
	// snapshots are the usable ones, in the order of their commits.
	snapshots []format.IndexEntry
}

func (i *inspection) sound() bool { return !i.lagged && !i.missing && len(i.problems) == 0 }

// inspect compares an index with the chain. index is nil if it is missing or damaged.
func (s Store) inspect(ctx context.Context, view *chain.View, ref ontosql.TypeRef, index *format.Index, damaged error) (*inspection, error) {
	head := view.Head().Commit
	i := &inspection{}
	if damaged != nil {
		i.problems = append(i.problems, damaged.Error())
	}
	if index == nil {
		index = &format.Index{}
	}
	if index.MaxIndexedCommit > head {
		i.problems = append(i.problems, fmt.Sprintf("it claims to know commit %d, the head is %d", index.MaxIndexedCommit, head))
	}
	i.lagged = index.MaxIndexedCommit < head
	i.missing = lacksLatest(view, ref, index)
	if err := s.findSnapshots(ctx, i, view, ref, index); err != nil {
		return nil, err
	}
	i.compare(index, compose(view, ref, i.snapshots))
	return i, nil
}

// lacksLatest reports whether the head's commit wrote the type and the index does not name the
// file: it has no entry that covers the commit, or that of another attempt (seed 001 section 3.5).
func lacksLatest(view *chain.View, ref ontosql.TypeRef, index *format.Index) bool {
	head := view.Head().Commit
	written := view.Files(ref, head-1, head)
	if len(written) == 0 {
		return false
	}
	return !slices.ContainsFunc(index.Entries, func(e format.IndexEntry) bool {
		own := !e.Snapshot()
		return e.Covers(head) && (!own || slices.ContainsFunc(written, func(f chain.File) bool { return f.Path == e.Path }))
	})
}

// findSnapshots finds the usable snapshots. Of two that overlap, the longer one is used.
func (s Store) findSnapshots(ctx context.Context, i *inspection, view *chain.View, ref ontosql.TypeRef, index *format.Index) error {
	var merged []format.IndexEntry
	for _, e := range index.Entries {
		if e.Snapshot() {
			merged = append(merged, e)
		}
	}
	slices.SortStableFunc(merged, func(a, b format.IndexEntry) int {
		return cmp.Compare(b.MaxCommitID-b.MinCommitID, a.MaxCommitID-a.MinCommitID)
	})
	for _, e := range merged {
		why, err := s.refused(ctx, view, ref, e)
		if err != nil {
			return err
		}
		if why == "" && slices.ContainsFunc(i.snapshots, func(o format.IndexEntry) bool { return e.Overlaps(o) }) {
			why = "overlaps another snapshot"
		}
		if why != "" {
			i.problems = append(i.problems, e.Path+" "+why)
			continue
		}
		i.snapshots = append(i.snapshots, e)
	}
	slices.SortFunc(i.snapshots, format.IndexEntry.Compare)
	return nil
}

// maxProblems bounds the problems that are named of one index.
const maxProblems = 10

// compare adds the differences between the entries of an index and those that it should have up
// to the commit that it claims to know. Snapshots that are refused are named already.
func (i *inspection) compare(index, want *format.Index) {
	add := func(format string, args ...any) {
		if len(i.problems) < maxProblems {
			i.problems = append(i.problems, fmt.Sprintf(format, args...))
		}
	}
	for at, e := range index.Entries {
		single := !e.Snapshot()
		switch {
		case slices.Contains(index.Entries[:at], e):
			add("%s is named twice", e.Path)
		case !slices.Contains(want.Entries, e) && single:
			add("%s is not the file of commit %d", e.Path, e.MinCommitID)
		}
	}
	for _, e := range want.Entries {
		if e.MaxCommitID <= index.MaxIndexedCommit && !slices.Contains(index.Entries, e) && !i.refusedOver(index, e) {
			add("there is no entry for commit %d", e.MinCommitID)
		}
	}
	if !slices.IsSortedFunc(index.Entries, format.IndexEntry.Compare) {
		add("its entries are not in order")
	}
}

// refusedOver reports whether a refused snapshot has the commits of e.
func (i *inspection) refusedOver(index *format.Index, e format.IndexEntry) bool {
	return slices.ContainsFunc(index.Entries, func(o format.IndexEntry) bool {
		return o.Snapshot() && o.Overlaps(e) && !slices.Contains(i.snapshots, o)
	})
}
