package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// compactions is P22: how fast the command merges all versions of the customers and with how much
// memory, what a gateway without a cache has of it, and how often tiers write a row again.
func compactions(ctx context.Context, l *lab, r *result) error {
	if err := l.compactHistory(ctx, r); err != nil {
		return err
	}
	if err := l.firstQueries(ctx, r); err != nil {
		return err
	}
	return l.amplification(ctx, r)
}

// compactHistory merges the files of the history by the command.
func (l *lab) compactHistory(ctx context.Context, r *result) error {
	kept, err := l.history(ctx)
	if err != nil {
		return err
	}
	var most int64 // KiB
	all := []contender{{"compact", func(int) ([]time.Duration, error) {
		store, err := l.cloned(kept)
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(store)
		began := time.Now()
		peak, err := l.compact(ctx, store)
		most = max(most, peak)
		return []time.Duration{time.Since(began)}, err
	}}}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atLeast(fmt.Sprintf("compaction of %d versions", l.size.versions()), float64(l.size.versions())/found[0].median().Seconds()/1e6, "M rows/s", 1.5)
	r.atMost("compaction, most memory", float64(most)/1024, "MiB", 512)
	r.times("", all, found)
	return nil
}

// cloned is a copy of a store that may be written to.
func (l *lab) cloned(kept string) (string, error) {
	store, err := l.newDir("store")
	if err != nil {
		return "", err
	}
	return store, clone(kept, store)
}

// compact merges the customers of a store. It returns the most memory that the process had, in
// KiB.
func (l *lab) compact(ctx context.Context, store string) (peak int64, err error) {
	cache, err := l.newDir("cache")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(cache)
	cmd := exec.CommandContext(ctx, l.binary, "compact", "--apply", "--type", customerType.Name, "--storage-uri", store, "--cache-dir", cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("compact: %w: %s", err, out)
	}
	if found, _ := filepath.Glob(filepath.Join(store, format.SnapshotsPrefix, "*", "*.parquet")); len(found) != 1 {
		return 0, fmt.Errorf("compact wrote the snapshots %v", found)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = usage.Maxrss
	}
	return peak, nil
}

// firstQueries asks gateways with an empty cache directory for all customers, of the long history
// compacted and as it is, and of the short one.
func (l *lab) firstQueries(ctx context.Context, r *result) error {
	var all []contender
	for _, s := range []struct {
		name    string
		make    func(context.Context) (string, error)
		compact bool
	}{{"short history", l.short, false}, {"long history, compacted", l.long, true}, {"long history", l.long, false}} {
		kept, err := s.make(ctx)
		if err != nil {
			return err
		}
		store, err := l.cloned(kept)
		if err != nil {
			return err
		}
		if s.compact {
			if _, err := l.compact(ctx, store); err != nil {
				return err
			}
		}
		all = append(all, contender{s.name, func(int) ([]time.Duration, error) { return l.firstQuery(ctx, store) }})
	}
	found, err := race(l.laps, all...)
	if err != nil {
		return err
	}
	r.atMost(fmt.Sprintf("first query: %d compacted commits / %d", l.size.Long, shortHistory), found[1].over(found[0]), "x", 3)
	r.note(fmt.Sprintf("first query: %d commits / %d", l.size.Long, shortHistory), found[2].over(found[0]), "x")
	r.times("first query: ", all, found)
	return nil
}

// firstQuery is the time that the first query of a gateway takes whose cache directory is empty.
func (l *lab) firstQuery(ctx context.Context, store string) ([]time.Duration, error) {
	cache, err := l.newDir("cache")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(cache)
	g, err := l.serve(ctx, "--storage-uri", store, "--cache-dir", cache)
	if err != nil {
		return nil, err
	}
	defer g.stop()
	began := time.Now()
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if _, err := c.query("SELECT count(*), sum(visits) FROM customer"); err != nil {
		return nil, err
	}
	return []time.Duration{time.Since(began)}, nil
}

// tierStep is after how many commits a type is due for a gateway that compacts by itself.
const tierStep = 16

// amplification compacts by tiers while a history of commits of one row each grows, and counts how
// often a row is written.
func (l *lab) amplification(ctx context.Context, r *result) error {
	b := mem.New("tiers")
	if err := fillCommits(ctx, b, tierStep, 1); err != nil {
		return err
	}
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return err
	}
	defer log.Close()
	files := resolver.Open(resolver.Options{Bucket: b, Log: log})
	defer files.Close()
	s := compaction.Store{Bucket: b, Log: log, Files: files, RuntimeID: "bench", TempDir: l.dir}
	o := compaction.Options{Type: customerType.Name, Strategy: compaction.Tiered, MinFiles: tierStep, Apply: true}
	written := int64(0)
	for commits := tierStep; ; commits += tierStep {
		done, err := compaction.Compact(ctx, s, o)
		if err != nil {
			return err
		}
		if written += done.Rows; commits >= l.size.Long {
			break
		}
		if err := moreCommits(ctx, b, log, commits); err != nil {
			return err
		}
	}
	index, _, err := b.Get(ctx, format.IndexKey(customerType))
	if err != nil {
		return err
	}
	x, err := format.DecodeIndex("", index)
	if err != nil {
		return err
	}
	r.atMost(fmt.Sprintf("tiers: rows written for each of %d commits", l.size.Long), float64(written)/float64(l.size.Long), "", math.Log2(float64(l.size.Long)))
	r.note("tiers: files in the end", float64(len(x.Entries)), "")
	return nil
}

// moreCommits writes tierStep commits of a new customer each.
func moreCommits(ctx context.Context, b objstore.Bucket, log *chain.Log, first int) (err error) {
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "bench", Log: log})
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	for i := range tierStep {
		one := count(1, func(int) format.Row { return customerAt(first+i, 0).row() })
		if _, err := c.Commit(ctx, insertion(one, ontosql.CommitID(first+i))); err != nil {
			return err
		}
	}
	return nil
}
