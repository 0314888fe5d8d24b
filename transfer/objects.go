package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// objectCopy copies a bucket to a bucket: the same keys with the same bytes.
type objectCopy struct {
	CopyOptions
	from   objstore.Bucket
	to     *bucketTarget
	state  *state
	view   *chain.View // of the source, at the head of state
	copied Copied
	put    putCounter
}

// CopyObjects copies an ontology from one bucket to another: all commits of its head's chain,
// the snapshots that its indexes name, its schema objects and its event data, unchanged.
// Objects of failed attempts and the lock are not copied. log is the chain log of from.
// Writers of the source can continue: the target gets the state of one head.
//
// The target becomes an ontology when its head is written, which is last and only after
// everything was read back. An interrupted run is resumed by the next one; so is a target with
// an earlier state of the source. Errors: ErrOtherOntology, ErrNotEmpty, ErrUnstable,
// *writepath.LeaseHeldError, *ontosql.CorruptError for a damaged source, and those of the
// buckets.
func CopyObjects(ctx context.Context, from objstore.Bucket, log *chain.Log, to objstore.Bucket, o CopyOptions) (*Copied, error) {
	c := &objectCopy{CopyOptions: o, from: from}
	var err error
	if c.state, err = readState(ctx, from); err != nil {
		return nil, err
	}
	if c.view, err = log.At(ctx, c.state.head); err != nil {
		return nil, err
	}
	m := mark{Engine: sumOf(c.state.objects[format.EngineKey])}
	if first := c.view.Commit(1); first != nil {
		m.First = first.Path
	}
	c.to, err = openTarget(ctx, to, m, func(head *format.Head) error {
		if head.CommitID == 0 && bytes.Equal(format.EncodeHead(head), format.EncodeHead(c.state.head)) {
			return nil // both are empty
		}
		return checkPrefix(ctx, from, to, c.view, head)
	})
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{c.commits, c.indexes, c.events, c.meta, c.verify} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.to.finish(ctx, c.state.head, c.state.body); err != nil {
		return nil, err
	}
	c.copied.Objects, c.copied.Bytes = c.put.objects(), c.put.size()
	c.copied.Head = c.state.head.CommitID
	c.copied.Commits = int(c.state.head.CommitID - c.to.base)
	return &c.copied, nil
}

// state is a consistent copy of a bucket's mutable objects.
type state struct {
	head    *format.Head
	body    []byte            // head object
	objects map[string][]byte // objects below meta/ except head, locks, indexes and probes
}

// isState reports whether an object below meta/ is part of the ontology's state.
func isState(key string) bool {
	return key != format.HeadKey && key != format.CopyMarkKey && !strings.HasPrefix(key, "meta/locks/") &&
		!strings.HasPrefix(key, format.IndicesPrefix) && !strings.HasPrefix(key, "meta/ontosql/probe-")
}

// readState reads the head and the schema objects consistently: the others did not change
// while the head was read.
func readState(ctx context.Context, b objstore.Bucket) (*state, error) {
	const attempts = 20
	before, err := versions(ctx, b)
	for range attempts {
		if err != nil {
			return nil, err
		}
		s := &state{objects: map[string][]byte{}}
		for _, key := range slices.Sorted(maps.Keys(before)) {
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
		after, failed := versions(ctx, b)
		if failed == nil && maps.Equal(before, after) {
			return s, nil
		}
		before, err = after, failed
	}
	return nil, ErrUnstable
}

// versions returns a version of each object of a state; for a store that lists none, its time
// and size.
func versions(ctx context.Context, b objstore.Bucket) (map[string]string, error) {
	found := map[string]string{}
	err := b.List(ctx, "meta/", func(o objstore.Object) error {
		if isState(o.Key) {
			found[o.Key] = fmt.Sprint(o.Version, o.Size, o.Modified.UnixNano())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list schema objects: %w", err)
	}
	return found, nil
}

// immutable is an object of a commit; sha256 is "" if unknown.
type immutable struct{ key, sha256 string }

// objectsOf returns the objects of the commits after base, in order.
func objectsOf(v *chain.View, base ontosql.CommitID) []immutable {
	var all []immutable
	for id := base + 1; id <= v.Head().Commit; id++ {
		e := v.Commit(id)
		for i := range e.Manifest.Files {
			all = append(all, immutable{e.Manifest.Files[i].Path, e.Manifest.Files[i].ContentSHA256})
		}
		all = append(all, immutable{key: e.Path})
	}
	return all
}

// commits copies the objects of the commits missing in the target.
func (c *objectCopy) commits(ctx context.Context) error {
	var missing []immutable
	for _, o := range objectsOf(c.view, c.to.base) {
		if _, there := c.to.existing[o.key]; !there {
			missing = append(missing, o)
		}
	}
	count := c.step("copying objects", len(missing))
	return inParallel(ctx, len(missing), count, func(ctx context.Context, i int) error {
		return c.copyObject(ctx, missing[i].key, missing[i].sha256)
	})
}

// copyObject copies one object.
func (c *objectCopy) copyObject(ctx context.Context, key, sha256 string) error {
	s, _, err := spools(c.Temp).Fetch(ctx, c.from, key, sha256)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.put.upload(ctx, c.to.bucket, key, s)
}
