package gc

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// Objects between two judgements. Under the lock they are few, so that a commit waits for a few
// round trips.
const (
	batch       = 1000
	lockedBatch = 100
)

// pause is how long the lock is left to writers between two batches; the original looks for it
// every 10 to 30 ms.
const pause = 100 * time.Millisecond

// collector is one call of Run.
type collector struct {
	Options
	planned *roots // by which the plan was made
	done    *Collection
	dealt   int // number of objects
}

// remove removes what is planned: first what no writer can ever name, then the rest.
func (c *collector) remove(ctx context.Context) error {
	var dead, contested []Garbage
	for _, g := range c.done.Planned {
		if g.Reason.contested() {
			contested = append(contested, g)
		} else {
			dead = append(dead, g)
		}
	}
	for part := range slices.Chunk(dead, batch) {
		if err := c.removeDead(ctx, part); err != nil {
			return err
		}
		c.advance(len(part))
	}
	for part := range slices.Chunk(contested, lockedBatch) {
		err := writepath.Maintain(ctx, c.MaintenanceOptions, func(ctx context.Context, m *writepath.Maintenance) error {
			return c.removeContested(ctx, m, part)
		})
		if err != nil {
			return err
		}
		if c.advance(len(part)); c.dealt == len(c.done.Planned) {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return objstore.ContextError(ctx)
		}
	}
	return nil
}

func (c *collector) advance(objects int) {
	c.dealt += objects
	if c.Progress != nil {
		c.Progress(c.dealt, len(c.done.Planned))
	}
}

// judgeAgain reads what may be a root of a part of the plan by now; it must continue the roots of the
// plan. An index that did not name a file of an attempt then names it only if it is committed, and a
// snapshot is named by the index of its type.
func (c *collector) judgeAgain(ctx context.Context, part []Garbage) (*roots, error) {
	now, err := readRoots(ctx, c.Bucket, c.Log)
	if err != nil {
		return nil, err
	}
	if !now.continues(c.planned) {
		return nil, errWentBack
	}
	var refs []ontosql.TypeRef
	for _, g := range part {
		if ref, _, _, ok := format.ParseSnapshotKey(g.Key); ok && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return now, now.readIndexes(ctx, c.Bucket, refs)
}

// removeDead removes objects of attempts that lost against a commit.
func (c *collector) removeDead(ctx context.Context, part []Garbage) error {
	now, err := c.judgeAgain(ctx, part)
	if err != nil {
		return err
	}
	return c.removeAll(ctx, still(part, func(r Reason) bool { return r == Lost || r == Unnamed }, now), ctx.Err)
}

// still are the objects that are garbage for a reason that doomed accepts.
func still(part []Garbage, doomed func(Reason) bool, now *roots) (all []Garbage) {
	for _, g := range part {
		if doomed(now.judge(g.Key)) {
			all = append(all, g)
		}
	}
	return all
}

// removeContested removes objects under the write lock. No index changes meanwhile, and no head but
// by a writer whose lease has ended; of those above the head, which it could commit, the fence
// takes the chance.
func (c *collector) removeContested(ctx context.Context, m *writepath.Maintenance, part []Garbage) error {
	now, err := c.judgeAgain(ctx, part)
	if err != nil {
		return err
	}
	if len(still(part, func(r Reason) bool { return r == Above }, now)) > 0 {
		if err := m.Fence(ctx); err != nil {
			return err
		}
	}
	return c.removeAll(ctx, still(part, Reason.garbage, now), m.Check)
}

// removeAll removes objects. allowed is asked before each request.
func (c *collector) removeAll(ctx context.Context, part []Garbage, allowed func() error) error {
	removed := make([]bool, len(part))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range part {
		g.Go(func() error {
			err := allowed()
			if err == nil {
				err = c.Bucket.Delete(gctx, part[i].Key)
			}
			removed[i] = err == nil
			return err
		})
	}
	err := g.Wait()
	for i := range part {
		if removed[i] {
			c.done.Removed.add(part[i].Bytes)
		}
	}
	return err
}
