package gc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Garbage is an object to be removed.
type Garbage struct {
	Key      string
	Bytes    int64
	Modified time.Time // by the store's clock
	Reason   Reason
}

// Sum counts objects and their bytes.
type Sum struct {
	Objects int
	Bytes   int64
}

func (s *Sum) add(bytes int64) {
	s.Objects++
	s.Bytes += bytes
}

// inventory is what a listing of a store has beside what the roots reach.
type inventory struct {
	candidates []Garbage // in the order of keys; ages are not considered
	kept       map[Reason]Sum
	present    []int // number of objects in the folder of each commit
	// times are those of the head, of the manifests of commits and of the snapshots that are read,
	// by key.
	times map[string]time.Time
}

// list compares a listing of the store with roots that were read before it. It fails with a
// *ontosql.CorruptError if an object of the chain is not in it.
func list(ctx context.Context, b objstore.Bucket, r *roots) (*inventory, error) {
	found := &inventory{kept: map[Reason]Sum{}, times: map[string]time.Time{}, present: make([]int, r.view.Len())}
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	for _, prefix := range prefixes() {
		g.Go(func() error {
			err := b.List(gctx, prefix, func(o objstore.Object) error {
				reason := r.judge(o.Key)
				mu.Lock()
				defer mu.Unlock()
				found.add(o, reason, r)
				return nil
			})
			if err != nil {
				return fmt.Errorf("list %s: %w", prefix, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, n := range found.present {
		if err := checkComplete(ctx, b, r, ontosql.CommitID(i+1), n); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found.candidates, func(a, b Garbage) int { return strings.Compare(a.Key, b.Key) })
	return found, nil
}

// prefixes are listed at the same time, because a server lists a thousand objects with each request:
// the folders of commits by the first digit of their number, and the snapshots; and the head.
func prefixes() []string {
	all := []string{format.HeadKey, format.SnapshotsPrefix}
	for digit := 1; digit <= 9; digit++ {
		all = append(all, fmt.Sprint(format.CommitsPrefix, digit))
	}
	return all
}

// add takes an object of the listing.
func (i *inventory) add(o objstore.Object, reason Reason, r *roots) {
	switch id, _, commit := format.ParseCommitDir(o.Key); {
	case o.Key == format.HeadKey:
		i.times[o.Key] = o.Modified
	case reason == reached && commit:
		if e := r.view.Commit(id); e != nil && strings.HasPrefix(o.Key, folder(e)) {
			i.present[id-1]++
			if o.Key == e.Path {
				i.times[o.Key] = o.Modified
			}
		}
	case reason == reached:
		i.times[o.Key] = o.Modified
	case reason.garbage():
		i.candidates = append(i.candidates, Garbage{o.Key, o.Size, o.Modified, reason})
	case reason != foreign:
		i.keep(reason, o.Size)
	}
}

func (i *inventory) keep(why Reason, bytes int64) {
	s := i.kept[why]
	s.add(bytes)
	i.kept[why] = s
}

// checkComplete fails if a commit has more objects in its folder than the listing.
func checkComplete(ctx context.Context, b objstore.Bucket, r *roots, id ontosql.CommitID, present int) error {
	e := r.view.Commit(id)
	want := []string{e.Path}
	for i := range e.Manifest.Files {
		if path := e.Manifest.Files[i].Path; strings.HasPrefix(path, folder(e)) {
			want = append(want, path)
		}
	}
	if present >= len(want) {
		return nil
	}
	there := map[string]bool{}
	err := b.List(ctx, folder(e), func(o objstore.Object) error {
		there[o.Key] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("list commit %d: %w", id, err)
	}
	for _, key := range want {
		if !there[key] {
			return &ontosql.CorruptError{Key: key, Err: fmt.Errorf("commit %d has lost it: %w", id, objstore.ErrNotFound)}
		}
	}
	return nil
}

// plan chooses the garbage among the candidates of a listing: what roots that were read after the
// listing do not reach either, what was never committed, and what is older than the grace at a time of
// the store's clock.
func (i *inventory) plan(r *roots, left *abandoned, now time.Time, grace time.Duration) (planned []Garbage) {
	for _, g := range i.candidates {
		switch g.Reason = r.judge(g.Key); {
		case g.Reason == reached:
		case !g.Reason.garbage():
			i.keep(g.Reason, g.Bytes)
		case left.has(g):
			i.keep(Committed, g.Bytes)
		case max(0, now.Sub(i.since(r, g, now))) < grace: // servers round their time
			i.keep(Young, g.Bytes)
		default:
			planned = append(planned, g)
		}
	}
	return planned
}

// since is the time from which the grace of an object counts: from when it is there, and from when it
// is garbage, however old it is. If that was after the listing, it is now.
func (i *inventory) since(r *roots, g Garbage, now time.Time) time.Time {
	since := g.Modified
	after := func(key string) {
		at, listed := i.times[key]
		if !listed {
			at = now
		}
		if at.After(since) {
			since = at
		}
	}
	switch g.Reason {
	case Above:
		after(format.HeadKey) // it may have been put back
	case Lost:
		id, _, _ := format.ParseCommitDir(g.Key)
		after(r.view.Commit(id).Path)
	case Replaced:
		// A snapshot that others replaced was read until they were there: readers may have the index
		// of before.
		ref, low, high, _ := format.ParseSnapshotKey(g.Key)
		own := format.IndexEntry{MinCommitID: low, MaxCommitID: high}
		for _, e := range r.snapshots[ref] {
			if e.Overlaps(own) {
				after(e.Path)
			}
		}
	}
	return since
}
