package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// coldStarts times gateways that have no cache from their start to their first
// answer.
func coldStarts(ctx context.Context, b *bench) error {
	var all []time.Duration
	for range b.repeats {
		cache, err := os.MkdirTemp(b.dir, "cold-")
		if err != nil {
			return err
		}
		took, err := firstAnswer(ctx, b, cache)
		if err != nil {
			return err
		}
		all = append(all, took)
	}
	const goal = time.Second
	fmt.Printf("cold start on the fixtures, process start to first answer, no cache: %s (goal <= %s, %s)\n",
		round(median(all)), goal, met(median(all) <= goal))
	return nil
}

func firstAnswer(ctx context.Context, b *bench, cache string) (time.Duration, error) {
	began := time.Now()
	g, err := startGateway(ctx, b.binary, "--storage-uri", b.fixtures, "--cache-dir", cache)
	if err != nil {
		return 0, err
	}
	defer g.stop()
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return 0, err
	}
	_, err = c.ask(measure{sql: "SELECT count(*) FROM customer", rows: 1})
	return time.Since(began), err
}
