package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// logThreshold is the number of manifests above which reading them is logged.
const logThreshold = 1000

// read is the result of reading a manifest: an entry or an error. The error matters only
// if the chain leads to the manifest.
type read struct {
	entry  *Entry
	err    error
	copied bool // the entry is from a checkpoint
}

// walk goes from top down to the first commit that h contains. It returns the commits
// above that one in ascending order; there is at least one. If entries of a checkpoint do not
// belong together, it reads the manifests.
func (l *Log) walk(ctx context.Context, h *history, top link) ([]*Entry, error) {
	missing, err := l.walkFrom(ctx, h, top, l.checkpoint)
	var damaged *ontosql.CorruptError
	if l.checkpoint && errors.As(err, &damaged) {
		l.dropCheckpoint()
		return l.walkFrom(ctx, h, top, false)
	}
	return missing, err
}

// walkFrom is walk, with the store's checkpoint or without it.
func (l *Log) walkFrom(ctx context.Context, h *history, top link, checkpoint bool) ([]*Entry, error) {
	var missing []*Entry
	next, budget := top, maxSequentialReads(top.id)
	known := h.len()
	if checkpoint && int(top.id-known) > budget {
		known = l.takeCheckpoint(ctx, h)
	}
	if int(top.id-known) > budget {
		budget = 0
	}
	for !h.containsLink(next) {
		if err := next.check(); err != nil {
			delete(l.fetched, next.by)
			return nil, err
		}
		if _, there := l.fetched[next.path]; !there {
			if budget == 0 {
				if err := l.readAhead(ctx, h, known, next.id); err != nil {
					return nil, err
				}
				budget = maxSequentialReads(next.id)
			}
			budget--
		}
		e, err := l.manifest(ctx, next)
		if err != nil {
			delete(l.fetched, next.path) // read it again next time: the object may have been repaired
			return nil, err
		}
		missing = append(missing, e)
		next = e.parent()
	}
	slices.Reverse(missing)
	return missing, nil
}

// maxSequentialReads is the number of manifests that are read one after the other before
// the log lists commits/ and reads in parallel. A listing costs one request per thousand
// objects, and a commit has about four objects.
func maxSequentialReads(id ontosql.CommitID) int { return 4 + int(id/256) }

// manifest returns the entry of a link.
func (l *Log) manifest(ctx context.Context, at link) (*Entry, error) {
	r, there := l.fetched[at.path]
	if !there {
		var err error
		if r, err = l.get(ctx, at.path); err != nil {
			if errors.Is(err, objstore.ErrNotFound) {
				return nil, &ontosql.CorruptError{Key: at.path, Err: fmt.Errorf("%s of %s: %w", at.field, at.by, err)}
			}
			return nil, err
		}
		l.fetched[at.path] = r
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := r.entry.checkLink(at); err != nil {
		return nil, err
	}
	return r.entry, nil
}

// get reads a manifest. A returned error is the bucket's; other errors are in read.
func (l *Log) get(ctx context.Context, path string) (read, error) {
	body, _, err := l.bucket.Get(ctx, path)
	if err != nil {
		return read{}, err
	}
	e, err := newEntry(path, body)
	return read{entry: e, err: err}, nil
}

// readAhead reads in parallel all unknown manifests of commits up to high, including those
// of attempts that lost. While high is above known, the last commit of h or of the checkpoint,
// it reads only commits above known. If the history was replaced, the walk goes below it and
// calls readAhead again.
func (l *Log) readAhead(ctx context.Context, h *history, known, high ontosql.CommitID) error {
	low := known
	if high <= low {
		low = 0
	}
	var paths []string
	err := l.bucket.List(ctx, format.CommitsPrefix, func(o objstore.Object) error {
		id, _, ok := format.ParseCommitDir(o.Key)
		if !ok || id <= low || id > high || !strings.HasSuffix(o.Key, "/manifest.json") {
			return nil
		}
		if _, there := l.fetched[o.Key]; there || id <= h.len() && h.entries[id-1].Path == o.Key {
			return nil
		}
		paths = append(paths, o.Key)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list commits: %w", err)
	}
	if len(paths) >= logThreshold {
		l.log.InfoContext(ctx, "reading manifests", "manifests", len(paths), "head_commit_id", high)
	}
	reads := make([]read, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(l.parallel)
	for i, path := range paths {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			r, err := l.get(ctx, path)
			if errors.Is(err, objstore.ErrNotFound) {
				return nil // removed after the listing; if it is on the chain, walk reports it
			}
			reads[i] = r
			return err
		})
	}
	err = group.Wait()
	// Keep what was read even if other reads failed, so that a client with a short
	// timeout makes progress with each retry.
	for i, r := range reads {
		if r != (read{}) {
			l.fetched[paths[i]] = r
		}
	}
	return err
}
