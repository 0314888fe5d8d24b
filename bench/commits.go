package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
)

// longStore is how many commits the second store has before anybody is timed.
const longStore = 5000

// commitLine is one line of the table of commits.
type commitLine struct {
	name string
	of   func(*trial) float64
	show func(float64) string
	goal func(float64) string // of ontosql at the empty store, nil for none
}

var commitLines = []commitLine{
	{"1 client, a commit", of(func(t *trial) time.Duration { return t.lone }), asTime, func(v float64) string {
		return "<= 30ms\t" + met(v <= float64(30*time.Millisecond))
	}},
	{"1 client, 99th percentile", of(func(t *trial) time.Duration { return t.loneTail }), asTime, nil},
	{"1 client, requests per commit", func(t *trial) float64 { return t.requests }, asNumber, nil},
	{"1 client, reads its commit back", of(func(t *trial) time.Duration { return t.reread }), asTime, nil},
	{"64 clients, commits/s", func(t *trial) float64 { return t.rate }, asRate, func(v float64) string {
		return ">= 500\t" + met(v >= 500)
	}},
	{"64 clients, requests per commit", func(t *trial) float64 { return t.crowdReq }, asNumber, nil},
	{"processor per commit, gateway", of(func(t *trial) time.Duration { return t.gateway }), asTime, nil},
	{"processor per commit, S3 server", of(func(t *trial) time.Duration { return t.s3 }), asTime, nil},
	{"processor per commit, bench", of(func(t *trial) time.Duration { return t.here }), asTime, nil},
}

func of(f func(*trial) time.Duration) func(*trial) float64 {
	return func(t *trial) float64 { return float64(f(t)) }
}

func asTime(v float64) string {
	if v == 0 {
		return "-"
	}
	return round(time.Duration(v)).String()
}

func asNumber(v float64) string { return fmt.Sprintf("%.1f", v) }
func asRate(v float64) string   { return fmt.Sprintf("%.0f", v) }

// commits times INSERTs to a store that is far away, at an empty store and at a
// long one. Beside the gateway stands a Committer alone, in turn with it, to
// show what is the protocol's and what SQL's and the wire's.
func commits(ctx context.Context, b *bench) error {
	r, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	repeats := min(b.repeats, 3)
	fmt.Printf("commits of one customer, S3 behind a proxy that adds %s to each request, %d repetitions interleaved, medians\n", distance, repeats)
	for _, endpoint := range []struct{ name, url string }{{"directly", r.server.Endpoint}, {"through the proxy", r.proxy.endpoint()}} {
		rate, err := r.ceiling(ctx, endpoint.url)
		if err != nil {
			return fmt.Errorf("small objects: %w", err)
		}
		fmt.Printf("the S3 server, its objects %s, takes %s %.0f objects of 1 KiB a second, %d at a time\n", r.where(), endpoint.name, rate, crowd)
	}
	fmt.Println()
	for _, store := range []struct {
		name    string
		commits int
		goals   bool
	}{{"empty store", 0, true}, {fmt.Sprintf("store of %d commits", longStore), longStore, false}} {
		template := fmt.Sprintf("template-%d", store.commits)
		if err := r.prepare(ctx, template, store.commits); err != nil {
			return fmt.Errorf("prepare a store of %d commits: %w", store.commits, err)
		}
		protocol, gateway, err := compare(ctx, b, r, template, repeats)
		if err != nil {
			return fmt.Errorf("%s: %w", store.name, err)
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "%s\tCommitter alone\tontosql\tgoal\tverdict\n", store.name)
		for _, l := range commitLines {
			ours := l.median(gateway)
			goal := "\t"
			if l.goal != nil && store.goals {
				goal = l.goal(ours)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", l.name, l.show(l.median(protocol)), l.show(ours), goal)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Println()
	}
	return nil
}

func (l *commitLine) median(trials []trial) float64 {
	values := make([]float64, len(trials))
	for i := range trials {
		values[i] = l.of(&trials[i])
	}
	return median(values)
}

// compare tries both ways in turn, each time on a fresh copy of the template.
func compare(ctx context.Context, b *bench, r *remote, template string, repeats int) (protocol, gateway []trial, err error) {
	ways := []struct {
		name string
		open func(bucket string) (writer, error)
		into *[]trial
	}{
		{"alone", func(bucket string) (writer, error) { return openAlone(ctx, r, bucket) }, &protocol},
		{"gateway", func(bucket string) (writer, error) { return openWire(ctx, b, r, bucket, crowd) }, &gateway},
	}
	for i := range repeats {
		for _, way := range ways {
			bucket := fmt.Sprintf("%s-%s-%d", template, way.name, i)
			if err := r.clone(template, bucket); err != nil {
				return nil, nil, err
			}
			t, err := try(ctx, r, bucket, way.open)
			r.drop(bucket)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", way.name, err)
			}
			*way.into = append(*way.into, t)
		}
	}
	return protocol, gateway, nil
}

// ceiling is how many small objects a second can be put, crowd at a time: each
// commit needs two of its own.
func (r *remote) ceiling(ctx context.Context, endpoint string) (float64, error) {
	const bucket, size, long = "ceiling", 1 << 10, 2 * time.Second
	b, err := r.open(ctx, endpoint, bucket)
	if err != nil {
		return 0, err
	}
	defer r.drop(bucket)
	body := bytes.Repeat([]byte{'x'}, size)
	var done atomic.Int64
	until := time.Now().Add(long)
	g, ctx := errgroup.WithContext(ctx)
	for client := range crowd {
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
