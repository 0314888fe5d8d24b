package transfer

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/objstore"
)

// parallel is the number of objects read or written at a time.
const parallel = 16

// prefetch opens a spool for each item and passes them to use in order, while it opens the
// next ones. It closes them.
func prefetch[T any](ctx context.Context, items []T, open func(context.Context, T) (*spool, error), use func(T, *spool) error) error {
	type opened struct {
		spool *spool
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan chan opened, parallel-1)
	go func() {
		defer close(queue)
		for _, item := range items {
			one := make(chan opened, 1)
			select {
			case queue <- one:
			case <-ctx.Done():
				return
			}
			go func() {
				s, err := open(ctx, item)
				one <- opened{s, err}
			}()
		}
	}()
	defer func() {
		cancel()
		for one := range queue {
			if o := <-one; o.spool != nil {
				o.spool.close()
			}
		}
	}()
	for _, item := range items {
		one, ok := <-queue
		if !ok {
			return objstore.ContextError(ctx)
		}
		o := <-one
		if o.err != nil {
			return o.err
		}
		err := use(item, o.spool)
		o.spool.close()
		if err != nil {
			return err
		}
	}
	return nil
}

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
