package compaction

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// Strategy chooses the files that are merged.
type Strategy string

// The strategies.
const (
	// Whole makes one snapshot of each type, as the original does.
	Whole Strategy = "snapshot"
	// Tiered merges runs of neighbouring files and snapshots of similar size, so that a type has
	// few files and no row is written more than log2 of the number of commits times.
	Tiered Strategy = "tiered"
)

// ErrStrategy means that there is no strategy of the given name.
var ErrStrategy = errors.New("a strategy is snapshot or tiered")

// Options configures Compact.
type Options struct {
	Type     string   // only types of this name, of either kind; "" for all
	Strategy Strategy // "" is Whole
	Apply    bool     // write the snapshots; otherwise only plan
	// Progress, if not nil, is called from time to time with the number of rows that were read.
	Progress func(done, total int64)
}

// Compaction is the result of Compact.
type Compaction struct {
	Planned []Plan
	Applied bool
	Rows    int64 // number of rows that were written
	Bytes   int64 // size of the snapshots that were written
}

// ErrUnknownType means that the ontology has no type of the given name.
var ErrUnknownType = errors.New("no such type")

// ErrFilesChanged means that the files which a snapshot was made of are not the type's any more: it
// was dropped, or the store was restored to an earlier state. Nothing of it was published.
var ErrFilesChanged = errors.New("the type was dropped or the store was restored meanwhile")

// Compact merges the files of each type into snapshots. All types of the store's list that have
// several files are planned; with Apply their snapshots are written one after the other, and the
// index of each is replaced when its snapshot is there. A snapshot that is there already, in the
// index and sound, is not written again.
//
// A file that is missing or damaged is a *ontosql.CorruptError: its type is left as it is, and so
// are those behind it.
func Compact(ctx context.Context, s Store, o Options) (*Compaction, error) {
	if o.Strategy != "" && o.Strategy != Whole && o.Strategy != Tiered {
		return nil, fmt.Errorf("%q: %w", o.Strategy, ErrStrategy)
	}
	pin, err := s.Files.Pin(ctx)
	if err != nil {
		return nil, err
	}
	c := &compactor{Store: s, pin: pin}
	runs, err := c.plan(ctx, o)
	if err != nil {
		return nil, err
	}
	done := &Compaction{Applied: o.Apply}
	for i := range runs {
		done.Planned = append(done.Planned, runs[i].Plan)
		c.total += runs[i].Rows
	}
	if !o.Apply {
		return done, nil
	}
	if c.report = o.Progress; c.report == nil {
		c.report = func(int64, int64) {}
	}
	for _, part := range byType(runs) {
		if err := c.apply(ctx, part, done); err != nil {
			return nil, fmt.Errorf("%s: %w", part[0].Type, err)
		}
	}
	return done, nil
}

// byType divides runs, which are in the order of their types.
func byType(runs []run) (parts [][]run) {
	for len(runs) > 0 {
		n := slices.IndexFunc(runs, func(r run) bool { return r.Type != runs[0].Type })
		if n < 0 {
			n = len(runs)
		}
		parts, runs = append(parts, runs[:n]), runs[n:]
	}
	return parts
}

// compactor is one call of Compact.
type compactor struct {
	Store
	pin         *resolver.Pin
	report      func(done, total int64)
	done, total int64 // rows
}

// plan chooses the runs, in the order of the list of types.
func (c *compactor) plan(ctx context.Context, o Options) ([]run, error) {
	if c.pin.Head.Commit == 0 && o.Type == "" {
		return nil, nil
	}
	refs, err := c.types(ctx)
	if err != nil {
		return nil, err
	}
	if o.Type != "" {
		refs = slices.DeleteFunc(refs, func(ref ontosql.TypeRef) bool { return ref.Name != o.Type })
		if len(refs) == 0 {
			return nil, fmt.Errorf("%q: %w", o.Type, ErrUnknownType)
		}
	}
	var runs []run
	for _, ref := range refs {
		if o.Strategy != Tiered {
			runs = append(runs, whole(c.pin.View, ref)...)
			continue
		}
		more, err := c.tiered(ctx, ref)
		if err != nil {
			return nil, err
		}
		runs = append(runs, more...)
	}
	return runs, nil
}

// errSnapshotGone means that a snapshot was removed or replaced before the index named it.
var errSnapshotGone = errors.New("a snapshot changed before it was published")

// apply writes the snapshots of the runs of one type and publishes them.
func (c *compactor) apply(ctx context.Context, runs []run, done *Compaction) error {
	ref := runs[0].Type
	t, known := c.pin.Catalog.Type(ref)
	if !known {
		return fmt.Errorf("%w: it is in the list of types and has no schema", ErrUnknownType)
	}
	index, damaged, err := c.index(ctx, ref)
	if err != nil {
		return err
	}
	now, err := c.inspect(ctx, c.pin.View, ref, index, damaged)
	if err != nil {
		return err
	}
	start := c.done
	for tries := 1; ; tries++ {
		c.done = start
		written := false
		for i := range runs {
			if slices.Contains(now.snapshots, runs[i].entry) {
				c.advance(runs[i].Rows)
				continue
			}
			if err := c.write(ctx, t, &runs[i], done); err != nil {
				return err
			}
			written = true
		}
		if !written && now.sound() {
			return nil
		}
		if err := c.publish(ctx, runs, now.snapshots); !errors.Is(err, errSnapshotGone) || tries == maxPublications {
			return err
		}
	}
}

func (c *compactor) write(ctx context.Context, t *catalog.Type, r *run, done *Compaction) error {
	start := c.done
	size, err := c.merge(ctx, t, r, c.advance)
	if instead, ok := r.withoutSnapshot(err); ok {
		c.done = start
		size, err = c.merge(ctx, t, instead, c.advance)
	}
	if err != nil {
		return err
	}
	done.Rows += r.Rows
	done.Bytes += size
	return nil
}

func (c *compactor) advance(rows int64) {
	c.done += rows
	c.report(c.done, c.total)
}

// maxPublications is how often the publication is repeated if the head or the index changes although
// the lock is held, which takes a writer that takes it for expired, or if a snapshot is gone.
const maxPublications = 3

// publish replaces the index of a type by one with the snapshots of runs. known are snapshots that
// the index had when the work began and that are sound.
func (c *compactor) publish(ctx context.Context, runs []run, known []format.IndexEntry) error {
	for tries := 1; ; tries++ {
		err := c.maintain(ctx, "compact", func(ctx context.Context, m *writepath.Maintenance) error {
			return c.publishLocked(ctx, m, runs, known)
		})
		moved := errors.Is(err, ontosql.ErrHeadMoved) || errors.Is(err, objstore.ErrPreconditionFailed) || errors.Is(err, objstore.ErrConflict)
		if !moved || tries == maxPublications {
			return err
		}
	}
}

func (c *compactor) publishLocked(ctx context.Context, m *writepath.Maintenance, runs []run, known []format.IndexEntry) error {
	view, ref := m.View(), runs[0].Type
	for i := range runs {
		if !sameFiles(runs[i].files(), replaced(view, ref, runs[i].Min, runs[i].Max)) {
			return ErrFilesChanged
		}
		// An older object at the key was garbage, and the collection (maintain/gc), which works
		// under the lock, may have met the new one.
		why, err := c.refused(ctx, view, ref, runs[i].entry)
		if err != nil {
			return err
		}
		if why != "" {
			return fmt.Errorf("%w: %s %s", errSnapshotGone, runs[i].entry.Path, why)
		}
	}
	old, err := m.Index(ctx, ref)
	if err != nil {
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
	return m.Publish(ctx, []writepath.IndexUpdate{{Type: ref, Old: old, Index: index}})
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
