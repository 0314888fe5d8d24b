// Package memory keeps the records of a name service in memory, for tests and for a name service that
// lives as long as its process.
package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// Service is a nameservice.Service in memory. The zero value has no records.
type Service struct {
	mu      sync.Mutex
	records map[nameservice.Alias]*nameservice.Record
}

var _ nameservice.Service = (*Service)(nil)

// Create implements nameservice.Service.
func (s *Service) Create(ctx context.Context, n nameservice.New) (*nameservice.Record, error) {
	r, err := n.Record()
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, objstore.ContextError(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.records[n.Alias] != nil {
		return nil, fmt.Errorf("create %s: %w", n.Alias, nameservice.ErrExists)
	}
	if s.records == nil {
		s.records = map[nameservice.Alias]*nameservice.Record{}
	}
	s.records[n.Alias] = r
	return r.Clone(), nil
}

// find returns the stored record, nil for none. The caller holds the lock.
func (s *Service) find(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, objstore.ContextError(ctx)
	}
	return s.records[a], nil
}

// Get implements nameservice.Service.
func (s *Service) Get(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ctx, a)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("%s: %w", a, nameservice.ErrNotFound)
	}
	return r.Clone(), nil
}

// List implements nameservice.Service.
func (s *Service) List(ctx context.Context, kind string) ([]*nameservice.Record, error) {
	if ctx.Err() != nil {
		return nil, objstore.ContextError(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*nameservice.Record
	for _, r := range slices.SortedFunc(maps.Values(s.records), byAlias) {
		if kind == "" || r.Type == kind {
			list = append(list, r.Clone())
		}
	}
	return list, nil
}

func byAlias(a, b *nameservice.Record) int {
	return strings.Compare(a.Alias.String(), b.Alias.String())
}

// Write implements nameservice.Service.
func (s *Service) Write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (nameservice.Result, error) {
	e, err := e.Prepare()
	if err != nil {
		return nameservice.Result{}, fmt.Errorf("write %s: %w", a, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ctx, a)
	switch {
	case err != nil:
		return nameservice.Result{}, err
	case r == nil:
		return nameservice.Conflict(nil), nil
	}
	return e.Apply(r), nil
}

// Purge implements nameservice.Service.
func (s *Service) Purge(ctx context.Context, seen *nameservice.Record) (nameservice.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(ctx, seen.Alias)
	switch {
	case err != nil:
		return nameservice.Result{}, err
	case r == nil:
		return nameservice.Conflict(nil), nil
	case !nameservice.MayPurge(r, seen):
		status := r.Status
		return nameservice.Conflict(&status), nil
	}
	delete(s.records, seen.Alias)
	return nameservice.Updated(), nil
}

// Migrate implements nameservice.Service. Records in memory are of version 2.
func (s *Service) Migrate(ctx context.Context, a nameservice.Alias) (bool, error) {
	_, err := s.Get(ctx, a)
	return false, err
}
