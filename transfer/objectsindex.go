package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// indexes copies the indexes and the snapshots that they name. An index that is ahead of the
// head is truncated to it, because the target may get other commits with those ids.
func (c *objectCopy) indexes(ctx context.Context) error {
	var keys []string
	err := c.from.List(ctx, format.IndicesPrefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list indexes: %w", err)
	}
	snapshots := map[string]bool{} // whether it exists, by key
	for _, key := range keys {
		body, _, err := c.from.Get(ctx, key)
		if errors.Is(err, objstore.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read index: %w", err)
		}
		if body, err = c.index(ctx, key, body, snapshots); err != nil {
			return err
		}
		if body == nil {
			continue
		}
		if err := c.put.putIfChanged(ctx, c.to.bucket, key, body); err != nil {
			return err
		}
	}
	return nil
}

// index returns an index for the target; nil for a damaged one, which readers do not need.
func (c *objectCopy) index(ctx context.Context, key string, body []byte, snapshots map[string]bool) ([]byte, error) {
	x, err := format.DecodeIndex(key, body)
	if err != nil {
		return nil, nil
	}
	head := c.view.Head().Commit
	cut := format.Index{TypeName: x.TypeName, MaxIndexedCommit: min(x.MaxIndexedCommit, head), Entries: []format.IndexEntry{}}
	for _, e := range x.Entries {
		keep := e.MaxCommitID <= head
		if keep && !format.Immutable(e.Path) {
			if keep, err = c.snapshot(ctx, e.Path, snapshots); err != nil {
				return nil, err
			}
		}
		if keep {
			cut.Entries = append(cut.Entries, e)
			continue
		}
		if e.MinCommitID <= head { // the missing commits of a snapshot are read another way
			cut.MaxIndexedCommit = min(cut.MaxIndexedCommit, e.MinCommitID-1)
		}
	}
	cut.Entries = slices.DeleteFunc(cut.Entries, func(e format.IndexEntry) bool { return e.MaxCommitID > cut.MaxIndexedCommit })
	if cut.MaxIndexedCommit == x.MaxIndexedCommit && len(cut.Entries) == len(x.Entries) {
		return body, nil
	}
	return format.EncodeIndex(&cut), nil
}

// snapshot copies a snapshot, which may be missing: an index is advisory (I5).
func (c *objectCopy) snapshot(ctx context.Context, key string, known map[string]bool) (bool, error) {
	if there, seen := known[key]; seen {
		return there, nil
	}
	err := c.copyObject(ctx, key, "")
	if errors.Is(err, objstore.ErrNotFound) || errors.Is(err, objstore.ErrInvalidKey) {
		known[key] = false
		return false, nil
	}
	known[key] = err == nil
	return err == nil, err
}

// events copies the event data. Claims and sessions are mutable and are copied again if they
// differ.
func (c *objectCopy) events(ctx context.Context) error {
	var keys []string
	for _, prefix := range format.EventPrefixes {
		err := c.from.List(ctx, prefix, func(o objstore.Object) error {
			keys = append(keys, o.Key)
			return nil
		})
		if err != nil {
			return fmt.Errorf("list event data: %w", err)
		}
	}
	c.copied.Events = len(keys)
	return inParallel(ctx, len(keys), c.step("copying event data", len(keys)), func(ctx context.Context, i int) error {
		body, _, err := c.from.Get(ctx, keys[i])
		if errors.Is(err, objstore.ErrNotFound) {
			return nil // removed in the meantime
		}
		if err != nil {
			return fmt.Errorf("read event data: %w", err)
		}
		return c.put.putIfChanged(ctx, c.to.bucket, keys[i], body)
	})
}

// meta copies the schema objects.
func (c *objectCopy) meta(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(c.state.objects)) {
		if err := c.put.putIfChanged(ctx, c.to.bucket, key, c.state.objects[key]); err != nil {
			return err
		}
	}
	return nil
}

// verify reads back every commit that is about to become visible: the manifests from the new
// head down, and each file they name.
func (c *objectCopy) verify(ctx context.Context) error {
	count := c.step("verifying objects", 0)
	view, err := chainOf(ctx, c.to.bucket, c.state.head)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	types := map[ontosql.TypeRef]bool{}
	for id := c.to.base + 1; id <= c.view.Head().Commit; id++ {
		ours, theirs := c.view.Commit(id), view.Commit(id)
		if ours.Path != theirs.Path || !reflect.DeepEqual(ours.Manifest, theirs.Manifest) {
			return &mismatch{theirs.Path}
		}
		for i := range ours.Manifest.Files {
			types[ours.Manifest.Files[i].Ref()] = true
		}
		c.copied.Points++
	}
	c.copied.Types = len(types)
	objects := objectsOf(c.view, c.to.base)
	count.total = len(objects)
	return inParallel(ctx, len(objects), count, func(ctx context.Context, i int) error { return c.readBack(ctx, objects[i]) })
}

// readBack compares an object of the target with its manifest's checksum, or with the source's
// if the manifest has none.
func (c *objectCopy) readBack(ctx context.Context, o immutable) error {
	want := o.sha256
	if want == "" {
		s, sum, err := spools(c.Temp).Fetch(ctx, c.from, o.key, "")
		if err != nil {
			return err
		}
		s.Close()
		want = sum
	}
	s, sum, err := spools(c.Temp).Fetch(ctx, c.to.bucket, o.key, "")
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	s.Close()
	if sum != want {
		return &mismatch{o.key}
	}
	return nil
}
