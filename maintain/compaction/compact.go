package compaction

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/resolver"
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

// Options configures Compact.
type Options struct {
	Type     string       // only types of this name; "" for all
	Kind     ontosql.Kind // of Type; 0 for either
	Strategy Strategy     // "" is Whole
	// MinFiles leaves runs of fewer files alone. MaxBytes leaves the oldest files of a run alone
	// until the size of the others is at most that. 0 is no limit.
	MinFiles int
	MaxBytes int64
	Apply    bool // write the snapshots; otherwise only plan
	// Progress, if not nil, is called from time to time.
	Progress func(Progress)
}

// Progress is how far Compact has come.
type Progress struct {
	Type        ontosql.TypeRef
	Phase       Phase
	Done, Total int64 // rows that were read, of those of all types that are compacted
}

// Phase is what is done with a type.
type Phase string

// The phases, in their order.
const (
	Merging    Phase = "merging files"
	Publishing Phase = "publishing the index"
)

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

// ParseStrategy reads the name of a strategy.
func ParseStrategy(name string) (Strategy, error) {
	if s := Strategy(name); s == Whole || s == Tiered {
		return s, nil
	}
	return "", fmt.Errorf("%q: a strategy is %s or %s", name, Whole, Tiered)
}

// Compact merges the files of each type into snapshots. All types of the store's list that have
// several files are planned; with Apply their snapshots are written one after the other, and the
// index of each is replaced when its snapshot is there. A snapshot that is there already, in the
// index and sound, is not written again.
//
// A file that is missing or damaged is a *ontosql.CorruptError: its type is left as it is, and so
// are those behind it.
func Compact(ctx context.Context, s Store, o Options) (*Compaction, error) {
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
	if o.Apply {
		if err := c.applyAll(ctx, runs, o, done); err != nil {
			return nil, err
		}
	}
	for i := range runs {
		done.Planned = append(done.Planned, runs[i].Plan)
	}
	return done, nil
}

// applyAll writes the snapshots of all types.
func (c *compactor) applyAll(ctx context.Context, runs []run, o Options, done *Compaction) error {
	for i := range runs {
		c.at.Total += runs[i].Rows
	}
	if c.report = o.Progress; c.report == nil {
		c.report = func(Progress) {}
	}
	if len(runs) > 0 {
		defer c.checkpoint(ctx) // which has nothing to do with what became of the types
	}
	for _, part := range byType(runs) {
		if err := c.apply(ctx, part, done); err != nil {
			return fmt.Errorf("%s: %w", part[0].Type, err)
		}
	}
	return nil
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
	pin    *resolver.Pin
	report func(Progress)
	at     Progress
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
		refs = slices.DeleteFunc(refs, func(ref ontosql.TypeRef) bool {
			return ref.Name != o.Type || o.Kind != 0 && ref.Kind != o.Kind
		})
		if len(refs) == 0 {
			return nil, fmt.Errorf("%q: %w", o.Type, ErrUnknownType)
		}
	}
	var runs []run
	for _, ref := range refs {
		planned := whole(c.pin.View, ref)
		if o.Strategy == Tiered {
			if planned, err = c.tiered(ctx, ref); err != nil {
				return nil, err
			}
		}
		for _, inputs := range planned {
			if o.MaxBytes > 0 {
				if inputs, err = c.newest(ctx, inputs, o.MaxBytes); err != nil {
					return nil, err
				}
			}
			if r, ok := newRun(ref, inputs); ok && len(inputs) >= o.MinFiles {
				runs = append(runs, r)
			}
		}
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
	start := c.at.Done
	for tries := 1; ; tries++ {
		c.at.Done = start
		c.enter(ref, Merging)
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
		c.enter(ref, Publishing)
		if err := c.publish(ctx, runs, now.snapshots); !errors.Is(err, errSnapshotGone) || tries == maxPublications {
			return err
		}
	}
}

func (c *compactor) write(ctx context.Context, t *catalog.Type, r *run, done *Compaction) error {
	start := c.at.Done
	size, err := c.merge(ctx, t, r, c.advance)
	if instead, ok := r.withoutSnapshot(err); ok {
		c.at.Done = start
		size, err = c.merge(ctx, t, instead, c.advance)
	}
	if err != nil {
		return err
	}
	r.Bytes = size
	done.Rows += r.Rows
	done.Bytes += size
	return nil
}

func (c *compactor) enter(ref ontosql.TypeRef, phase Phase) {
	c.at.Type, c.at.Phase = ref, phase
	c.report(c.at)
}

func (c *compactor) advance(rows int64) {
	c.at.Done += rows
	c.report(c.at)
}
