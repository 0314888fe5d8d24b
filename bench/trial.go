package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// How long a trial takes.
const (
	warmUp      = 3 // commits that nobody times
	loneCommits = 60
	crowd       = 64 // clients at once
	crowdTime   = 4 * time.Second
)

// trial is what one repetition of one way to commit gave.
type trial struct {
	lone     time.Duration // one client, commit, median
	loneTail time.Duration // the same, 99th percentile
	reread   time.Duration // one client, its own commit read back, median; 0 where the writer does not read
	requests float64       // for one commit of one client
	rate     float64       // commits a second of the crowd
	crowdReq float64       // requests for one commit of the crowd

	// Processor time for one commit of the crowd.
	gateway, s3, here time.Duration
}

// try runs one client, and then the crowd, on a bucket of its own.
func try(ctx context.Context, r *remote, bucket string, open func(bucket string) (writer, error)) (t trial, err error) {
	before, err := r.head(ctx, bucket)
	if err != nil {
		return t, err
	}
	w, err := open(bucket)
	if err != nil {
		return t, err
	}
	made, err := t.measure(ctx, r, w)
	if err := errors.Join(err, w.close(ctx)); err != nil {
		return t, err
	}
	after, err := r.head(ctx, bucket)
	if err != nil {
		return t, err
	}
	if int(after.CommitID-before.CommitID) != made {
		return t, fmt.Errorf("%d commits were acknowledged, and the head went from %d to %d", made, before.CommitID, after.CommitID)
	}
	return t, nil
}

// measure fills the trial and tells how many commits were acknowledged.
func (t *trial) measure(ctx context.Context, r *remote, w writer) (made int, err error) {
	if made, err = t.runLone(ctx, r, w); err != nil {
		return made, fmt.Errorf("one client: %w", err)
	}
	more, err := t.runCrowd(ctx, r, w)
	if err != nil {
		err = fmt.Errorf("%d clients: %w", crowd, err)
	}
	return made + more, err
}

func (t *trial) runLone(ctx context.Context, r *remote, w writer) (made int, err error) {
	random := rand.New(rand.NewPCG(seed, 1))
	var commits, reads []time.Duration
	var requests requestCounts
	for i := range warmUp + loneCommits {
		if i == warmUp {
			requests = r.proxy.counts()
		}
		c := customerAt(i, random)
		c.id = "lone" + c.id
		began := time.Now()
		if err := w.insert(ctx, 0, c); err != nil {
			return made, err
		}
		if made++; i >= warmUp {
			commits = append(commits, time.Since(began))
		}
	}
	t.requests = float64(r.proxy.counts().since(requests).total()) / loneCommits
	t.lone, t.loneTail = median(commits), quantile(commits, 0.99)
	for i := range loneCommits / 4 {
		c := customerAt(i, random)
		c.id = "read" + c.id
		if err := w.insert(ctx, 0, c); err != nil {
			return made, err
		}
		made++
		began := time.Now()
		name, err := w.find(ctx, 0, c.id)
		switch {
		case errors.Is(err, errNoReader):
			return made, nil
		case err != nil:
			return made, fmt.Errorf("read %s back: %w", c.id, err)
		case name != c.name:
			return made, fmt.Errorf("read %s back: got name %q, want %q", c.id, name, c.name)
		}
		reads = append(reads, time.Since(began))
	}
	t.reread = median(reads)
	return made, nil
}

// runCrowd lets every client commit as fast as it can. What is acknowledged
// after the time does not count for the rate.
func (t *trial) runCrowd(ctx context.Context, r *remote, w writer) (made int, err error) {
	var all, inTime atomic.Int64
	gateway, s3, here, requests := w.processor(), r.processorTime(), ownProcessorTime(), r.proxy.counts()
	until := time.Now().Add(crowdTime)
	g, groupCtx := errgroup.WithContext(ctx)
	for client := range crowd {
		g.Go(func() error {
			random := rand.New(rand.NewPCG(seed, uint64(client)))
			for i := 0; time.Now().Before(until); i++ {
				c := customerAt(i, random)
				c.id = fmt.Sprintf("crowd%02d%s", client, c.id)
				if err := w.insert(groupCtx, client, c); err != nil {
					return err
				}
				all.Add(1)
				if time.Now().Before(until) {
					inTime.Add(1)
				}
			}
			return nil
		})
	}
	err = g.Wait()
	made = int(all.Load())
	each := func(before, after time.Duration) time.Duration {
		return (after - before) / time.Duration(max(1, made))
	}
	t.rate = float64(inTime.Load()) / crowdTime.Seconds()
	t.gateway, t.s3, t.here = each(gateway, w.processor()), each(s3, r.processorTime()), each(here, ownProcessorTime())
	t.crowdReq = float64(r.proxy.counts().since(requests).total()) / float64(max(1, made))
	return made, err
}
