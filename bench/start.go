package main

import (
	"context"
	"time"
)

// processStart is P9: from the start of the process to the first answer, with the cache
// directory of an earlier process, of a long history and of a large mirror.
func processStart(ctx context.Context, l *lab, r *result) error {
	kept, err := l.long(ctx)
	if err != nil {
		return err
	}
	longCache, err := l.newDir("cache")
	if err != nil {
		return err
	}
	long := []string{"--storage-uri", kept, "--cache-dir", longCache}
	empty, err := l.firstAnswer(ctx, long...)
	if err != nil {
		return err
	}
	g, err := l.serve(ctx, long...)
	if err != nil {
		return err
	}
	err = g.mirrored(ctx, "customer")
	g.stop()
	if err != nil {
		return err
	}
	if _, err := l.ontosql(ctx); err != nil {
		return err
	}
	l.stopServer()
	large, err := l.history(ctx)
	if err != nil {
		return err
	}
	all := []contender{
		{"long history", func(int) ([]time.Duration, error) { return l.firstAnswer(ctx, long...) }},
		{"large mirror", func(int) ([]time.Duration, error) {
			return l.firstAnswer(ctx, "--storage-uri", large, "--cache-dir", l.cacheDir, "--cache-size", cacheSize)
		}},
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost("long history", milliseconds(found[0].median()), "ms", 300)
	r.atMost("large mirror", milliseconds(found[1].median()), "ms", 300)
	r.note("long history, empty cache directory, once", milliseconds(empty[0]), "ms")
	r.times("", all, found)
	return nil
}

// firstAnswer is the time from the start of a gateway to its first answer.
func (l *lab) firstAnswer(ctx context.Context, flags ...string) ([]time.Duration, error) {
	began := time.Now()
	g, err := l.serve(ctx, flags...)
	if err != nil {
		return nil, err
	}
	defer g.stop()
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if _, err := c.query("SELECT count(*) FROM customer"); err != nil {
		return nil, err
	}
	return []time.Duration{time.Since(began)}, nil
}
