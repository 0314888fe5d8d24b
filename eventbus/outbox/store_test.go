package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
)

// store is a bucket with a history, and a clock.
type store struct {
	*testing.T
	*mem.Bucket
	now    time.Time
	sender eventbus.Sender
}

func newStore(t *testing.T) *store {
	s := &store{T: t, Bucket: mem.New("outbox"), now: time.Date(2026, 2, 11, 12, 0, 0, 0, time.UTC)}
	s.sender.Now = func() time.Time { return s.now }
	return s
}

// outbox is an outbox that knows nothing yet, and reports nothing as damaged.
func (s *store) outbox(b objstore.Bucket) *outbox.Outbox {
	return s.outboxTo(b, func(err error) { s.Errorf("reported as damaged: %v", err) })
}

func (s *store) outboxTo(b objstore.Bucket, damaged func(error)) *outbox.Outbox {
	s.Helper()
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { log.Close() })
	return outbox.Open(outbox.Options{Bucket: b, Log: log, Now: func() time.Time { return s.now }, Damaged: damaged})
}

// look sends what was not sent, by an outbox that knows nothing.
func (s *store) look() {
	s.Helper()
	if err := s.outbox(s.Bucket).Look(s.Context()); err != nil {
		s.Fatalf("Look: %v", err)
	}
}

// prepare makes events.
func (s *store) prepare(payloads ...string) []format.Event {
	s.Helper()
	var all []eventbus.New
	for _, p := range payloads {
		all = append(all, eventbus.New{Namespace: "n", Type: "t", Payload: []byte(p)})
	}
	events, err := s.sender.Prepare(all)
	if err != nil {
		s.Fatal(err)
	}
	return events
}

// commit makes the next commit of a bucket, with these events in its metadata.
func (s *store) commit(b objstore.Bucket, events []format.Event) error {
	ctx := s.Context()
	head, version := &format.Head{}, objstore.Absent
	body, v, err := b.Get(ctx, format.HeadKey)
	if err == nil {
		version = v
		head, err = format.DecodeHead(format.HeadKey, body)
	}
	if err != nil && !errors.Is(err, objstore.ErrNotFound) {
		return err
	}
	id, attempt := head.CommitID+1, fmt.Sprintf("%08x", s.now.UnixNano()&0xffffffff)
	m := &format.Manifest{CommitID: id, CreatedAt: format.TimeOf(s.now), Metadata: map[string]json.RawMessage{}, RuntimeID: "r"}
	if id > 1 {
		parent := id - 1
		m.ParentCommitID, m.ParentManifestPath = &parent, head.ManifestPath
	}
	value, object, err := outbox.Stage(id, attempt, events)
	if err != nil {
		return err
	}
	if object != nil {
		if _, err := b.Put(ctx, format.CommitEventsKey(id, attempt), object); err != nil {
			return err
		}
	}
	if value != nil {
		m.Metadata[format.MetadataEvents] = value
	}
	text, err := format.EncodeManifest(m)
	if err != nil {
		return err
	}
	path := format.ManifestKey(id, attempt)
	if _, err := b.Put(ctx, path, text); err != nil {
		return err
	}
	_, err = b.Swap(ctx, format.HeadKey, version, format.EncodeHead(&format.Head{CommitID: id, ManifestPath: &path, RuntimeID: "r", UpdatedAt: m.CreatedAt}))
	return err
}

func (s *store) mustCommit(payloads ...string) []format.Event {
	s.Helper()
	s.now = s.now.Add(time.Minute)
	events := s.prepare(payloads...)
	if err := s.commit(s.Bucket, events); err != nil {
		s.Fatalf("commit: %v", err)
	}
	return events
}

// head is the id of the last commit.
func (s *store) head() ontosql.CommitID {
	body, _, err := s.Get(s.Context(), format.HeadKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return 0
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		s.Fatal(err)
	}
	return head.CommitID
}

func (s *store) keys(prefix string) []string {
	var keys []string
	_ = s.List(context.WithoutCancel(s.Context()), prefix, func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	return keys
}

// sent checks that these events are on the bus, and no others.
func (s *store) sent(story string, want ...[]format.Event) {
	s.Helper()
	left := map[string]bool{}
	for _, key := range s.keys(format.EventsPrefix) {
		left[key] = true
	}
	for _, events := range want {
		for i := range events {
			key := events[i].Key()
			body, _, err := s.Get(s.Context(), key)
			stored, encoded := format.EncodeEvent(&events[i])
			if err != nil || encoded != nil || string(body) != string(stored) {
				s.Errorf("%s: event %s: %s, %v", story, key, body, err)
			}
			delete(left, key)
		}
	}
	if len(left) > 0 {
		s.Errorf("%s: also sent: %v", story, left)
	}
}
