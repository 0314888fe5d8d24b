package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// kept is the directory of a store of the run's size, which is generated if it does not exist.
// It must not be written to: clone returns a copy.
func (l *lab) kept(ctx context.Context, name string, fill func(context.Context, objstore.Bucket) error) (string, error) {
	path := filepath.Join(l.data, fmt.Sprintf("%s-%s-v%d", name, l.size.Name, dataVersion))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	began := time.Now()
	making, err := os.MkdirTemp(l.dir, name+"-")
	if err != nil {
		return "", err
	}
	bucket, err := dir.Open(making, dir.Options{})
	if err != nil {
		return "", err
	}
	if err := fill(ctx, bucket); err != nil {
		return "", fmt.Errorf("make the %s store: %w", name, err)
	}
	l.tell("made the %s store in %s", name, toldTime(began))
	return path, os.Rename(making, path)
}

// history is the store with the versions of all customers.
func (l *lab) history(ctx context.Context) (string, error) {
	return l.kept(ctx, "history", func(ctx context.Context, b objstore.Bucket) error { return l.size.fill(ctx, b) })
}

// long and short are stores of the same customers, of one version each: in many
// commits, and in ten.
func (l *lab) long(ctx context.Context) (string, error) {
	return l.kept(ctx, "long", func(ctx context.Context, b objstore.Bucket) error {
		return fillCommits(ctx, b, l.size.Long, l.size.LongRows)
	})
}

func (l *lab) short(ctx context.Context) (string, error) {
	return l.kept(ctx, "short", func(ctx context.Context, b objstore.Bucket) error {
		return fillCommits(ctx, b, shortHistory, l.size.Long*l.size.LongRows/shortHistory)
	})
}

const shortHistory = 10

// fill writes the schemas, and then the customers' rounds; the rest comes with
// the last commit of the first one, which has seen every customer.
func (s size) fill(ctx context.Context, b objstore.Bucket) (err error) {
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{URI: "bench", Engine: format.EngineV1}); err != nil {
		return err
	}
	p, err := writepath.NewPublisher(ctx, b, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close(ctx)) }()
	if _, err := p.Register(ctx, epoch, schemas()); err != nil {
		return err
	}
	at := 0
	for round, customers := range s.writes() {
		at++
		c := writepath.Commit{At: epoch.Add(time.Duration(at) * time.Hour), Data: []writepath.Content{{
			Type: customerType,
			Rows: count(len(customers), func(i int) format.Row { return customerAt(customers[i], round).row() }),
		}}}
		if at == s.Slices {
			c.Data = append(c.Data,
				writepath.Content{Type: productType, Rows: count(s.Products, func(i int) format.Row { return productAt(i).row() })},
				writepath.Content{Type: subscriptionType, Rows: count(s.Subscriptions, func(i int) format.Row { return s.subscriptionAt(i).row() })})
		}
		if _, err := p.Publish(ctx, c); err != nil {
			return fmt.Errorf("commit %d: %w", at, err)
		}
	}
	return nil
}

// fillCommits writes so many commits of so many new customers each, after the
// one that registers their type. Which commit has which customers is left to
// chance.
func fillCommits(ctx context.Context, b objstore.Bucket, commits, rows int) (err error) {
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{URI: "bench", Engine: format.EngineV1}); err != nil {
		return err
	}
	c := writepath.Open(writepath.Options{Bucket: b, RuntimeID: "bench"})
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	if _, err := c.Register(ctx, epoch, schemas()); err != nil {
		return err
	}
	var next, seen atomic.Int64
	g, groupCtx := errgroup.WithContext(ctx)
	for range 256 { // as many as share a head swap
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < commits; i = int(next.Add(1)) - 1 {
				first := i * rows
				rows := count(rows, func(i int) format.Row { return customerAt(first+i, 0).row() })
				out, err := c.Commit(groupCtx, insertion(rows, ontosql.CommitID(seen.Load())))
				if err != nil {
					return err
				}
				raise(&seen, int64(out.Commit))
			}
			return nil
		})
	}
	return g.Wait()
}

// raise makes the number at least n.
func raise(number *atomic.Int64, n int64) {
	for old := number.Load(); old < n && !number.CompareAndSwap(old, n); old = number.Load() {
	}
}

// clone is a directory with the objects of a store that may be written to. Both
// kinds of store never change a file, they put another into its place; so two
// may share theirs.
func clone(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		}
		return os.Link(path, filepath.Join(to, name))
	})
}

// Where the data files are in a store of the first layout.
const (
	customerFiles     = "commits/*/entities/Customer.parquet"
	productFiles      = "commits/*/entities/Product.parquet"
	subscriptionFiles = "commits/*/relations/Subscription.parquet"
)
