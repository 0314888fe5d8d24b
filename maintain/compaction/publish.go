package compaction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// maxPublications is how often the publication is repeated if the head or the index changes although
// the lock is held, which takes a writer that takes it for expired, or if a snapshot is gone.
const maxPublications = 3

// maxWaiting is how long the publication gives way to commits, waits for the lock and asks a store
// that does not answer before it is given up: longer than the lease of a writer that died.
// pauseForOthers is how long it waits before it tries again.
const (
	maxWaiting     = time.Minute
	pauseForOthers = 500 * time.Millisecond
)

// publish replaces the index of a type by one with the snapshots of runs. known are snapshots that
// the index had when the work began and that are sound.
func (c *compactor) publish(ctx context.Context, runs []run, known []format.IndexEntry) error {
	until := time.Now().Add(max(maxWaiting, 2*c.LeaseTTL))
	for tries := 1; ; {
		err := c.maintain(ctx, "compact", func(ctx context.Context, m *writepath.Maintenance) error {
			return c.publishLocked(ctx, m, runs, known)
		})
		moved := errors.Is(err, ontosql.ErrHeadMoved) || errors.Is(err, objstore.ErrPreconditionFailed) || errors.Is(err, objstore.ErrConflict)
		switch {
		case err == nil:
			return c.Files.ForgetIndex(ctx, runs[0].Type)
		case moved && tries < maxPublications:
			tries++
		case passes(err) && time.Now().Before(until):
			if err := pause(ctx, pauseForOthers); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// passes reports whether what kept a publication from being made may be over soon. What was merged is
// too dear to be thrown away for it.
func passes(err error) bool {
	var held *writepath.LeaseHeldError
	return errors.As(err, &held) || errors.Is(err, writepath.ErrGaveWay) || errors.Is(err, writepath.ErrLeaseLost) || errors.Is(err, objstore.ErrUnreachable)
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return objstore.ContextError(ctx)
	}
}

func (c *compactor) publishLocked(ctx context.Context, m *writepath.Maintenance, runs []run, known []format.IndexEntry) error {
	view, ref := m.View(), runs[0].Type
	for i := range runs {
		if !sameFiles(runs[i].files(), replaced(view, ref, runs[i].Min, runs[i].Max)) {
			return ErrFilesChanged
		}
	}
	g, gctx := errgroup.WithContext(ctx) // commits wait
	for i := range runs {
		g.Go(func() error {
			// An older object at the key was garbage, and the collection (maintain/gc), which works
			// under the lock, may have met the new one.
			why, err := c.refused(gctx, view, ref, runs[i].entry)
			if err == nil && why != "" {
				err = fmt.Errorf("%w: %s %s", errSnapshotGone, runs[i].entry.Path, why)
			}
			return err
		})
	}
	var old *writepath.StoredIndex
	g.Go(func() (err error) {
		old, err = m.Index(gctx, ref)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	// Another compaction may have published since the work began.
	var others []format.IndexEntry
	for _, e := range old.Index.Entries {
		sound := slices.Contains(known, e)
		if !sound && e.Snapshot() {
			why, err := c.refused(ctx, view, ref, e)
			if err != nil {
				return err
			}
			sound = why == ""
		}
		if sound && !slices.ContainsFunc(others, func(o format.IndexEntry) bool { return e.Overlaps(o) }) {
			others = append(others, e)
		}
	}
	index := compose(view, ref, combine(runs, others))
	if old.Damaged == nil && old.Index.MaxIndexedCommit == index.MaxIndexedCommit && slices.Equal(old.Index.Entries, index.Entries) {
		return nil
	}
	return c.replaceIndexes(ctx, m, []writepath.IndexUpdate{{Type: ref, Old: old, Index: index}})
}

// combine returns the snapshots of runs and, of others, those that do not overlap them. A run whose
// commits another snapshot has all of is left out.
func combine(runs []run, others []format.IndexEntry) []format.IndexEntry {
	var all []format.IndexEntry
	for i := range runs {
		e := runs[i].entry
		if !slices.ContainsFunc(others, func(o format.IndexEntry) bool {
			return o.MinCommitID <= e.MinCommitID && e.MaxCommitID <= o.MaxCommitID
		}) {
			all = append(all, e)
		}
	}
	for _, o := range others {
		if !slices.ContainsFunc(all, func(e format.IndexEntry) bool { return e.Overlaps(o) }) {
			all = append(all, o)
		}
	}
	return all
}

func sameFiles(a, b []chain.File) bool {
	return slices.EqualFunc(a, b, func(x, y chain.File) bool { return x.Commit == y.Commit && x.Path == y.Path })
}
