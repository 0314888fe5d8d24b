package compaction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// Store is the ontology to work on.
type Store struct {
	Bucket objstore.Bucket
	Log    *chain.Log      // of the bucket
	Files  *resolver.Store // of the bucket
	// RuntimeID is part of the owner id of the write lock.
	RuntimeID string
	// TempDir is the directory of snapshots until they are uploaded, and of large files while
	// they are read; "" means os.TempDir.
	TempDir string
	// LockTimeout is how long to wait for the write lock; 5 s when 0. LeaseTTL is the length of
	// the lease; 30 s when 0.
	LockTimeout, LeaseTTL time.Duration
	// Waiting reports whether a transaction of this process waits to be committed, to which the
	// publication of an index gives way; nil for no.
	Waiting func() bool
	// Under calls work unless another maintainer does the same work, up to the head of now, which is
	// a *writepath.LeaseHeldError. The automatic compaction works under it; nil for no other
	// maintainers than those that CompactionLockKey keeps apart.
	Under func(ctx context.Context, head ontosql.CommitID, work func(context.Context) error) error
	// OnIndex is called when indexes were replaced; nil for no one.
	OnIndex func()
	Logger  *slog.Logger // nil discards
}

// replaceIndexes replaces indexes under the write lock.
func (s Store) replaceIndexes(ctx context.Context, m *writepath.Maintenance, updates []writepath.IndexUpdate) error {
	if err := m.Publish(ctx, updates); err != nil {
		return err
	}
	if s.OnIndex != nil {
		s.OnIndex()
	}
	return nil
}

// spools is the place of snapshots and of the files that go into them.
func (s Store) spools() spool.Place { return spool.Place{Dir: s.TempDir, InMemory: 2 << 20} }

// maintain runs work under the write lock, as the original names its owners (COMPAT 3.3).
func (s Store) maintain(ctx context.Context, what string, work func(context.Context, *writepath.Maintenance) error) error {
	return writepath.Maintain(ctx, s.locking(what), work)
}

// locking is how locks are held for a task.
func (s Store) locking(what string) writepath.MaintenanceOptions {
	return writepath.MaintenanceOptions{
		Bucket: s.Bucket, Log: s.Log, Owner: what + "-" + s.RuntimeID,
		LockTimeout: s.LockTimeout, LeaseTTL: s.LeaseTTL, Waiting: s.Waiting, Logger: s.Logger,
	}
}

// types returns the types in the store's list, entities first, as the original takes them. An
// error says that the list is missing or damaged: then nothing is maintained (seed 001 section 5).
func (s Store) types(ctx context.Context) ([]ontosql.TypeRef, error) {
	body, _, err := s.Bucket.Get(ctx, format.TypesKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, &ontosql.CorruptError{Key: format.TypesKey, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("read list of types: %w", err)
	}
	types, err := format.DecodeTypes(format.TypesKey, body)
	if err != nil {
		return nil, err
	}
	if types.Entities == nil && types.Relations == nil {
		return nil, ontosql.Corrupt(format.TypesKey, "entities", "is missing")
	}
	var refs []ontosql.TypeRef
	for _, name := range types.Entities {
		refs = append(refs, ontosql.TypeRef{Kind: ontosql.Entity, Name: name})
	}
	for _, name := range types.Relations {
		refs = append(refs, ontosql.TypeRef{Kind: ontosql.Relation, Name: name})
	}
	return refs, nil
}

// index reads the index of a type without the lock. damaged is why it cannot be decoded; the
// index is nil if it is damaged or missing.
func (s Store) index(ctx context.Context, ref ontosql.TypeRef) (index *format.Index, damaged, err error) {
	body, _, err := s.Bucket.Get(ctx, format.IndexKey(ref))
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read index of %s: %w", ref, err)
	}
	index, damaged = format.DecodeIndex(format.IndexKey(ref), body)
	if damaged != nil {
		index = nil
	}
	return index, damaged, nil
}
