package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

func everyKey(string) bool { return true }

// indexes copies the indexes and the snapshots that they name. An index that is ahead of the
// head is truncated to it, because the target may get other commits with those ids.
func (c *objectCopy) indexes(ctx context.Context) error {
	found, err := stamps(ctx, c.from, format.IndicesPrefix, everyKey)
	if err != nil {
		return err
	}
	keys := slices.Sorted(maps.Keys(found))
	return inParallel(ctx, len(keys), &counter{}, func(ctx context.Context, i int) error {
		return c.copyChanged(ctx, keys[i], found[keys[i]], func(ctx context.Context, body []byte) ([]byte, error) {
			return c.index(ctx, keys[i], body)
		})
	})
}

// index returns an index for the target; nil for a damaged one, which readers do not need.
func (c *objectCopy) index(ctx context.Context, key string, body []byte) ([]byte, error) {
	x, err := format.DecodeIndex(key, body)
	if err != nil {
		return nil, nil
	}
	cut, err := IndexAt(x, c.view.Head().Commit, func(path string) (bool, error) { return c.snapshot(ctx, path) })
	if err != nil {
		return nil, err
	}
	if cut.MaxIndexedCommit == x.MaxIndexedCommit && len(cut.Entries) == len(x.Entries) {
		return body, nil
	}
	return format.EncodeIndex(cut), nil
}

// IndexAt returns an index without what is above a head. there reports of each snapshot whether it
// can be in the index; the commits of one that cannot are read another way.
func IndexAt(x *format.Index, head ontosql.CommitID, there func(path string) (bool, error)) (*format.Index, error) {
	cut := &format.Index{TypeName: x.TypeName, MaxIndexedCommit: min(x.MaxIndexedCommit, head), Entries: []format.IndexEntry{}}
	for _, e := range x.Entries {
		keep := e.MaxCommitID <= head
		if keep && !format.Immutable(e.Path) {
			var err error
			if keep, err = there(e.Path); err != nil {
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
	return cut, nil
}

// snapshot copies a snapshot, which may be missing: an index is advisory (I5). One of the same
// size is there already: under one key a snapshot always has the same rows.
func (c *objectCopy) snapshot(ctx context.Context, key string) (there bool, err error) {
	s := &c.snapshots
	s.once.Do(func() {
		var failed error
		s.ours, s.err = sizes(ctx, c.from, format.SnapshotsPrefix)
		s.theirs, failed = sizes(ctx, c.to, format.SnapshotsPrefix)
		s.err = errors.Join(s.err, failed)
	})
	if s.err != nil {
		return false, s.err
	}
	ours, listed := s.ours[key]
	if theirs, copied := s.theirs[key]; listed && copied && ours == theirs {
		return true, nil
	}
	if err := c.target.own(ctx); err != nil { // the target may have another snapshot under this key
		return false, err
	}
	err = c.copyObject(ctx, key, "")
	if errors.Is(err, objstore.ErrNotFound) || errors.Is(err, objstore.ErrInvalidKey) {
		return false, nil
	}
	return err == nil, err
}

// sizes lists the sizes of the objects below a prefix.
func sizes(ctx context.Context, b objstore.Bucket, prefix string) (map[string]int64, error) {
	found := map[string]int64{}
	err := b.List(ctx, prefix, func(o objstore.Object) error {
		found[o.Key] = o.Size
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	return found, nil
}

// events copies the event data, and then the mark up to which the events of commits were sent: as it
// was before the events were listed, so that an event is below it only if it was copied. Claims and
// sessions are mutable and are copied again if they differ.
func (c *objectCopy) events(ctx context.Context) error {
	found := map[string]stamp{}
	for _, prefix := range format.EventPrefixes {
		some, err := stamps(ctx, c.from, prefix, everyKey)
		if err != nil {
			return err
		}
		maps.Copy(found, some)
	}
	keys := slices.Sorted(maps.Keys(found))
	c.done.Events = len(keys)
	err := inParallel(ctx, len(keys), c.step("copying event data", len(keys)), func(ctx context.Context, i int) error {
		return c.copyChanged(ctx, keys[i], found[keys[i]], nil)
	})
	if err != nil {
		return err
	}
	return c.eventsSent(ctx)
}

// eventsSent copies the mark of the outbox, unless that of the target is further.
func (c *objectCopy) eventsSent(ctx context.Context) error {
	body, now := c.state.objects[format.EventsSentKey], c.state.stamps[format.EventsSentKey]
	if body == nil || now.unchanged(c.copied[format.EventsSentKey]) {
		return nil
	}
	theirs, _, err := c.to.Get(ctx, format.EventsSentKey)
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("read %s: %w", format.EventsSentKey, err)
	}
	ours, damaged := format.DecodeEventsSent(format.EventsSentKey, body)
	mark, none := format.DecodeEventsSent(format.EventsSentKey, theirs)
	if damaged != nil || none == nil && mark.CommitID >= ours.CommitID {
		return nil //nolint:nilerr // without a mark events are put again where they are
	}
	if err := c.target.change(ctx, format.EventsSentKey, body); err != nil {
		return err
	}
	c.remember(format.EventsSentKey, now)
	return nil
}

// meta copies the schema objects.
func (c *objectCopy) meta(ctx context.Context) error {
	return c.schemaObjects(ctx, func(string, []byte) bool { return true })
}

// newVersions copies the versions of types, but for those of types that were dropped.
func (c *objectCopy) newVersions(ctx context.Context) error {
	return c.schemaObjects(ctx, func(key string, body []byte) bool {
		if !strings.HasPrefix(key, format.VersionsPrefix) {
			return false
		}
		versions, err := format.DecodeVersions(key, body)
		return err == nil && len(versions.Versions) > 0
	})
}

// schemaObjects copies schema objects in the order in which every writer writes them (writepath's
// PROTOCOL).
func (c *objectCopy) schemaObjects(ctx context.Context, wanted func(key string, body []byte) bool) error {
	keys := slices.SortedFunc(maps.Keys(c.state.objects), func(a, b string) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), strings.Compare(a, b))
	})
	for _, key := range keys {
		body, now := c.state.objects[key], c.state.stamps[key]
		if key == format.EventsSentKey || !wanted(key, body) || now.unchanged(c.copied[key]) {
			continue
		}
		if err := c.target.change(ctx, key, body); err != nil {
			return err
		}
		c.remember(key, now)
	}
	return nil
}

// turn is when a schema object is written: marks of dropped types, versions, others, types, registry.
func turn(key string) int {
	switch {
	case key == format.DroppedKey:
		return 0
	case strings.HasPrefix(key, format.VersionsPrefix):
		return 1
	case key == format.TypesKey:
		return 3
	case key == format.RegistryKey:
		return 4
	}
	return 2
}
