package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/format"
)

// How long a trial takes.
const (
	warmUp       = 5 // commits that are not timed
	loneCommits  = 60
	loneReads    = 15
	crowdClients = 64
	crowdTime    = 4 * time.Second
)

// trial is what one repetition of one way to commit gave.
type trial struct {
	lone     samples // commits of one client
	reread   samples // its own commit read back, none where the writer does not read
	requests float64 // for one commit of one client
	rate     float64 // commits a second of the crowd
	crowdReq float64 // requests for one commit of the crowd

	// Processor time in milliseconds for one commit of the crowd.
	gateway, s3, here float64
}

// way is one way to commit, with a bucket of its own.
type way struct {
	bucket string
	writer writer
	before *format.Head
	made   int // commits that were acknowledged
	trials trials
}

// openWay opens a writer on a copy of the template.
func openWay(ctx context.Context, r *remote, template, bucket string, open func(bucket string) (writer, error)) (*way, error) {
	if err := r.copy(template, bucket); err != nil {
		return nil, err
	}
	head, err := r.head(ctx, bucket)
	if err != nil {
		return nil, err
	}
	w, err := open(bucket)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", bucket, err)
	}
	return &way{bucket: bucket, writer: w, before: head}, nil
}

// try lets one client commit, and then the crowd.
func (w *way) try(ctx context.Context, r *remote) error {
	var t trial
	if err := w.runLone(ctx, r, &t); err != nil {
		return fmt.Errorf("%s: one client: %w", w.bucket, err)
	}
	if err := w.runCrowd(ctx, r, &t); err != nil {
		return fmt.Errorf("%s: %d clients: %w", w.bucket, crowdClients, err)
	}
	w.trials = append(w.trials, t)
	return nil
}

// check wants every acknowledged commit to be in the history, and no other.
func (w *way) check(ctx context.Context, r *remote) error {
	after, err := r.head(ctx, w.bucket)
	if err == nil && int(after.CommitID-w.before.CommitID) != w.made {
		err = fmt.Errorf("%s: %d commits were acknowledged, and the head went from %d to %d", w.bucket, w.made, w.before.CommitID, after.CommitID)
	}
	return err
}

func (w *way) runLone(ctx context.Context, r *remote, t *trial) error {
	var requests requestCounts
	for i := range warmUp + loneCommits {
		if i == warmUp {
			requests = r.proxy.counts()
		}
		began := time.Now()
		if err := w.writer.insert(ctx, 0, w.customer("lone", i)); err != nil {
			return err
		}
		if w.made++; i >= warmUp {
			t.lone = append(t.lone, time.Since(began))
		}
	}
	t.requests = float64(r.proxy.counts().since(requests).total()) / loneCommits
	for i := range loneReads {
		c := w.customer("read", i)
		if err := w.writer.insert(ctx, 0, c); err != nil {
			return err
		}
		w.made++
		began := time.Now()
		err := w.writer.find(0, c.id)
		if errors.Is(err, errNoReader) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s back: %w", c.id, err)
		}
		t.reread = append(t.reread, time.Since(began))
	}
	return nil
}

// customer is a customer that no trial has written.
func (w *way) customer(client string, i int) customer {
	c := customerAt(i, 0)
	c.id = fmt.Sprintf("%s%d%s", client, len(w.trials), c.id)
	return c
}

// runCrowd lets every client commit as fast as it can. What is acknowledged
// after the time does not count for the rate.
func (w *way) runCrowd(ctx context.Context, r *remote, t *trial) error {
	var all, inTime atomic.Int64
	gateway, s3, here, requests := w.writer.processor(), r.processorTime(), ownProcessorTime(), r.proxy.counts()
	until := time.Now().Add(crowdTime)
	g, groupCtx := errgroup.WithContext(ctx)
	for client := range crowdClients {
		g.Go(func() error {
			name := fmt.Sprintf("crowd%02d-", client)
			for i := 0; time.Now().Before(until); i++ {
				if err := w.writer.insert(groupCtx, client, w.customer(name, i)); err != nil {
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
	err := g.Wait()
	made := int(all.Load())
	w.made += made
	each := func(before, after time.Duration) float64 { return milliseconds(after-before) / float64(max(1, made)) }
	t.rate = float64(inTime.Load()) / crowdTime.Seconds()
	t.gateway, t.s3, t.here = each(gateway, w.writer.processor()), each(s3, r.processorTime()), each(here, ownProcessorTime())
	t.crowdReq = float64(r.proxy.counts().since(requests).total()) / float64(max(1, made))
	return err
}

// trials are the repetitions of one way to commit.
type trials []trial

func (all trials) median(of func(*trial) float64) float64 {
	values := make([]float64, len(all))
	for i := range all {
		values[i] = of(&all[i])
	}
	return median(values)
}

func (all trials) pooled(of func(*trial) samples) (together samples) {
	for i := range all {
		together = append(together, of(&all[i])...)
	}
	return together
}
