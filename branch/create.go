package branch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/transfer"
)

// Created is a branch that was made.
type Created struct {
	Commit  ontosql.CommitID // of the point, which is the branch's head
	Objects int              // that this run copied; a run that resumes another one copies fewer
	Already bool             // the branch was complete before
}

// Create makes the empty bucket to a branch of a store at a commit; at nil is the newest one. Objects
// are copied by the store itself (objstore.Copy). The head is written last and only if there is none,
// so that after a crash there is no ontology at the address; the same call then completes it. If at
// is nil, an interrupted branch is completed at the commit that it was begun at.
//
// Errors: objstore.ErrNoCopy and ErrOtherKind if the store cannot copy to the bucket, ErrTaken,
// *UnknownCommitError, *resolver.LostSchemaError, and those of the buckets.
func Create(ctx context.Context, to objstore.Bucket, from *Store, at *ontosql.CommitID) (*Created, error) {
	if from.Bucket == nil {
		return nil, ErrOtherKind
	}
	begun, version, err := readMark(ctx, to)
	if err != nil {
		return nil, err
	}
	if begun != nil && at == nil {
		at = &begun.Commit
	}
	now, err := from.Pins.PinFresh(ctx)
	if err != nil {
		return nil, err
	}
	pin, err := pastOf(from.Address, now, at)
	if err != nil {
		return nil, err
	}
	c := &creation{from: from.Bucket, to: to, now: now, pin: pin, head: headOf(pin)}
	if c.mark, err = markOf(ctx, from.Bucket, pin); err != nil {
		return nil, err
	}
	if begun != nil && *begun != *c.mark {
		return nil, fmt.Errorf("%w: an unfinished branch or copy, of another store or at commit %d", ErrTaken, begun.Commit)
	}
	done, err := c.taken(ctx)
	if err != nil {
		return nil, err
	}
	if done {
		return &Created{Commit: pin.Head.Commit, Already: true}, c.end(ctx)
	}
	if version == objstore.Absent {
		if err := c.begin(ctx); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context) error{c.plan, c.copy, c.write, c.swapHead, c.end} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &Created{Commit: pin.Head.Commit, Objects: len(c.keys)}, nil
}

// creation is one Create.
type creation struct {
	from, to objstore.Bucket
	now, pin *resolver.Pin // of from, at its head and at the point
	head     []byte
	mark     *mark
	keys     []string          // objects to copy
	objects  map[string][]byte // objects to write
}

// headOf returns the head object of a branch at a pin.
func headOf(pin *resolver.Pin) []byte {
	head := &format.Head{CommitID: pin.Head.Commit, RuntimeID: pin.Head.RuntimeID, UpdatedAt: format.TimeOf(pin.Head.UpdatedAt)}
	if e := pin.View.Commit(head.CommitID); e != nil {
		head.ManifestPath, head.CommitSHA256 = &e.Path, e.Digest()
		head.RuntimeID, head.UpdatedAt = e.Manifest.RuntimeID, e.Manifest.CreatedAt
	}
	return format.EncodeHead(head)
}

// taken reports whether the branch is there already. Any other ontology is ErrTaken.
func (c *creation) taken(ctx context.Context) (done bool, err error) {
	body, _, err := c.to.Get(ctx, format.HeadKey)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read the head of the branch: %w", err)
	case bytes.Equal(body, c.head):
		return true, nil
	}
	return false, fmt.Errorf("%w: an ontology", ErrTaken)
}

// begin claims the empty place.
func (c *creation) begin(ctx context.Context) error {
	err := c.to.List(ctx, "", func(o objstore.Object) error { return fmt.Errorf("%w: an object %s", ErrTaken, o.Key) })
	if err != nil {
		return err
	}
	if err := swap(ctx, c.to, format.CopyMarkKey, c.mark.encode()); err != nil {
		return fmt.Errorf("claim the address of the branch: %w", err)
	}
	return nil
}

// plan finds what the branch consists of: the objects of the commits, snapshots that its indexes
// name, and the objects that say which types there are. Events, their claims and the lock belong to
// the store alone. The events of the commits were sent by it: the mark of the outbox says so.
func (c *creation) plan(ctx context.Context) error {
	var err error
	if c.objects, err = transfer.SchemaObjects(c.pin); err != nil {
		return err
	}
	if err := c.planEngine(ctx); err != nil {
		return err
	}
	snapshots, err := c.planIndexes(ctx)
	if err != nil {
		return err
	}
	if head := c.pin.Head; head.Commit > 0 {
		c.objects[format.EventsSentKey] = format.EncodeEventsSent(&format.EventsSent{CommitID: head.Commit, ManifestPath: head.ManifestPath, UpdatedAt: format.TimeOf(head.UpdatedAt)})
	}
	if c.pin.View.Len() >= chain.MinCheckpoint {
		c.objects[format.CheckpointKey] = c.pin.View.Checkpoint()
	}
	there := map[string]bool{}
	for _, prefix := range []string{format.CommitsPrefix, format.SnapshotsPrefix} {
		err := c.to.List(ctx, prefix, func(o objstore.Object) error {
			there[o.Key] = true
			return nil
		})
		if err != nil {
			return fmt.Errorf("list the branch: %w", err)
		}
	}
	for _, key := range append(transfer.ObjectKeys(c.pin.View), snapshots...) {
		if !there[key] {
			c.keys = append(c.keys, key)
		}
	}
	return nil
}

// planEngine adds the engine marker, the layouts of engine v2 and the columns that are not trusted.
func (c *creation) planEngine(ctx context.Context) error {
	for _, key := range []string{format.EngineKey, format.LayoutsKey, format.DistrustKey} {
		body, _, err := c.from.Get(ctx, key)
		if errors.Is(err, objstore.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
		switch key {
		case format.LayoutsKey:
			layouts, err := format.DecodeLayouts(key, body)
			if err != nil {
				return err
			}
			body = format.EncodeLayouts(transfer.LayoutsAt(layouts, c.pin))
		case format.DistrustKey:
			distrusted, err := format.DecodeDistrusted(key, body)
			if err != nil {
				return err
			}
			distrusted = slices.DeleteFunc(distrusted, func(d format.DistrustedColumn) bool {
				id, _, ok := format.ParseCommitDir(d.Path)
				return ok && id > c.pin.Head.Commit
			})
			body = format.EncodeDistrusted(distrusted, format.TimeOf(c.pin.Head.UpdatedAt))
		}
		c.objects[key] = body
	}
	return nil
}

// planIndexes adds the indexes of the types, up to the point, and returns the snapshots that they
// name. A damaged or missing index is composed anew from the manifests, as is the end of one that the
// point cuts.
func (c *creation) planIndexes(ctx context.Context) (snapshots []string, err error) {
	listed := map[string]bool{}
	if err := c.from.List(ctx, format.SnapshotsPrefix, func(o objstore.Object) error {
		listed[o.Key] = true
		return nil
	}); err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	for _, t := range c.pin.Catalog.Types {
		key := format.IndexKey(t.Ref)
		body, _, err := c.from.Get(ctx, key)
		if err != nil && !errors.Is(err, objstore.ErrNotFound) {
			return nil, fmt.Errorf("read %s: %w", key, err)
		}
		x, damaged := format.DecodeIndex(key, body)
		if err != nil || damaged != nil || c.dropped(t.Ref) {
			x = &format.Index{}
		}
		cut, err := transfer.IndexAt(x, c.pin.Head.Commit, func(path string) (bool, error) { return listed[path], nil })
		if err != nil {
			return nil, err
		}
		for _, f := range c.pin.View.Files(t.Ref, cut.MaxIndexedCommit, c.pin.Head.Commit) {
			cut.Entries = append(cut.Entries, format.IndexEntry{MinCommitID: f.Commit, MaxCommitID: f.Commit, Path: f.Path})
		}
		cut.TypeName, cut.MaxIndexedCommit = t.Ref.Name, c.pin.Head.Commit
		for _, e := range cut.Entries {
			if !format.Immutable(e.Path) {
				snapshots = append(snapshots, e.Path)
			}
		}
		c.objects[key] = format.EncodeIndex(cut)
	}
	return snapshots, nil
}

// dropped reports whether a type was dropped before or after the point: its index may have been
// emptied since.
func (c *creation) dropped(ref ontosql.TypeRef) bool { return c.now.View.Floor(ref) > 0 }

func (c *creation) copy(ctx context.Context) error {
	if err := objstore.Copy(ctx, c.to, c.from, c.keys); err != nil {
		return fmt.Errorf("copy commits: %w", err)
	}
	return nil
}

// writes is the number of objects that are written at a time.
const writes = 16

func (c *creation) write(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writes)
	for _, key := range slices.Sorted(maps.Keys(c.objects)) {
		g.Go(func() error {
			if _, err := c.to.Put(ctx, key, c.objects[key]); err != nil {
				return fmt.Errorf("write %s: %w", key, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// swapHead makes the branch visible.
func (c *creation) swapHead(ctx context.Context) error {
	err := swap(ctx, c.to, format.HeadKey, c.head)
	if errors.Is(err, objstore.ErrPreconditionFailed) {
		return fmt.Errorf("%w: another ontology since a moment", ErrTaken)
	}
	if err != nil {
		return fmt.Errorf("write the head of the branch: %w", err)
	}
	return nil
}

// end removes the mark.
func (c *creation) end(ctx context.Context) error {
	if err := c.to.Delete(ctx, format.CopyMarkKey); err != nil {
		return fmt.Errorf("remove mark: %w", err)
	}
	return nil
}

// swap writes an object that must not exist. Without a clear answer it reads the object back.
func swap(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	_, err := b.Swap(ctx, key, objstore.Absent, body)
	if err == nil {
		return nil
	}
	if found, _, look := b.Get(ctx, key); look == nil && bytes.Equal(found, body) {
		return nil
	}
	return err
}

// Delete removes the store of a branch: the head first, so that there is no ontology from then on,
// and then all other objects. Run again it goes on where it stopped.
func Delete(ctx context.Context, b objstore.Bucket) (objects int, err error) {
	if err := b.Delete(ctx, format.HeadKey); err != nil {
		return 0, fmt.Errorf("remove the head: %w", err)
	}
	var keys []string
	if err := b.List(ctx, "", func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	}); err != nil {
		return 0, fmt.Errorf("list the branch: %w", err)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(writes)
	for _, key := range keys {
		g.Go(func() error {
			if err := b.Delete(ctx, key); err != nil {
				return fmt.Errorf("remove %s: %w", key, err)
			}
			return nil
		})
	}
	return len(keys) + 1, g.Wait()
}
