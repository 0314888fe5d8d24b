package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/writepath"
)

// mergedRows is how many rows P26 merges.
const mergedRows = 100_000

// branches is P26: how long a branch of the long history takes, without and with its chain in memory,
// and a merge of many changed rows.
func branches(ctx context.Context, l *lab, r *result) error {
	if err := l.branchDirectory(ctx, r); err != nil {
		return err
	}
	if err := l.branchFar(ctx, r); err != nil {
		return err
	}
	return l.mergeMany(ctx, r)
}

func (l *lab) branchDirectory(ctx context.Context, r *result) error {
	kept, err := l.long(ctx)
	if err != nil {
		return err
	}
	from, err := dir.Open(kept, dir.Options{})
	if err != nil {
		return err
	}
	path, err := l.newDir("branch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(path)
	to := func(name string) (objstore.Bucket, error) { return dir.Open(path+"/"+name, dir.Options{Create: true}) }
	return l.branchTwice(ctx, r, "directory", from, to, 2)
}

func (l *lab) branchFar(ctx context.Context, r *result) error {
	far, err := startRemote(ctx)
	if err != nil {
		return err
	}
	defer far.close()
	near, err := far.near(ctx, "onto")
	if err != nil {
		return err
	}
	if err := fillCommits(ctx, near, l.size.Long, l.size.LongRows); err != nil {
		return err
	}
	from, err := far.far(ctx, "onto")
	if err != nil {
		return err
	}
	to := func(name string) (objstore.Bucket, error) { return far.far(ctx, name) }
	return l.branchTwice(ctx, r, "S3 at 10 ms", from, to, 20)
}

// branchTwice makes a branch of a store that is opened anew, and another one.
func (l *lab) branchTwice(ctx context.Context, r *result, where string, from objstore.Bucket, to func(name string) (objstore.Bucket, error), goal float64) error {
	parent, end, err := openParent(from)
	if err != nil {
		return err
	}
	defer end()
	for i, name := range []string{"cold", "warm"} {
		b, err := to(name)
		if err != nil {
			return err
		}
		began := time.Now()
		done, err := branch.Create(ctx, b, parent, nil)
		took := time.Since(began).Seconds()
		if err != nil {
			return fmt.Errorf("branch, %s: %w", where, err)
		}
		text := fmt.Sprintf("branch of %d commits, %s", done.Commit, where)
		if i == 0 {
			r.note(text+", chain not read before", took, "s")
			continue
		}
		r.atMost(text, took, "s", goal)
	}
	return nil
}

func openParent(b objstore.Bucket) (*branch.Store, func(), error) {
	log, err := chain.Open("", chain.Options{Bucket: b, Checkpoint: true})
	if err != nil {
		return nil, nil, err
	}
	store := resolver.Open(resolver.Options{Bucket: b, Log: log})
	end := func() {
		store.Close()
		_ = log.Close()
	}
	return &branch.Store{Address: b.String(), Bucket: b, Pins: store, Temp: os.TempDir()}, end, nil
}

// mergeMany merges as many changed rows into a branch that has changed others.
func (l *lab) mergeMany(ctx context.Context, r *result) error {
	path, err := l.newDir("merge")
	if err != nil {
		return err
	}
	defer os.RemoveAll(path)
	var stores [2]*branch.Store
	var writers [2]*writepath.Committer
	for i, name := range []string{"trunk", "twig"} {
		b, err := dir.Open(path+"/"+name, dir.Options{Create: true})
		if err != nil {
			return err
		}
		if i == 0 {
			err = fillCommits(ctx, b, 2, mergedRows)
		} else {
			_, err = branch.Create(ctx, b, stores[0], nil)
		}
		if err != nil {
			return err
		}
		var end func()
		if stores[i], end, err = openParent(b); err != nil {
			return err
		}
		defer end()
		writers[i] = writepath.Open(writepath.Options{Bucket: b, RuntimeID: "bench", TempDir: path})
		defer func() { _ = writers[i].Close(context.WithoutCancel(ctx)) }()
	}
	for i, w := range writers { // each the half of the customers
		first := i * mergedRows
		rows := count(mergedRows, func(n int) format.Row { return customerAt(first+n, 1).row() })
		pin, err := stores[i].Pins.PinFresh(ctx)
		if err != nil {
			return err
		}
		if _, err := w.Commit(ctx, insertion(rows, pin.Head.Commit)); err != nil {
			return err
		}
	}
	began := time.Now()
	done, err := branch.Merge(ctx, stores[1], stores[0], writers[0], branch.MergeOptions{})
	took := time.Since(began).Seconds()
	if err != nil {
		return err
	}
	if done.Updated != mergedRows {
		return errors.New("the merge has not merged what it should")
	}
	r.atMost(fmt.Sprintf("merge of %d changed rows", done.Updated), took, "s", 5)
	return nil
}
