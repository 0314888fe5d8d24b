package outbox

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Stage returns the value of format.MetadataEvents for a commit that sends these events, in their
// order, nil for none: the events themselves, or, if they have more than format.MaxInlineEvents bytes,
// the key of an object in the folder of the attempt, which the committer writes before the swap
// (format.CommitEventsKey). object is the content of that one, nil if there is none. An attempt that
// does not become a commit sends nothing, and its folder is garbage as a whole.
func Stage(id ontosql.CommitID, attempt string, events []format.Event) (value json.RawMessage, object []byte, err error) {
	if len(events) == 0 {
		return nil, nil, nil
	}
	text, err := format.EncodeEvents(events)
	if err != nil {
		return nil, nil, err
	}
	if len(text) <= format.MaxInlineEvents {
		return text, nil, nil
	}
	return format.EventsKeyValue(format.CommitEventsKey(id, attempt)), text, nil
}

// Events returns the events that a commit sends. The error is a *ontosql.CorruptError, also for an
// object that is missing, or the store's.
func Events(ctx context.Context, b objstore.Bucket, path string, m *format.Manifest) ([]format.Event, error) {
	events, key, err := format.EventsOf(path, m)
	if err != nil || key == "" {
		return events, err
	}
	text, _, err := b.Get(ctx, key)
	if isMissing(err) {
		return nil, &ontosql.CorruptError{Key: key, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("read events of commit %d: %w", m.CommitID, err)
	}
	return format.DecodeEvents(key, text)
}
