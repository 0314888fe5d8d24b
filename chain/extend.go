package chain

import (
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// NewEntry returns the entry of a commit in an ontology without manifests, such as one in
// a SQLite file. path identifies the commit and the chain up to it: chains with the same
// path at a commit are equal up to it. The error is an *ontosql.CorruptError if the
// metadata cannot be decoded.
func NewEntry(path string, m *format.Manifest) (*Entry, error) {
	e := &Entry{ID: m.CommitID, Path: path, Manifest: m}
	if err := e.decode(); err != nil {
		return nil, err
	}
	return e, nil
}

// Extend returns the chain of v up to the commit before the first of entries, followed by
// entries. A nil v is the empty chain. v itself does not change. Views that derive from
// one another must not be extended concurrently.
func Extend(v *View, entries []*Entry) (*View, error) {
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
			return nil, fmt.Errorf("extend chain: commit %d stands where commit %d must", e.ID, want)
		}
	}
	h = h.extend(entries)
	tip := h.lastEntry()
	head := ontosql.Head{Commit: tip.ID, ManifestPath: tip.Path, RuntimeID: tip.Manifest.RuntimeID, UpdatedAt: tip.Manifest.CreatedAt.Time}
	return &View{head: head, h: h}, nil
}
