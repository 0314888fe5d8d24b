package chain

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

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
	for _, e := range decodeCheckpoint(checkpoint) {
		if mine := v.Commit(e.ID); mine != nil && mine.Path == e.Path && !bytes.Equal(appendRecord(nil, mine), appendRecord(nil, e)) {
			return e.ID
		}
	}
	return 0
}

// decodeCheckpoint returns the commits of a checkpoint up to the first damaged record; none if it
// is of another version.
func decodeCheckpoint(body []byte) (entries []*Entry) {
	text, ok := strings.CutPrefix(string(body), journalHeader)
	for before := (*Entry)(nil); ok; {
		e, size, err := cutRecord(text, before)
		if err != nil {
			break
		}
		entries, before, text = append(entries, e), e, text[size:]
	}
	return entries
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
	for _, e := range decodeCheckpoint(body) {
		if _, there := l.fetched[e.Path]; !there && !h.contains(e) {
			l.fetched[e.Path] = read{entry: e}
		}
		last = max(last, e.ID)
	}
	return last
}
