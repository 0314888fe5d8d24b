package resolver

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
)

// States of an index.
const (
	StatusOK      = "ok"
	StatusLagging = "lagging" // it does not know the newest commits
	StatusMissing = "missing" // there is no index object
	StatusDamaged = "damaged" // it contradicts the format, or the manifests
)

// Health is the state of one type's index: a row of ontosql.index_health.
type Health struct {
	Type       ontosql.TypeRef
	MaxIndexed ontosql.CommitID // 0 where there is no readable index
	Head       ontosql.CommitID
	Entries    int
	Files      int // that the manifests list, those from before a drop excepted
	Status     string
	Problem    string // "" when ok
}

// IndexHealth reads the index of every type and holds it against the log, in
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
		return h, nil // the first commit makes the first index
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
