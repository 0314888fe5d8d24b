package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// lostObjects is how many objects of an attempt that lost the bucket of garbagePlans has beside the
// two of each commit.
const lostObjects = 8

// garbagePlans is P21: the plan of gc over the long history on an S3 server, where an attempt lost
// against each commit, by a process that has read the manifests before and by one that has not.
func garbagePlans(ctx context.Context, l *lab, r *result) error {
	far, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer far.close()
	b, err := far.near(ctx, "garbage")
	if err != nil {
		return err
	}
	if err := fillCommits(ctx, b, l.size.Long, 1); err != nil {
		return fmt.Errorf("fill a bucket: %w", err)
	}
	garbage := l.size.Long * lostObjects
	if err := litter(ctx, b, garbage); err != nil {
		return fmt.Errorf("fill a bucket: %w", err)
	}
	plan := func(log *chain.Log) error {
		c, err := gc.Run(ctx, gc.Options{MaintenanceOptions: writepath.MaintenanceOptions{Bucket: b, Log: log}})
		if err == nil && c.Total.Objects < garbage {
			err = fmt.Errorf("%d of %d objects are planned", c.Total.Objects, garbage)
		}
		return err
	}
	known, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return err
	}
	defer known.Close()
	all := []contender{
		{"manifests known", each(1, func(int) error { return plan(known) })},
		{"manifests read", each(1, func(int) error {
			log, err := chain.Open("", chain.Options{Bucket: b})
			if err != nil {
				return err
			}
			defer log.Close()
			return plan(log)
		})},
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	objects := l.size.Long * (2 + lostObjects)
	r.atMost(fmt.Sprintf("plan over %d objects", objects), found[0].median().Seconds(), "s", 5)
	r.note(fmt.Sprintf("plan over %d objects, %d manifests read", objects, l.size.Long), found[1].median().Seconds(), "s")
	r.times("", all, found)
	return nil
}

// litter writes objects of attempts that lost against the commits of a history.
func litter(ctx context.Context, b objstore.Bucket, objects int) error {
	body := []byte("garbage")
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range 64 {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < objects; i = int(next.Add(1)) - 1 {
				commit := ontosql.CommitID(i/lostObjects + 1)
				ref := ontosql.TypeRef{Kind: ontosql.Entity, Name: fmt.Sprint("Type", i%lostObjects)}
				if _, err := b.Put(ctx, format.DataKey(format.EngineV1, commit, "dead0001", ref, 1), body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}
