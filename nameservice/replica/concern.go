package replica

import (
	"context"
	"errors"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

// createLike returns the record of a service, which it creates as that of another service was created
// if there is none.
func createLike(ctx context.Context, s nameservice.Service, there, like *nameservice.Record) (*nameservice.Record, error) {
	if there != nil {
		return there, nil
	}
	created, err := s.Create(ctx, nameservice.New{Alias: like.Alias, Type: like.Type, Deps: like.Deps, CreatedAt: time.Unix(like.CreatedAt, 0)})
	if errors.Is(err, nameservice.ErrExists) {
		return s.Get(ctx, like.Alias)
	}
	return created, err
}

// syncConcern brings a concern in step: the side that has not changed since gets what the other one
// has. If somebody else writes meanwhile, it does nothing, and the next call sees it.
func (r *Replica) syncConcern(ctx context.Context, s *threeSides, c nameservice.Concern, report *Report) error {
	local, upstream, known := s.local.Value(c), s.upstream.Value(c), s.known.Value(c)
	var result nameservice.Result
	var err error
	switch {
	case local.Equal(upstream):
		result = nameservice.Updated()
	case local.Equal(known):
		if result, err = r.Service.Write(ctx, s.local.Alias, edit(c, s.local, s.upstream)); result.Updated {
			report.Pulled++
		}
	case upstream.Equal(known):
		if result, err = r.upstream.Write(ctx, s.local.Alias, edit(c, s.upstream, s.local)); result.Updated {
			upstream = local
			report.Pushed++
		}
	default:
		report.Diverged = append(report.Diverged, Divergence{s.local.Alias, c, &local, &upstream})
	}
	if err != nil || !result.Updated || upstream.Equal(known) {
		return err
	}
	_, err = r.known.Write(ctx, s.local.Alias, nameservice.NewFastForward(c, upstream))
	return err
}

// edit gives to a record a concern that another one has; with the status, its mark of retraction.
func edit(c nameservice.Concern, to, from *nameservice.Record) nameservice.Edit {
	if c == nameservice.Status && from.Retracted && !to.Retracted {
		return nameservice.NewRetract(to.Status.V, from.Status)
	}
	return nameservice.NewPush(c, to.Value(c), from.Value(c))
}
