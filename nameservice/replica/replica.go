// Package replica keeps a local name service in step with an upstream one (seed 003, git-like push
// model). Reads and writes are local, so that they work while the upstream is away. What was
// written is pushed to the upstream as a compare-and-set from the state that was last seen there, and
// what others have pushed is pulled. A concern that both have changed since has diverged: that is
// reported, and neither side is overwritten.
package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/ontosql/ontosql/nameservice"
)

// Options configures a Replica.
type Options struct {
	Local    nameservice.Service
	Upstream nameservice.Service
	// Known keeps what was last seen of the upstream, as remote-tracking branches of git do. Nobody
	// else writes it, and it must last as long as Local.
	Known  nameservice.Service
	Logger *slog.Logger // of what a write could not do upstream; nil means none
}

// Replica is a nameservice.Service that is also kept upstream. Its methods are safe for concurrent
// use. A write is done when the local service has made it. It is pushed upstream then; if that fails,
// or if the concern has diverged, it is logged, and left to Sync.
type Replica struct {
	nameservice.Service // the local one

	upstream nameservice.Service
	known    nameservice.Service
	log      *slog.Logger

	mu sync.Mutex // one synchronisation at a time: a half of one would look like a divergence
}

var _ nameservice.Service = (*Replica)(nil)

// Open returns a Replica. It makes no requests.
func Open(o Options) *Replica {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Replica{Service: o.Local, upstream: o.Upstream, known: o.Known, log: o.Logger}
}

// Divergence is a concern that both sides have changed since they were in step, or a record that one
// of them has removed. Whoever decides pushes a greater watermark to one side that the other has, or
// the value of one side to the other.
type Divergence struct {
	Alias   nameservice.Alias
	Concern nameservice.Concern
	// Local and Upstream are nil if the side has removed the record.
	Local, Upstream *nameservice.Value
}

func (d Divergence) String() string {
	switch {
	case d.Local == nil:
		return fmt.Sprintf("%s: removed here, and still upstream", d.Alias)
	case d.Upstream == nil:
		return fmt.Sprintf("%s: removed upstream, and still here", d.Alias)
	}
	return fmt.Sprintf("%s: %s has diverged: %d here, %d upstream", d.Alias, d.Concern, d.Local.V, d.Upstream.V)
}

// Report says what a synchronisation has done. Pushed and Pulled count concerns.
type Report struct {
	Pushed, Pulled int
	Diverged       []Divergence
}

// Create implements nameservice.Service.
func (r *Replica) Create(ctx context.Context, n nameservice.New) (*nameservice.Record, error) {
	record, err := r.Service.Create(ctx, n)
	if err == nil {
		r.follow(ctx, n.Alias)
	}
	return record, err
}

// Write implements nameservice.Service.
func (r *Replica) Write(ctx context.Context, a nameservice.Alias, e nameservice.Edit) (nameservice.Result, error) {
	result, err := r.Service.Write(ctx, a, e)
	if err == nil && result.Updated {
		r.follow(ctx, a)
	}
	return result, err
}

// Upstream is the name service that this one follows. A write that is forwarded to it is not made here:
// a later Sync pulls it.
func (r *Replica) Upstream() nameservice.Service { return r.upstream }

// Purge implements nameservice.Service. It removes the record upstream first, and fails while the
// upstream is away.
func (r *Replica) Purge(ctx context.Context, seen *nameservice.Record) (nameservice.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch result, err := r.upstream.Purge(ctx, seen); {
	case err != nil:
		return result, fmt.Errorf("upstream: %w", err)
	case result.Actual != nil:
		return result, nil
	}
	if err := r.forget(ctx, seen.Alias); err != nil {
		return nameservice.Result{}, err
	}
	return r.Service.Purge(ctx, seen)
}

// forget removes what is known of the upstream's record.
func (r *Replica) forget(ctx context.Context, a nameservice.Alias) error {
	known, err := get(ctx, r.known, a)
	if err != nil || known == nil {
		return err
	}
	status := nameservice.Value{V: known.Status.V + 1, Payload: []byte(`{"state":"retracted"}`)}
	e := nameservice.NewRetract(known.Status.V, status)
	if _, err := r.known.Write(ctx, a, e); err != nil {
		return err
	}
	e.Apply(known)
	_, err = r.known.Purge(ctx, known)
	return err
}

// follow pushes what was written here.
func (r *Replica) follow(ctx context.Context, a nameservice.Alias) {
	report, err := r.SyncRecord(ctx, a)
	if err != nil {
		r.log.WarnContext(ctx, "the upstream name service does not follow", "alias", a.String(), "error", err)
	}
	for _, d := range report.Diverged {
		r.log.WarnContext(ctx, "the upstream name service has diverged", "alias", a.String(), "concern", d.Concern.String())
	}
}

// Sync brings all records in step. Those that it could bring in step before an error stay so.
func (r *Replica) Sync(ctx context.Context) (Report, error) {
	var all []nameservice.Alias
	for _, s := range []nameservice.Service{r.Service, r.upstream} {
		list, err := s.List(ctx, "")
		if err != nil {
			return Report{}, err
		}
		for _, record := range list {
			all = append(all, record.Alias)
		}
	}
	slices.SortFunc(all, func(a, b nameservice.Alias) int { return strings.Compare(a.String(), b.String()) })
	var report Report
	for _, a := range slices.Compact(all) {
		one, err := r.SyncRecord(ctx, a)
		report.Pushed += one.Pushed
		report.Pulled += one.Pulled
		report.Diverged = append(report.Diverged, one.Diverged...)
		if err != nil {
			return report, err
		}
	}
	return report, nil
}

// SyncRecord brings one record in step.
func (r *Replica) SyncRecord(ctx context.Context, a nameservice.Alias) (Report, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var report Report
	sides, gone, err := r.sides(ctx, a)
	if err != nil || sides == nil {
		return report, err
	}
	if gone != nil {
		report.Diverged = append(report.Diverged, *gone)
		return report, nil
	}
	for _, c := range nameservice.Concerns {
		if err := r.syncConcern(ctx, sides, c, &report); err != nil {
			return report, err
		}
	}
	return report, nil
}

// threeSides are a record here, upstream, and as it was last seen upstream.
type threeSides struct{ local, upstream, known *nameservice.Record }

// sides reads a record on all sides and creates it where it has never been. It is nil if there is no
// such record, and gone is not nil if a side has removed it.
func (r *Replica) sides(ctx context.Context, a nameservice.Alias) (s *threeSides, gone *Divergence, err error) {
	s = new(threeSides)
	if s.local, err = get(ctx, r.Service, a); err != nil {
		return nil, nil, err
	}
	if s.upstream, err = get(ctx, r.upstream, a); err != nil {
		return nil, nil, fmt.Errorf("upstream: %w", err)
	}
	if s.known, err = get(ctx, r.known, a); err != nil {
		return nil, nil, fmt.Errorf("what is known of the upstream: %w", err)
	}
	switch {
	case s.local == nil && s.upstream == nil:
		return nil, nil, nil
	case s.known != nil && s.upstream == nil:
		return s, &Divergence{Alias: a, Local: &s.local.Head}, nil
	case s.known != nil && s.local == nil:
		return s, &Divergence{Alias: a, Upstream: &s.upstream.Head}, nil
	}
	if s.upstream, err = createLike(ctx, r.upstream, s.upstream, s.local); err != nil {
		return nil, nil, fmt.Errorf("upstream: %w", err)
	}
	if s.local, err = createLike(ctx, r.Service, s.local, s.upstream); err != nil {
		return nil, nil, err
	}
	if s.known, err = createLike(ctx, r.known, s.known, s.upstream); err != nil {
		return nil, nil, fmt.Errorf("what is known of the upstream: %w", err)
	}
	return s, nil, nil
}

// get returns a record, nil for none.
func get(ctx context.Context, s nameservice.Service, a nameservice.Alias) (*nameservice.Record, error) {
	record, err := s.Get(ctx, a)
	if errors.Is(err, nameservice.ErrNotFound) {
		return nil, nil
	}
	return record, err
}
