package resolver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// indexes caches the last read index of each type.
type indexes struct {
	mu    sync.Mutex
	slots map[ontosql.TypeRef]*indexSlot
}

// indexSlot holds the index of one type.
type indexSlot struct {
	turn chan struct{} // semaphore that guards the fields below
	index
}

// index is an index object and the state of the snapshots that it names.
type index struct {
	view      *chain.View      // the newest chain it was checked against; nil before the first read
	requested time.Time        // start of the read
	object    *format.Index    // nil if missing or damaged
	version   objstore.Version // of the object
	damaged   error

	snapshots map[string]snapshot // snapshots of object by path; the map is immutable

	assessment // result of the check against view
}

// snapshot is the state of a compaction snapshot.
type snapshot struct {
	version  objstore.Version
	rejected error // why it is not used: it is missing or was rejected
}

func (s *Store) slot(ctx context.Context, ref ontosql.TypeRef) (*indexSlot, error) {
	s.indexes.mu.Lock()
	t := s.indexes.slots[ref]
	if t == nil {
		t = &indexSlot{turn: make(chan struct{}, 1)}
		s.indexes.slots[ref] = t
	}
	s.indexes.mu.Unlock()
	select {
	case t.turn <- struct{}{}:
		return t, nil
	case <-ctx.Done():
		return nil, objstore.ContextError(ctx)
	}
}

// index returns the index of a type, read after the pin's head or later. A newer index is
// valid: entries above the head are ignored. The index is read once per head, and once
// more if commits are missing that should have been published. If only this process can
// write to the store, it is read once. An error means that the store could not be read.
func (s *Store) index(ctx context.Context, pin *Pin, ref ontosql.TypeRef) (index, error) {
	t, err := s.slot(ctx, ref)
	if err != nil {
		return index{}, err
	}
	defer func() { <-t.turn }()
	if t.view != nil && !t.needsRead(time.Now()) {
		if continues(t.view, pin.View) {
			x := t.index
			if t.view.Len() != pin.View.Len() {
				x.checkAgainst(pin.View, ref)
			}
			return x, nil
		}
		kept := !pin.unchangedSince.IsZero() && t.requested.After(pin.unchangedSince) || time.Since(t.requested) < t.reuseInterval()
		if kept && continues(pin.View, t.view) {
			t.view = pin.View
			t.checkAgainst(pin.View, ref)
			return t.index, nil
		}
	}
	fresh := index{view: pin.View, requested: time.Now()}
	if t.view != nil && continues(pin.View, t.view) {
		fresh.version, fresh.object, fresh.damaged, fresh.snapshots = t.version, t.object, t.damaged, t.snapshots
		fresh.findings = t.findings
	}
	if err := s.readIndex(ctx, &fresh, ref); err != nil {
		return index{}, err
	}
	fresh.checkAgainst(pin.View, ref)
	t.index = fresh
	return fresh, nil
}

// ForgetIndex makes the next Files of a type read its index, after this process has changed it.
func (s *Store) ForgetIndex(ctx context.Context, ref ontosql.TypeRef) error {
	t, err := s.slot(ctx, ref)
	if err != nil {
		return err
	}
	defer func() { <-t.turn }()
	t.index = index{}
	return nil
}

// continues reports whether the chain of newer contains the head of older.
func continues(newer, older *chain.View) bool {
	head := older.Head()
	if head.Commit == 0 {
		return true
	}
	e := newer.Commit(head.Commit)
	return e != nil && e.Path == head.ManifestPath
}

func (s *Store) readIndex(ctx context.Context, x *index, ref ontosql.TypeRef) error {
	key := format.IndexKey(ref)
	body, version, changed, err := objstore.ReadIfChanged(ctx, s.bucket, key, x.version)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		x.object, x.version, x.damaged, x.snapshots = nil, objstore.Absent, nil, nil
		return nil
	case err != nil:
		return fmt.Errorf("read index of %s: %w", ref, err)
	case !changed:
		return nil
	}
	x.version = version
	x.object, x.damaged = format.DecodeIndex(key, body)
	if x.damaged != nil {
		x.object, x.snapshots = nil, nil
		return nil
	}
	return s.findSnapshots(ctx, x)
}

// findSnapshots looks up the versions of the snapshots that the index names. Known ones
// are not looked up again: on the same chain a snapshot always has the same rows, even if
// it was written several times.
func (s *Store) findSnapshots(ctx context.Context, x *index) error {
	found := map[string]snapshot{}
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, e := range x.object.Entries {
		if !e.Snapshot() || format.Immutable(e.Path) {
			continue
		}
		if have, ok := x.snapshots[e.Path]; ok && have.rejected == nil {
			mu.Lock()
			found[e.Path] = have
			mu.Unlock()
			continue
		}
		g.Go(func() error {
			version, err := s.versionOf(gctx, e.Path)
			got := snapshot{version: version}
			if errors.Is(err, objstore.ErrNotFound) || errors.Is(err, objstore.ErrInvalidKey) {
				got.rejected = err
			} else if err != nil {
				return fmt.Errorf("look for snapshot: %w", err)
			}
			mu.Lock()
			found[e.Path] = got
			mu.Unlock()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	x.snapshots = found
	return nil
}

// versionOf returns the version of a possibly large object: from List, or from Open if
// List returns no versions.
func (s *Store) versionOf(ctx context.Context, key string) (objstore.Version, error) {
	var listed *objstore.Object
	err := s.bucket.List(ctx, key, func(o objstore.Object) error {
		if o.Key == key {
			listed = &o
		}
		return errStopList
	})
	switch {
	case err != nil && !errors.Is(err, errStopList):
		return objstore.Absent, err
	case listed == nil:
		return objstore.Absent, fmt.Errorf("%s: %w", key, objstore.ErrNotFound)
	case listed.Version != objstore.Absent:
		return listed.Version, nil
	}
	body, version, err := s.bucket.Open(ctx, key)
	if err != nil {
		return objstore.Absent, err
	}
	return version, body.Close()
}

// errStopList ends a List after the first key. The key itself sorts before all keys that
// it is a prefix of.
var errStopList = errors.New("first object seen")

// RejectSnapshot records that a snapshot from Files cannot be used (missing, damaged,
// wrong number of rows), and why. Until the index changes, Files returns the files of its
// commits instead, with a warning. Files of commits cannot be rejected, because nothing
// can replace them.
func (s *Store) RejectSnapshot(ctx context.Context, ref ontosql.TypeRef, path string, why error) error {
	t, err := s.slot(ctx, ref)
	if err != nil {
		return err
	}
	defer func() { <-t.turn }()
	if _, ok := t.snapshots[path]; !ok {
		return nil
	}
	next := make(map[string]snapshot, len(t.snapshots))
	for p, have := range t.snapshots {
		next[p] = have
	}
	next[path] = snapshot{rejected: why}
	t.snapshots, t.findings = next, findings{}
	t.checkAgainst(t.view, ref)
	return nil
}
