package transfer

import (
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

// state is a consistent copy of a bucket's mutable objects.
type state struct {
	head    *format.Head
	body    []byte            // head object
	objects map[string][]byte // objects below meta/ that isState accepts
	stamps  map[string]stamp  // of objects
}

// isState reports whether an object below meta/ is part of the ontology's state. The checkpoint
// of the manifests is not: it is large, may be ahead of the head, and a target that is compacted
// gets its own.
func isState(key string) bool {
	switch key {
	case format.HeadKey, format.CopyMarkKey, format.CompactionLockKey, format.CheckpointKey:
		return false
	}
	return !strings.HasPrefix(key, "meta/locks/") && !strings.HasPrefix(key, format.IndicesPrefix) && !strings.HasPrefix(key, "meta/ontosql/probe-")
}

// stamp says whether a listed object is the one that was listed before.
type stamp struct {
	text string
	// sure is set if different contents have different stamps. A store that lists no versions
	// has only times, which two writes in quick succession may share.
	sure bool
}

func stampOf(o objstore.Object) stamp {
	return stamp{fmt.Sprint(o.Version, o.Size, o.Modified.UnixNano()), o.Version != objstore.Absent}
}

// unchanged reports whether an object surely is what it was at an earlier stamp.
func (s stamp) unchanged(earlier stamp) bool { return s.sure && s == earlier }

// readState reads the head and the schema objects consistently: the others did not change
// while the head was read. What has not changed since the last state, which may be nil, is not
// read again.
func readState(ctx context.Context, b objstore.Bucket, last *state) (*state, error) {
	if last == nil {
		last = &state{}
	}
	const attempts = 20
	before, err := stamps(ctx, b, "meta/", isState)
	for range attempts {
		if err != nil {
			return nil, err
		}
		s := &state{objects: map[string][]byte{}, stamps: before}
		for _, key := range slices.Sorted(maps.Keys(before)) {
			if before[key].unchanged(last.stamps[key]) {
				s.objects[key] = last.objects[key]
				continue
			}
			body, _, err := b.Get(ctx, key)
			if errors.Is(err, objstore.ErrNotFound) {
				continue // the second listing detects it
			}
			if err != nil {
				return nil, fmt.Errorf("read schema objects: %w", err)
			}
			s.objects[key] = body
		}
		if s.body, _, err = b.Get(ctx, format.HeadKey); errors.Is(err, objstore.ErrNotFound) {
			return nil, fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
		} else if err != nil {
			return nil, fmt.Errorf("read head: %w", err)
		}
		if s.head, err = format.DecodeHead(format.HeadKey, s.body); err != nil {
			return nil, fmt.Errorf("read head: %w", err)
		}
		after, failed := stamps(ctx, b, "meta/", isState)
		if failed == nil && maps.Equal(before, after) {
			return s, nil
		}
		before, err = after, failed
	}
	return nil, ErrUnstable
}

// stamps lists the objects below a prefix that wanted accepts.
func stamps(ctx context.Context, b objstore.Bucket, prefix string, wanted func(key string) bool) (map[string]stamp, error) {
	found := map[string]stamp{}
	err := b.List(ctx, prefix, func(o objstore.Object) error {
		if wanted(o.Key) {
			found[o.Key] = stampOf(o)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", prefix, err)
	}
	return found, nil
}
