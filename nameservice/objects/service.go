package objects

import (
	"context"
	"fmt"
	"sync"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// Options configures a Service.
type Options struct {
	Bucket objstore.Bucket
	Layout Layout // of new records; all services of a bucket must agree
	// Damaged is called with a *ontosql.CorruptError for each record that a List leaves out, one
	// call at a time. It must not call the Service. It may be nil.
	Damaged func(error)
}

// Service keeps records in a bucket. Its methods are safe for concurrent use.
type Service struct {
	bucket  objstore.Bucket
	layout  Layout
	damaged func(error)

	mu     sync.Mutex
	listed map[string]file // by key: what the last List read, for the next one
}

var _ nameservice.Service = (*Service)(nil)

// Open returns a Service. It makes no requests.
func Open(o Options) *Service {
	if o.Damaged == nil {
		o.Damaged = func(error) {}
	}
	return &Service{bucket: o.Bucket, layout: o.Layout, damaged: o.Damaged}
}

// find reads a record, nil for none.
func (s *Service) find(ctx context.Context, a nameservice.Alias) (*stored, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	for _, stem := range stems(a) {
		st, err := s.read(ctx, stem)
		if err != nil {
			return nil, err
		}
		if st != nil && st.Alias == a {
			return st, nil
		}
	}
	return nil, nil
}

// Get implements nameservice.Service.
func (s *Service) Get(ctx context.Context, a nameservice.Alias) (*nameservice.Record, error) {
	st, err := s.find(ctx, a)
	switch {
	case err != nil:
		return nil, fmt.Errorf("get %s: %w", a, err)
	case st == nil:
		return nil, fmt.Errorf("%s: %w", a, nameservice.ErrNotFound)
	}
	return st.Record, nil
}
