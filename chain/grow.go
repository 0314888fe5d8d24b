package chain

import (
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// NewEntry is the commit of an ontology that keeps no manifests, such as one in
// a SQLite file. path names the commit and the whole chain up to it: where two
// chains have the same path at a commit, they are the same up to it. The error is
// a *ontosql.CorruptError for metadata that says what nobody can read.
func NewEntry(path string, m *format.Manifest) (*Entry, error) {
	e := &Entry{ID: m.CommitID, Path: path, Manifest: m}
	if err := e.understand(); err != nil {
		return nil, err
	}
	return e, nil
}

// Grow is the chain of v up to the commit before the first of entries, and then
// entries; nil is the chain without a commit. v stays what it is. Views that come
// of one another are grown one at a time.
func Grow(v *View, entries []*Entry) (*View, error) {
	if v == nil {
		v = &View{h: &history{}}
	}
	if len(entries) == 0 {
		return v, nil
	}
	h := v.h
	if base := entries[0].ID - 1; base < h.len() {
		h = h.cut(max(base, 0))
	}
	for i, e := range entries {
		if want := h.len() + ontosql.CommitID(i) + 1; e.ID != want {
			return nil, fmt.Errorf("grow chain: commit %d stands where commit %d must", e.ID, want)
		}
	}
	h = h.extend(entries)
	tip := h.tip()
	head := ontosql.Head{Commit: tip.ID, ManifestPath: tip.Path, RuntimeID: tip.Manifest.RuntimeID, UpdatedAt: tip.Manifest.CreatedAt.Time}
	return &View{head: head, h: h}, nil
}
