package transfer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

const (
	// glance is how often Follow looks at the head of the source.
	glance = time.Second
	// round is how often it copies what changes without a commit: event data, and what
	// maintenance does to indexes.
	round = time.Minute
	// longestWait bounds the wait for a store that is away.
	longestWait = 30 * time.Second
)

// Followed is what Follow tells.
type Followed struct {
	Copied *Copied // of a copy that had something to do
	// Away is why the source or the target could not be used. Follow tries again after Wait.
	Away error
	Wait time.Duration
}

// Follow copies whenever the source has a new head, and all else once a minute, until ctx ends, which
// is no error. A store that cannot be reached, is full or is in use is tried again, after a second at
// first and less and less often, at least every 30 s. Its first copy must succeed.
//
// Progress is of the first copy, which may be long.
//
// Errors: those of Copy that no waiting cures, ErrOtherOntology above all: the source was reset or
// restored to an earlier state, or somebody has committed to the target. What can be read of the
// target is never changed then.
func (o *Objects) Follow(ctx context.Context, tell func(Followed)) error {
	var head objstore.Version // of the source, that was copied
	var last time.Time        // when
	wait := time.Duration(0)
	for {
		_, now, changed, err := objstore.ReadIfChanged(ctx, o.from, format.HeadKey, head)
		if errors.Is(err, objstore.ErrNotFound) {
			err = fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
		}
		if err == nil && (changed || time.Since(last) >= round) {
			began := time.Now()
			var done *Copied
			if done, err = o.Copy(ctx); err == nil {
				head, last = now, began
				o.Progress = nil
				if done.Commits > 0 || done.Objects > 0 {
					tell(Followed{Copied: done})
				}
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			wait = 0
		case last.IsZero() || !passing(err):
			return err
		default:
			wait = min(max(2*wait, glance), longestWait)
			tell(Followed{Away: err, Wait: wait})
		}
		select {
		case <-time.After(max(wait, glance)):
		case <-ctx.Done():
			return nil
		}
	}
}

// passing reports whether a later copy may succeed although this one did not. An address without an
// ontology may be a directory that is not mounted.
func passing(err error) bool {
	var held *writepath.LeaseHeldError
	for _, cause := range []error{
		objstore.ErrUnreachable, objstore.ErrNoBucket, objstore.ErrDenied, objstore.ErrFull, objstore.ErrConflict,
		objstore.ErrPreconditionFailed, ontosql.ErrNotInitialised, writepath.ErrLeaseLost, ErrUnstable,
	} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return errors.As(err, &held)
}
