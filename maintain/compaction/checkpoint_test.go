package compaction_test

import (
	"context"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain/compaction"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
)

// TestCheckpoint: compaction of a long history leaves a checkpoint of its manifests, by which a
// process that knows nothing reads the chain in one request. It is written again when it has become
// much longer, and a store that refuses it is compacted all the same.
func TestCheckpoint(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	for range 10 {
		w.put(1, thing)
	}
	w.compact(compaction.Options{})
	if _, _, err := w.Get(t.Context(), format.CheckpointKey); err == nil {
		t.Error("a short history has a checkpoint")
	}
	for range 250 {
		w.put(1, thing)
	}
	refused := &refusing{w.Bucket, objstore.ErrDenied}
	refusesIt := refusingKey{Bucket: w.Bucket, refusing: refused, key: format.CheckpointKey}
	if _, err := compaction.Compact(t.Context(), open(t, refusesIt), compaction.Options{Apply: true}); err != nil {
		t.Errorf("without the checkpoint: %v", err)
	}
	before := w.answers()
	written := func() string {
		t.Helper()
		w.compact(compaction.Options{})
		body, _, err := w.Get(t.Context(), format.CheckpointKey)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	first := written()
	requests := 0
	log, err := chain.Open("", chain.Options{Checkpoint: true, Bucket: &faulty.Bucket{Bucket: w.Bucket, At: -1, Delay: func(context.Context, int, string, string) { requests++ }}})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	body, _, err := w.Get(t.Context(), format.HeadKey)
	if err != nil {
		t.Fatal(err)
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		t.Fatal(err)
	}
	view, err := log.At(t.Context(), head)
	if err != nil || view.Contradicts([]byte(first)) != 0 || requests != 1 {
		t.Errorf("%d requests for the chain, %v; want one", requests, err)
	}
	w.put(1, thing)
	if again := written(); again != first {
		t.Error("it was written again for one commit")
	}
	for range 10 {
		w.put(1, thing)
	}
	if again := written(); again == first {
		t.Error("it was not written again for ten commits")
	}
	right := written()
	for name, wrong := range map[string]string{
		"damaged": right[:len(right)-1] + "x", "something else, and longer": right + right, "of another history": strings.ReplaceAll(right, "commits/", "c0mmits/"),
	} {
		w.replace(format.CheckpointKey, []byte(wrong))
		w.put(1, thing)
		if again := written(); !strings.HasPrefix(again, right) || strings.Contains(again, wrong) {
			t.Errorf("the checkpoint that is %s stays", name)
		}
	}
	for key, rows := range w.answers() {
		if want, known := before[key]; known && len(want) != len(rows) {
			t.Errorf("%s: %d rows, want %d", key, len(rows), len(want))
		}
	}
	w.sound()
}

// TestCheckpointAfterErrors: it is written although a type cannot be compacted.
func TestCheckpointAfterErrors(t *testing.T) {
	w := newWorld(t, format.EngineV1)
	for range 260 {
		w.put(1, thing)
	}
	w.replace(w.paths(thing)[7], []byte("PAR1"))
	if _, err := compaction.Compact(t.Context(), open(t, w), compaction.Options{Apply: true}); err == nil {
		t.Error("a damaged file is compacted")
	}
	if _, _, err := w.Get(t.Context(), format.CheckpointKey); err != nil {
		t.Error(err)
	}
}

// refusingKey refuses writes of one object.
type refusingKey struct {
	objstore.Bucket
	refusing *refusing
	key      string
}

func (b refusingKey) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	if key == b.key {
		return b.refusing.Put(ctx, key, body)
	}
	return b.Bucket.Put(ctx, key, body)
}
