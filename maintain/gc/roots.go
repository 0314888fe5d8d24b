package gc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Verdicts on objects that are neither garbage nor kept for a reason.
const (
	reached Reason = ""        // a root reaches it
	foreign Reason = "foreign" // its key is not one that a writer makes
)

// roots are all that objects of a store are read by: the chain of the head, and the indexes. Tags
// are metadata of commits, which the chain reaches. Whatever else is to keep objects is added
// here and nowhere else.
type roots struct {
	view *chain.View
	// named are the paths that the chain has outside of its commits' folders, which only foreign
	// manifests do, and those that indexes name beside the chain: snapshots above all.
	named map[string]bool
	// snapshots are the entries of indexes that stand for several commits, by type.
	snapshots map[ontosql.TypeRef][]format.IndexEntry
	damaged   map[ontosql.TypeRef]bool // types whose index cannot be decoded
	copying   bool                     // the mark of a copy that has not ended is there
}

// readAll reads the roots with all indexes.
func readAll(ctx context.Context, b objstore.Bucket, log *chain.Log) (*roots, error) {
	r, err := readRoots(ctx, b, log)
	if err != nil {
		return nil, err
	}
	var refs []ontosql.TypeRef
	err = b.List(ctx, format.IndicesPrefix, func(o objstore.Object) error {
		if ref, ok := format.ParseIndexKey(o.Key); ok {
			refs = append(refs, ref)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	return r, r.readIndexes(ctx, b, refs)
}

// readRoots reads the head and the chain below it, without indexes. The error is
// ontosql.ErrNotInitialised, a *ontosql.CorruptError of the head or a manifest, or the bucket's.
func readRoots(ctx context.Context, b objstore.Bucket, log *chain.Log) (*roots, error) {
	body, _, err := b.Get(ctx, format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return nil, fmt.Errorf("read head: %w", err)
	}
	view, err := log.At(ctx, head)
	if err != nil {
		return nil, err
	}
	r := &roots{view: view, named: map[string]bool{}, snapshots: map[ontosql.TypeRef][]format.IndexEntry{}, damaged: map[ontosql.TypeRef]bool{}}
	for id := ontosql.CommitID(1); id <= head.CommitID; id++ {
		e := view.Commit(id)
		for i := range e.Manifest.Files {
			if path := e.Manifest.Files[i].Path; !strings.HasPrefix(path, folder(e)) {
				r.named[path] = true
			}
		}
	}
	_, _, err = b.Get(ctx, format.CopyMarkKey)
	if r.copying = err == nil; err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return nil, fmt.Errorf("read mark of copies: %w", err)
	}
	return r, nil
}

// folder is the folder of a commit, with the slash.
func folder(e *chain.Entry) string { return e.Path[:strings.LastIndexByte(e.Path, '/')+1] }

const parallel = 32

// readIndexes reads the indexes of types.
func (r *roots) readIndexes(ctx context.Context, b objstore.Bucket, refs []ontosql.TypeRef) error {
	var mu sync.Mutex
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, ref := range refs {
		g.Go(func() error {
			key := format.IndexKey(ref)
			body, _, err := b.Get(gctx, key)
			if errors.Is(err, objstore.ErrNotFound) {
				return nil // it may be removed between the requests
			}
			if err != nil {
				return fmt.Errorf("read index: %w", err)
			}
			index, err := format.DecodeIndex(key, body)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				r.damaged[ref] = true
				return nil
			}
			r.addIndex(ref, index)
			return nil
		})
	}
	return g.Wait()
}

func (r *roots) addIndex(ref ontosql.TypeRef, index *format.Index) {
	for _, e := range index.Entries {
		if e.Snapshot() {
			r.snapshots[ref] = append(r.snapshots[ref], e)
		}
		if r.judge(e.Path) != reached {
			r.named[e.Path] = true
		}
	}
}

// judge says whether a root reaches an object below commits/ or snapshots/, and if not, why it is
// garbage or why it is kept. Ages are not considered.
func (r *roots) judge(key string) Reason {
	if r.named[key] {
		return reached
	}
	if ref, _, _, ok := format.ParseSnapshotKey(key); ok {
		if r.damaged[ref] {
			return Unreadable
		}
		return Replaced
	}
	id, _, ok := format.ParseCommitDir(key)
	if !ok || !strings.HasSuffix(key, ".parquet") && !strings.HasSuffix(key, "/manifest.json") && !strings.HasSuffix(key, "/events.json") {
		return foreign
	}
	e := r.view.Commit(id)
	switch {
	case e == nil && r.copying:
		return Copying
	case e == nil:
		return Above
	case !strings.HasPrefix(key, folder(e)):
		return Lost
	case key == e.Path:
		return reached
	}
	for i := range e.Manifest.Files {
		if e.Manifest.Files[i].Path == key {
			return reached
		}
	}
	if _, events, err := format.EventsOf(e.Path, e.Manifest); events == key || err != nil {
		return reached
	}
	return Unnamed
}

// continues reports whether the chain of r has all commits of the chain of an earlier one.
func (r *roots) continues(earlier *roots) bool {
	head := earlier.view.Head()
	e := r.view.Commit(head.Commit)
	return head.Commit == 0 || e != nil && e.Path == head.ManifestPath
}
