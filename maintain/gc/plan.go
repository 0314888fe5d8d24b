package gc

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	candidates []Garbage // in the order of the listing; ages are not considered
	kept       map[Reason]Sum
	// snapshots are the times of the snapshots that are read, by key.
	snapshots map[string]time.Time
}

// list compares a listing of the store with roots that were read before it. It fails with a
// *ontosql.CorruptError if an object of the chain is not in it.
func list(ctx context.Context, b objstore.Bucket, r *roots) (*inventory, error) {
	found := &inventory{kept: map[Reason]Sum{}, snapshots: map[string]time.Time{}}
	present := make([]int, r.view.Len()) // number of objects, by commit
	for _, prefix := range []string{format.CommitsPrefix, format.SnapshotsPrefix} {
		err := b.List(ctx, prefix, func(o objstore.Object) error {
			reason := r.judge(o.Key)
			switch id, _, commit := format.ParseCommitDir(o.Key); {
			case reason == reached && commit:
				if e := r.view.Commit(id); e != nil && strings.HasPrefix(o.Key, folder(e)) {
					present[id-1]++
				}
			case reason == reached:
				found.snapshots[o.Key] = o.Modified
			case reason.garbage():
				found.candidates = append(found.candidates, Garbage{o.Key, o.Size, o.Modified, reason})
			default:
				found.keep(reason, o.Size)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", prefix, err)
		}
	}
	for i, n := range present {
		if err := checkComplete(ctx, b, r, ontosql.CommitID(i+1), n); err != nil {
			return nil, err
		}
	}
	return found, nil
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
// listing do not reach either, and what is older than the grace at a time of the store's clock.
func (i *inventory) plan(r *roots, now time.Time, grace time.Duration) (planned []Garbage) {
	for _, g := range i.candidates {
		switch g.Reason = r.judge(g.Key); {
		case g.Reason == reached:
		case !g.Reason.garbage():
			i.keep(g.Reason, g.Bytes)
		case max(0, now.Sub(i.since(r, g))) < grace: // servers round their time
			i.keep(Young, g.Bytes)
		default:
			planned = append(planned, g)
		}
	}
	return planned
}

// since is the time from which the grace of an object counts. A snapshot that others replaced was
// read until they were there, however old it is: readers may have the index of before.
func (i *inventory) since(r *roots, g Garbage) time.Time {
	since := g.Modified
	ref, low, high, ok := format.ParseSnapshotKey(g.Key)
	if !ok {
		return since
	}
	own := format.IndexEntry{MinCommitID: low, MaxCommitID: high}
	for _, e := range r.snapshots[ref] {
		if at := i.snapshots[e.Path]; e.Overlaps(own) && at.After(since) {
			since = at
		}
	}
	return since
}
