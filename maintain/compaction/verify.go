package compaction

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// parallel is the number of indexes read at a time.
const parallel = 16

// Verification is the state of all indexes at a head.
type Verification struct {
	Head ontosql.CommitID
	// Lagged are the types whose index does not reach the head, Missing those whose index does
	// not name the file of the head's commit (seed 001 section 3.5).
	Lagged, Missing []ontosql.TypeRef
	// Problems are other contradictions between indexes and manifests, which the original does
	// not look for.
	Problems []Problem
}

// Problem is what is wrong with the index of one type.
type Problem struct {
	Type ontosql.TypeRef
	Text string
}

// OK reports whether every index is sound.
func (v *Verification) OK() bool { return len(v.Lagged)+len(v.Missing)+len(v.Problems) == 0 }

// VerifyIndexes compares the indexes of all types with the manifests. It writes nothing. At head 0
// there is nothing to compare. Errors are a *ontosql.CorruptError if the list of types is missing
// or damaged, or those of the bucket.
//
// Writers may commit meanwhile: if the head moves, what was found may be the traces of that, and
// the indexes are compared again, a few times.
func VerifyIndexes(ctx context.Context, s Store) (*Verification, error) {
	pin, err := s.Files.Pin(ctx)
	if err != nil {
		return nil, err
	}
	for tries := 0; ; tries++ {
		v, err := s.verify(ctx, pin)
		if err != nil || v.OK() || tries == maxLooks {
			return v, err
		}
		next, err := s.Files.Pin(ctx)
		if err != nil || next.Head == pin.Head {
			return v, err
		}
		pin = next
	}
}

// maxLooks is how often the indexes are compared again because somebody committed.
const maxLooks = 3

func (s Store) verify(ctx context.Context, pin *resolver.Pin) (*Verification, error) {
	v := &Verification{Head: pin.Head.Commit}
	if v.Head == 0 {
		return v, nil
	}
	refs, err := s.types(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.inspectAll(ctx, pin.View, refs, func(ctx context.Context, ref ontosql.TypeRef) (*format.Index, error, error) {
		return s.index(ctx, ref)
	})
	if err != nil {
		return nil, err
	}
	for at, ref := range refs {
		i := all[at]
		if i.lagged {
			v.Lagged = append(v.Lagged, ref)
		}
		if i.missing {
			v.Missing = append(v.Missing, ref)
		}
		for _, text := range i.problems {
			v.Problems = append(v.Problems, Problem{ref, text})
		}
	}
	return v, nil
}

// inspectAll inspects the indexes of types, as read returns them.
func (s Store) inspectAll(ctx context.Context, view *chain.View, refs []ontosql.TypeRef, read func(context.Context, ontosql.TypeRef) (index *format.Index, damaged, err error)) ([]*inspection, error) {
	all := make([]*inspection, len(refs))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for at, ref := range refs {
		g.Go(func() error {
			if gctx.Err() != nil {
				return objstore.ContextError(gctx)
			}
			index, damaged, err := read(gctx, ref)
			if err != nil {
				return err
			}
			all[at], err = s.inspect(gctx, view, ref, index, damaged)
			return err
		})
	}
	return all, g.Wait()
}

// Repair is the result of RepairIndexes.
type Repair struct {
	Head    ontosql.CommitID
	Planned []ontosql.TypeRef // whose index is not sound
	Applied bool
}

// RepairIndexes finds the indexes that VerifyIndexes would complain about and, if apply is set,
// writes them anew from the manifests, under the write lock. Snapshots that are sound stay in
// the index; the original forgets them (COMPAT 3.7). Indexes that are sound are not written, so
// that a second repair writes nothing. The errors are those of VerifyIndexes and, with apply, of
// writepath.Maintain and Maintenance.Publish.
func RepairIndexes(ctx context.Context, s Store, apply bool) (*Repair, error) {
	if !apply {
		v, err := VerifyIndexes(ctx, s)
		if err != nil {
			return nil, err
		}
		return &Repair{Head: v.Head, Planned: v.unsound()}, nil
	}
	var r *Repair
	err := s.maintain(ctx, "index-repair", func(ctx context.Context, m *writepath.Maintenance) (err error) {
		r, err = s.repair(ctx, m)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// unsound returns the types with any problem, in the order of the list of types.
func (v *Verification) unsound() []ontosql.TypeRef {
	refs := slices.Concat(v.Lagged, v.Missing)
	for _, p := range v.Problems {
		refs = append(refs, p.Type)
	}
	slices.SortStableFunc(refs, func(a, b ontosql.TypeRef) int { return a.Compare(b) })
	return slices.Compact(refs)
}

func (s Store) repair(ctx context.Context, m *writepath.Maintenance) (*Repair, error) {
	view := m.View()
	r := &Repair{Head: view.Head().Commit, Applied: true}
	if r.Head == 0 {
		return r, nil
	}
	refs, err := s.types(ctx)
	if err != nil {
		return nil, err
	}
	stored := make([]*writepath.StoredIndex, len(refs))
	all, err := s.inspectAll(ctx, view, refs, func(ctx context.Context, ref ontosql.TypeRef) (*format.Index, error, error) {
		old, err := m.Index(ctx, ref)
		if err != nil {
			return nil, nil, err
		}
		stored[slices.Index(refs, ref)] = old
		if old.Damaged != nil {
			return nil, old.Damaged, nil
		}
		return &old.Index, nil, nil
	})
	if err != nil {
		return nil, err
	}
	var updates []writepath.IndexUpdate
	for at, ref := range refs {
		if all[at].sound() {
			continue
		}
		r.Planned = append(r.Planned, ref)
		updates = append(updates, writepath.IndexUpdate{Type: ref, Old: stored[at], Index: compose(view, ref, all[at].snapshots)})
	}
	if len(updates) == 0 {
		return r, nil
	}
	return r, s.replaceIndexes(ctx, m, updates)
}
