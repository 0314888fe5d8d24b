package transfer

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
)

// parallel is the number of objects written at a time.
const parallel = 16

// spools is the place of objects while they are copied, with their files below dir.
func spools(dir string) spool.Place { return spool.Place{Dir: dir, InMemory: 8 << 20} }

// inParallel calls do for 0 to n-1, several at a time, and counts the calls.
func inParallel(ctx context.Context, n int, count *counter, do func(ctx context.Context, i int) error) error {
	var mu sync.Mutex
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range n {
		g.Go(func() error {
			if inner.Err() != nil {
				return objstore.ContextError(inner)
			}
			if err := do(inner, i); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			count.add(1)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	count.end()
	return nil
}
