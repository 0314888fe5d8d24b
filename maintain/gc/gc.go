package gc

import (
	"context"
	"fmt"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// DefaultGrace is the age from which garbage is removed if nothing else is said.
const DefaultGrace = 24 * time.Hour

// Options configures Run. The bucket and its log, the owner and the times of the write lock are
// those of the maintenance.
type Options struct {
	writepath.MaintenanceOptions
	// Grace is how old garbage must be, by the store's clock.
	Grace time.Duration
	Apply bool // remove; otherwise only plan
	// Progress, if not nil, is called with the number of objects that were dealt with.
	Progress func(done, total int)
}

// Collection is the result of Run.
type Collection struct {
	Head    ontosql.CommitID
	Now     time.Time // by the store's clock, when the store was listed
	Planned []Garbage // in the order of keys
	Total   Sum       // of Planned
	// Kept counts what nothing names and is kept all the same, by reason.
	Kept map[Reason]Sum
	// Abandoned are the folders of commits that are kept because the head went back behind them, in
	// the order of commits.
	Abandoned []string
	Applied   bool
	Removed   Sum // of Planned, those that are removed
}

// Run plans what to remove of a store and, with Apply, removes it. What is planned is judged
// again, by the head and the indexes of that moment, just before it is removed; objects that a
// writer at work may name are removed under the write lock, which is taken for a hundred objects
// at a time. With Apply all manifests are read from the bucket, whatever the log has of them.
//
// If an object of the chain is missing or damaged, the error is a *ontosql.CorruptError and
// nothing is removed. It is ontosql.ErrHeadMoved if the head went back meanwhile, a
// *writepath.LeaseHeldError if another writer keeps the lock, or the bucket's. With an error of
// the removal the Collection says what was removed before.
func Run(ctx context.Context, o Options) (*Collection, error) {
	c := &collector{Options: o}
	if o.Apply {
		log, err := chain.Open("", chain.Options{Bucket: o.Bucket})
		if err != nil {
			return nil, err
		}
		defer log.Close()
		c.Log = log
	}
	now, err := objstore.ServerTime(ctx, o.Bucket)
	if err != nil {
		return nil, fmt.Errorf("ask for the store's time: %w", err)
	}
	before, err := readAll(ctx, o.Bucket, c.Log)
	if err != nil {
		return nil, err
	}
	found, err := list(ctx, o.Bucket, before)
	if err != nil {
		return nil, err
	}
	// What was written during the listing may be committed by now.
	if c.planned, err = readAll(ctx, o.Bucket, c.Log); err != nil {
		return nil, err
	}
	if !c.planned.continues(before) {
		return nil, errWentBack
	}
	left, err := findAbandoned(ctx, o.Bucket, c.planned, found.candidates)
	if err != nil {
		return nil, err
	}
	c.done = &Collection{Head: c.planned.view.Head().Commit, Now: now, Applied: o.Apply, Kept: found.kept, Abandoned: left.folders}
	c.done.Planned = found.plan(c.planned, left, now, o.Grace)
	for _, g := range c.done.Planned {
		c.done.Total.add(g.Bytes)
	}
	if !o.Apply {
		return c.done, nil
	}
	return c.done, c.remove(ctx)
}

var errWentBack = fmt.Errorf("%w back while garbage was collected: the store is being restored", ontosql.ErrHeadMoved)
