package gc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// stagingTime is more than lies between the times of two commits that a gateway stages for one swap
// of the head.
const stagingTime = 100 * time.Millisecond

// abandoned are the folders of commits that the head has left, because it was set back, by a reset of
// the store or by hand, or because a copy of the store by other means has not reached it yet. They
// are told by three signs:
//
//   - An attempt was made on another one that is no commit of the history. A writer makes attempts
//     on what is committed, apart from the commits of one swap, which only gateways make: they have
//     one writer and one time.
//   - The attempt on which it was made is above the head and is not there, so that this sign cannot be
//     looked for.
//   - An index names a file of it, which writers do after the commit.
//
// The attempts that are connected with one that has a sign are left with it. While one of them is
// above the head, nothing above the head is garbage: a copy may have brought files without their
// manifest.
type abandoned struct {
	folders []string // in the order of commits
	are     map[string]bool
	above   bool // one is above the head
}

// has reports whether garbage is kept for being abandoned.
func (a *abandoned) has(g Garbage) bool {
	id, attempt, ok := format.ParseCommitDir(g.Key)
	return a.above && g.Reason == Above || ok && a.are[format.CommitPrefix(id, attempt)]
}

// manifestOf is a manifest that is not in the history, and its key.
type manifestOf struct {
	path string
	*format.Manifest
}

// line is a set of attempts of which each was made on another one.
type line struct{ left bool }

// findAbandoned reads the manifests among the candidates. Those that cannot be decoded are of no
// commit. The error is the bucket's.
func findAbandoned(ctx context.Context, b objstore.Bucket, r *roots, candidates []Garbage) (*abandoned, error) {
	attempts, err := readAttempts(ctx, b, r, candidates)
	if err != nil {
		return nil, err
	}
	head := r.view.Head().Commit
	known, lines := map[string]manifestOf{}, map[string]*line{}
	for _, m := range attempts {
		parent := ""
		if m.ParentManifestPath != nil {
			parent = *m.ParentManifestPath
		}
		before, there := known[parent]
		l := lines[parent]
		switch e := r.view.Commit(m.CommitID - 1); {
		case m.CommitID == 1 || e != nil && e.Path == parent:
			l = &line{}
		case there:
			l.left = l.left || !stagedTogether(before, m)
		case l == nil:
			l = &line{left: m.CommitID-1 > head}
			lines[parent] = l
		}
		l.left = l.left || slices.ContainsFunc(m.Files, func(f format.File) bool { return r.named[f.Path] })
		known[m.path], lines[m.path] = m, l
	}
	found := &abandoned{are: map[string]bool{}}
	for _, m := range attempts {
		if lines[m.path].left {
			folder := strings.TrimSuffix(m.path, "manifest.json")
			found.folders, found.are[folder] = append(found.folders, folder), true
			found.above = found.above || m.CommitID > head
		}
	}
	return found, nil
}

// stagedTogether reports whether two attempts, the second made on the first, may have been meant for
// one swap of the head.
func stagedTogether(a, b manifestOf) bool {
	_, gateways := b.Metadata[format.MetadataAttempt]
	return gateways && a.RuntimeID == b.RuntimeID && b.CreatedAt.Sub(a.CreatedAt.Time).Abs() < stagingTime
}

// readAttempts returns the manifests of attempts that are not in the history, in the order of commits.
func readAttempts(ctx context.Context, b objstore.Bucket, r *roots, candidates []Garbage) ([]manifestOf, error) {
	var paths []string
	for _, g := range candidates {
		if why := r.judge(g.Key); strings.HasSuffix(g.Key, "/manifest.json") && (why == Above || why == Lost) {
			paths = append(paths, g.Key)
		}
	}
	found := make([]manifestOf, len(paths))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i, path := range paths {
		g.Go(func() error {
			body, _, err := b.Get(gctx, path)
			if err != nil && !errors.Is(err, objstore.ErrNotFound) {
				return fmt.Errorf("read manifest of an attempt: %w", err)
			}
			m, err := format.DecodeManifest(path, body)
			if id, attempt, _ := format.ParseCommitDir(path); err == nil && m.CommitID == id && path == format.ManifestKey(id, attempt) {
				found[i] = manifestOf{path, m}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(m manifestOf) bool { return m.Manifest == nil })
	slices.SortFunc(found, func(a, b manifestOf) int {
		return cmp.Or(cmp.Compare(a.CommitID, b.CommitID), cmp.Compare(a.path, b.path))
	})
	return found, nil
}
