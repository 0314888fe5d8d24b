package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// farCommits is P5: INSERTs of one customer into a long history on an S3 server
// that is far away, by a gateway that has mirrored it. In turn with it, each on
// a copy of the history, a Committer alone shows what is the protocol's and what
// SQL's and the wire's, and a gateway that is near what is the distance's.
func farCommits(ctx context.Context, l *lab, r *result) error {
	far, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer far.close()
	ceiling, err := far.ceiling(ctx)
	if err != nil {
		return fmt.Errorf("small objects: %w", err)
	}
	const template = "template"
	bucket, err := far.near(ctx, template)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := fillCommits(ctx, bucket, l.size.Long, l.size.LongRows); err != nil {
		return fmt.Errorf("fill a bucket: %w", err)
	}
	l.tell("the S3 server has the long history after %s", toldTime(began))
	var ways [3]*way // Committer alone, gateway, gateway without the distance
	for i, w := range []struct {
		bucket string
		open   func(bucket string) (writer, error)
	}{
		{"committer", func(bucket string) (writer, error) { return openAlone(ctx, far, bucket) }},
		{"gateway", func(bucket string) (writer, error) { return openWire(ctx, l, far.proxy.endpoint(), bucket) }},
		{"near", func(bucket string) (writer, error) { return openWire(ctx, l, far.server.Endpoint, bucket) }},
	} {
		if ways[i], err = openWay(ctx, far, template, w.bucket, w.open); err != nil {
			return err
		}
		defer func() { _ = ways[i].writer.close(ctx) }() // check looks whether all is there
	}
	for range l.laps {
		for _, w := range ways {
			if err := w.try(ctx, far); err != nil {
				return err
			}
		}
	}
	for _, w := range ways {
		if err := w.check(ctx, far); err != nil {
			return err
		}
	}
	protocol, gateway, near := ways[0].trials, ways[1].trials, ways[2].trials
	oneClient := func(t *trial) samples { return t.lone }
	lone := gateway.pooled(oneClient)
	r.atMost("1 client, median commit", milliseconds(lone.median()), "ms", 26)
	// Each round trip takes at least the distance.
	r.atMost("1 client, round trips that fit into it", math.Floor(float64(lone.median())/float64(distance)), "", 2)
	r.note("1 client, requests per commit", gateway.median(func(t *trial) float64 { return t.requests }), "")
	r.atLeast(fmt.Sprintf("%d clients", crowdClients), gateway.median(func(t *trial) float64 { return t.rate }), "commits/s", 500)
	r.note(fmt.Sprintf("%d clients, requests per commit", crowdClients), gateway.median(func(t *trial) float64 { return t.crowdReq }), "")
	r.note(fmt.Sprintf("%d clients, a Committer alone", crowdClients), protocol.median(func(t *trial) float64 { return t.rate }), "commits/s")
	r.note(fmt.Sprintf("%d clients, the S3 server without the distance", crowdClients), near.median(func(t *trial) float64 { return t.rate }), "commits/s")
	r.note("processor per commit, gateway", gateway.median(func(t *trial) float64 { return t.gateway }), "ms")
	r.note("processor per commit, S3 server", gateway.median(func(t *trial) float64 { return t.s3 }), "ms")
	r.note("processor per commit, bench and its proxy", gateway.median(func(t *trial) float64 { return t.here }), "ms")
	r.note("the S3 server, its objects "+far.where()+", takes objects of 1 KiB", ceiling, "/s")
	r.timed("1 client, commit", lone)
	r.timed("1 client, commit, a Committer alone", protocol.pooled(oneClient))
	r.timed("1 client, commit, the S3 server without the distance", near.pooled(oneClient))
	r.timed("1 client, read its commit back", gateway.pooled(func(t *trial) samples { return t.reread }))
	return nil
}

// ceiling is how many small objects a second can be put through the proxy, as
// many at a time as there are clients: each commit needs two of its own.
func (r *remote) ceiling(ctx context.Context) (float64, error) {
	const bucket, size, long = "ceiling", 1 << 10, 2 * time.Second
	b, err := r.far(ctx, bucket)
	if err != nil {
		return 0, err
	}
	defer r.drop(bucket)
	body := bytes.Repeat([]byte{'x'}, size)
	var done atomic.Int64
	until := time.Now().Add(long)
	g, ctx := errgroup.WithContext(ctx)
	for client := range crowdClients {
		g.Go(func() error {
			for i := 0; time.Now().Before(until); i++ {
				if _, err := b.Put(ctx, fmt.Sprintf("commits/%d-%d/object", client, i), body); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	err = g.Wait()
	return float64(done.Load()) / long.Seconds(), err
}
