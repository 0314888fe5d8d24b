package spool

import (
	"context"

	"github.com/ontosql/ontosql/objstore"
)

// Ahead is the number of spools that Prefetch has open at a time.
const Ahead = 16

// Prefetch opens a spool for each item and passes them to use in order, while it opens the next
// ones. It closes them all before it returns the first error of open or use.
func Prefetch[T any](ctx context.Context, items []T, open func(context.Context, T) (*Spool, error), use func(T, *Spool) error) error {
	type opened struct {
		spool *Spool
		err   error
	}
	ctx, cancel := context.WithCancel(ctx)
	queue := make(chan chan opened, Ahead-1)
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
				o.spool.Close()
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
		o.spool.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
