package format

import (
	"encoding/json"

	"github.com/ontosql/ontosql"
)

// MaxInlineEvents is the number of bytes of events up to which they stand in the metadata of their
// commit, and not in an object of their own.
const MaxInlineEvents = 64 << 10

// CommitEventsKey is the key of the events of a commit that has more than MaxInlineEvents of them. It
// is in the folder of the attempt and never changes.
func CommitEventsKey(id ontosql.CommitID, attempt string) string {
	return CommitPrefix(id, attempt) + "events.json"
}

// EventsOf returns the events that a commit sends: those in its metadata, or the key of the object
// that has them. Both are empty if there are none. The error is a *ontosql.CorruptError with the path
// of the manifest.
func EventsOf(path string, m *Manifest) (events []Event, key string, err error) {
	raw, there := m.Metadata[MetadataEvents]
	if !there {
		return nil, "", nil
	}
	v, err := ParseJSON(raw)
	if err != nil {
		return nil, "", &ontosql.CorruptError{Key: path, Field: MetadataEvents, Err: err}
	}
	switch v.kind {
	case JSONString:
		f, _ := newObjectReader(path, "metadata", Object())
		f.storePath(MetadataEvents, v.text)
		return nil, v.text, f.err()
	case JSONArray:
		events, err = DecodeEvents(path, raw)
		return events, "", err
	}
	return nil, "", ontosql.Corrupt(path, MetadataEvents, "is %s", v.kind)
}

// EventsKeyValue is the metadata of a commit whose events are in the object at key.
func EventsKeyValue(key string) json.RawMessage { return canonicalJSON(String(key)) }

// EventsSentKey is the key of the mark up to which the events of commits were sent.
const EventsSentKey = "meta/ontosql/events_sent.json"

// EventsSent says that the events of all commits up to one were sent.
type EventsSent struct {
	CommitID     ontosql.CommitID
	ManifestPath string // of the commit, which tells its history from another one
	UpdatedAt    Time
}

// DecodeEventsSent reads meta/ontosql/events_sent.json. Its error is a *ontosql.CorruptError with the
// key.
func DecodeEventsSent(key string, body []byte) (*EventsSent, error) {
	f, err := readObject(key, body)
	if err != nil {
		return nil, err
	}
	s := &EventsSent{CommitID: f.commit("commit_id", 1), ManifestPath: f.text("manifest_path"), UpdatedAt: f.time("updated_at")}
	if f.err() != nil {
		return nil, f.err()
	}
	return s, nil
}

// EncodeEventsSent writes the mark.
func EncodeEventsSent(s *EventsSent) []byte {
	return encodeObject(
		Member{"commit_id", Int(int64(s.CommitID))},
		Member{"manifest_path", String(s.ManifestPath)},
		Member{"updated_at", String(s.UpdatedAt.String())},
	)
}
