package compaction

import (
	"context"
	"errors"
	"log/slog"

	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// checkpointGrowth is by which part of itself a checkpoint must have grown to be written again.
const checkpointGrowth = 1.0 / 50

// checkpoint writes the manifests up to the head for readers that have none (decision A65), if the
// one in the store is much shorter, damaged or of another history. Readers can do without it, so that
// an error is only logged.
func (c *compactor) checkpoint(ctx context.Context) {
	if c.pin.View.Len() < chain.MinCheckpoint {
		return
	}
	stored, _, err := c.Bucket.Get(ctx, format.CheckpointKey)
	if err == nil || errors.Is(err, objstore.ErrNotFound) {
		body := c.pin.View.Checkpoint()
		if float64(len(body)) < float64(len(stored))*(1+checkpointGrowth) && c.pin.View.Holds(stored) {
			return
		}
		_, err = c.Bucket.Put(ctx, format.CheckpointKey, body)
	}
	if err != nil && c.Logger != nil {
		c.Logger.LogAttrs(ctx, slog.LevelWarn, "checkpoint of manifests not written", slog.Any("error", err))
	}
}
