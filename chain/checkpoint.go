package chain

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// MinCheckpoint is the number of commits from which on a store has a checkpoint: fewer manifests are
// read quickly.
const MinCheckpoint = 256

// maxCheckpoint is about the size of the largest checkpoint, in bytes. Later commits are left out.
const maxCheckpoint = 64 << 20

// Checkpoint returns the commits of the view as the log's file has them, for an object from which a
// process without such a file reads them in one request (decision A65).
func (v *View) Checkpoint() []byte {
	text := []byte(journalHeader)
	for id := ontosql.CommitID(1); id <= v.head.Commit && len(text) < maxCheckpoint; id++ {
		text = appendRecord(text, v.Commit(id))
	}
	return text
}

// Contradicts returns the first commit of the view of which a checkpoint has the manifest with
// another content; 0 if there is none. Commits of other histories contradict nothing.
func (v *View) Contradicts(checkpoint []byte) ontosql.CommitID {
	entries, _ := decodeCheckpoint(checkpoint)
	for _, e := range entries {
		if mine := v.Commit(e.ID); mine != nil && mine.Path == e.Path && !same(mine, e) {
			return e.ID
		}
	}
	return 0
}

// Holds reports whether a checkpoint can be read as a whole and has commits of the view only.
func (v *View) Holds(checkpoint []byte) bool {
	entries, whole := decodeCheckpoint(checkpoint)
	return whole && len(entries) > 0 && !slices.ContainsFunc(entries, func(e *Entry) bool {
		mine := v.Commit(e.ID)
		return mine == nil || !same(mine, e)
	})
}

// same reports whether two entries are of the same manifest.
func same(a, b *Entry) bool { return bytes.Equal(appendRecord(nil, a), appendRecord(nil, b)) }

// decodeCheckpoint returns the commits of a checkpoint up to the first damaged record; none if it
// is of another version. whole says that there is nothing else in it.
func decodeCheckpoint(body []byte) (entries []*Entry, whole bool) {
	text, ok := strings.CutPrefix(string(body), journalHeader)
	for before := (*Entry)(nil); ok && text != ""; {
		e, size, err := cutRecord(text, before)
		if err != nil {
			return entries, false
		}
		entries, before, text = append(entries, e), e, text[size:]
	}
	return entries, ok
}

// takeCheckpoint moves the manifests of the store's checkpoint to l.fetched, without those of h.
// Like any manifest, they count only if a head leads to them. It returns the last commit that is in
// h or in the checkpoint. If there is none, or it cannot be read, the manifests are read instead.
func (l *Log) takeCheckpoint(ctx context.Context, h *history) ontosql.CommitID {
	last := h.len()
	body, _, err := l.bucket.Get(ctx, format.CheckpointKey)
	if err != nil {
		if !errors.Is(err, objstore.ErrNotFound) {
			l.log.WarnContext(ctx, "checkpoint of manifests not read", "error", err)
		}
		return last
	}
	entries, _ := decodeCheckpoint(body)
	for _, e := range entries {
		if _, there := l.fetched[e.Path]; !there && !h.contains(e) {
			l.fetched[e.Path] = read{entry: e, copied: true}
		}
		last = max(last, e.ID)
	}
	return last
}

// dropCheckpoint removes the entries of checkpoints from l.fetched.
func (l *Log) dropCheckpoint() {
	maps.DeleteFunc(l.fetched, func(_ string, r read) bool { return r.copied })
}
