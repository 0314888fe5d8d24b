package resolver

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
)

// Values of Health.Status.
const (
	StatusOK      = "ok"
	StatusLagging = "lagging" // the index lacks the newest commits
	StatusMissing = "missing" // there is no index object
	StatusDamaged = "damaged" // the index violates the format or contradicts the manifests
)

// Health describes the index of one type. It is a row of ontosql.index_health.
type Health struct {
	Type       ontosql.TypeRef
	MaxIndexed ontosql.CommitID // 0 if there is no readable index
	Head       ontosql.CommitID
	Entries    int
	Files      int // number in the manifests since the type's last drop
	Status     string
	Problem    string // "" if Status is ok
}

// IndexHealth reads the index of every type and compares it with the log. The result is in
// the order of the catalog.
func (s *Store) IndexHealth(ctx context.Context, pin *Pin) ([]Health, error) {
	all := make([]Health, len(pin.Catalog.Types))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, t := range pin.Catalog.Types {
		g.Go(func() (err error) {
			all[i], err = s.health(gctx, pin, t.Ref)
			return err
		})
	}
	return all, g.Wait()
}

func (s *Store) health(ctx context.Context, pin *Pin, ref ontosql.TypeRef) (Health, error) {
	h := Health{Type: ref, Head: pin.Head.Commit, Status: StatusOK}
	if h.Head == 0 {
		return h, nil // the first commit of the type creates its index
	}
	x, err := s.index(ctx, pin, ref)
	if err != nil {
		return Health{}, err
	}
	h.Files, _ = pin.View.Count(ref, 0, h.Head)
	if x.object != nil {
		h.MaxIndexed, h.Entries = x.object.MaxIndexedCommit, len(x.object.Entries)
	}
	for _, p := range x.problems {
		if h.Problem == "" || h.Status == StatusLagging {
			h.Status, h.Problem = p.status, p.String()
		}
	}
	return h, nil
}
