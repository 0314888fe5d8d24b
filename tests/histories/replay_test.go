package histories

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// landed is one commit of the store.
type landed struct {
	ID      int64   `json:"id"`
	Path    string  `json:"path"` // of the manifest
	Attempt string  `json:"attempt,omitempty"`
	Runtime string  `json:"runtime"`
	Schema  bool    `json:"schema,omitempty"` // it changes the schema
	Rows    []sight `json:"rows"`
}

// replay is the chain of a store and what its commits made of each identity. It
// reads as a stranger does, from the head down, with nothing but the format.
type replay struct {
	bucket   objstore.Bucket
	chain    []landed // commit 1 first
	versions map[identity][]version
}

func newReplay(b objstore.Bucket) *replay {
	return &replay{bucket: b, versions: map[identity][]version{}}
}

// follow reads the head and the commits that are new since the last time, and
// returns the head.
func (r *replay) follow(ctx context.Context) (int64, error) {
	body, _, err := r.bucket.Get(ctx, format.HeadKey)
	if err != nil {
		return 0, err
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		return 0, err
	}
	var fresh []landed
	path, sum := head.ManifestPath, head.CommitSHA256
	for id := int64(head.CommitID); path != nil && id > int64(len(r.chain)); id-- {
		l, parent, err := r.commit(ctx, *path, id, sum)
		if err != nil {
			return 0, err
		}
		fresh = append(fresh, l)
		path, sum = parent, ""
	}
	known := int64(len(r.chain))
	switch {
	case int64(head.CommitID) != known+int64(len(fresh)):
		return 0, &brokenError{fmt.Sprintf("the head is commit %d and leads to %d manifests after the %d that are known", head.CommitID, len(fresh), known)}
	case known > 0 && len(fresh) > 0 && (path == nil || *path != r.chain[known-1].Path):
		return 0, &brokenError{fmt.Sprintf("commit %d was %s, and now the chain of head %d does not lead there", known, r.chain[known-1].Path, head.CommitID)}
	}
	slices.Reverse(fresh)
	for _, l := range fresh {
		r.add(l)
	}
	return int64(head.CommitID), nil
}

// add appends the next commit.
func (r *replay) add(l landed) {
	r.chain = append(r.chain, l)
	for _, s := range l.Rows {
		r.versions[s.identity] = append(r.versions[s.identity], s.version)
	}
}

// brokenError: the store is not what it must be at every moment.
type brokenError struct{ what string }

func (e *brokenError) Error() string { return "broken store: " + e.what }

func (r *replay) commit(ctx context.Context, path string, id int64, sum string) (landed, *string, error) {
	body, _, err := r.bucket.Get(ctx, path)
	if err != nil {
		return landed{}, nil, fmt.Errorf("read manifest of commit %d: %w", id, err)
	}
	if got := sha256.Sum256(body); sum != "" && hex.EncodeToString(got[:]) != sum {
		return landed{}, nil, &brokenError{fmt.Sprintf("%s has not the sha256 that the head gives it", path)}
	}
	m, err := format.DecodeManifest(path, body)
	if err != nil {
		return landed{}, nil, err
	}
	if int64(m.CommitID) != id {
		return landed{}, nil, &brokenError{fmt.Sprintf("%s is commit %d where commit %d should stand", path, m.CommitID, id)}
	}
	l := landed{ID: id, Path: path, Runtime: m.RuntimeID}
	_, l.Schema = m.Metadata[format.MetadataSchema]
	_ = json.Unmarshal(m.Metadata[format.MetadataAttempt], &l.Attempt) // the original writes none
	for i := range m.Files {
		rows, err := r.rows(ctx, &m.Files[i], id)
		if err != nil {
			return landed{}, nil, fmt.Errorf("rows of commit %d: %w", id, err)
		}
		l.Rows = append(l.Rows, rows...)
	}
	return l, m.ParentManifestPath, nil
}

// rows reads one data file.
func (r *replay) rows(ctx context.Context, f *format.File, id int64) ([]sight, error) {
	body, _, err := r.bucket.Get(ctx, f.Path)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(body); hex.EncodeToString(got[:]) != f.ContentSHA256 {
		return nil, &brokenError{f.Path + " has not the sha256 that its manifest gives it"}
	}
	stored, err := original.Rows(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	seen := make([]sight, len(stored))
	for i := range stored {
		var fields struct {
			N  int64
			Op string
		}
		if err := json.Unmarshal(stored[i].Fields, &fields); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path, err)
		}
		if int64(stored[i].Commit) != id {
			return nil, &brokenError{fmt.Sprintf("%s has a row of commit %d, it is of commit %d", f.Path, stored[i].Commit, id)}
		}
		ref := f.Ref()
		seen[i] = sight{identity{ref.Name, writepath.Identity(ref.Kind, &stored[i])}, version{id, fields.N, fields.Op}}
	}
	return seen, nil
}

// at is an identity as it was at a commit.
func (r *replay) at(id identity, commit int64) version {
	versions := r.versions[id]
	i, _ := slices.BinarySearchFunc(versions, commit+1, func(v version, want int64) int { return int(v.Commit - want) })
	if i == 0 {
		return version{}
	}
	return versions[i-1]
}

// whole is everything there was at a commit; with all, every version up to it.
func (r *replay) whole(commit int64, all bool) []sight {
	var seen []sight
	for id, versions := range r.versions {
		if !all {
			if v := r.at(id, commit); v.Commit != 0 {
				seen = append(seen, sight{id, v})
			}
			continue
		}
		for _, v := range versions {
			if v.Commit <= commit {
				seen = append(seen, sight{id, v})
			}
		}
	}
	return seen
}
