package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus/outbox"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/spool"
	"github.com/ontosql/ontosql/sqlite/bulk"
)

// Events calls visit for the current event data as objects: events, claims, dead letters,
// sessions. Objects removed in the meantime are skipped. Events of commits that were not sent yet are
// visited too, as if they were.
func (b *Bucket) Events(ctx context.Context, visit func(key string, body []byte) error) error {
	unsent, err := outbox.Unsent(ctx, b.bucket, b.pin.View) // before the listing: what is sent later is in one of them
	if err != nil {
		return err
	}
	visited := map[string]bool{}
	for i := range unsent {
		visited[unsent[i].Key()] = true
		body, err := format.EncodeEvent(&unsent[i])
		if err != nil {
			return fmt.Errorf("event %s: %w", unsent[i].ID, err)
		}
		if err := visit(unsent[i].Key(), body); err != nil {
			return err
		}
	}
	for _, prefix := range format.EventPrefixes {
		var keys []string
		err := b.bucket.List(ctx, prefix, func(o objstore.Object) error {
			if !visited[o.Key] {
				keys = append(keys, o.Key)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("list event data: %w", err)
		}
		open := func(ctx context.Context, key string) (*spool.Spool, error) {
			s, _, err := spools(b.temp).Fetch(ctx, b.bucket, key, "")
			if errors.Is(err, objstore.ErrNotFound) {
				return &spool.Spool{}, nil
			}
			return s, err
		}
		err = spool.Prefetch(ctx, keys, open, func(key string, s *spool.Spool) error {
			body := make([]byte, s.Size())
			if len(body) == 0 {
				return nil
			}
			if _, err := s.ReadAt(body, 0); err != nil {
				return fmt.Errorf("read %s: %w", key, err)
			}
			return visit(key, body)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Events calls visit for the current event data as objects of a bucket.
func (t *Tables) Events(ctx context.Context, visit func(key string, body []byte) error) error {
	return bulk.EventObjects(ctx, t.db, visit)
}

// eventSums has the checksums of event data, to compare the copy with.
type eventSums map[string]string

// add records an object.
func (e eventSums) add(key string, body []byte) error {
	name, v, err := eventName(key, body)
	if err == nil {
		e[name] = sumOf(v.Append(nil, format.Canonical))
	}
	return err
}

// eventName returns the name and the content by which an object is compared, restricted to
// what both storage forms have: the key of a claim has a namespace that rows lack, and the row
// of a dead letter has more of its event.
func eventName(key string, body []byte) (string, format.Value, error) {
	v, err := format.ParseJSON(body)
	if err != nil {
		return "", v, &ontosql.CorruptError{Key: key, Err: err}
	}
	if strings.HasPrefix(key, format.ClaimsPrefix) {
		key = format.ClaimKey("", textOf(v, "event_id"), textOf(v, "handler_id"))
	}
	if strings.HasPrefix(key, format.DeadLettersPrefix) {
		var members []format.Member
		for name, member := range v.Members() {
			switch name {
			case "event_type", "event_payload", "root_event_id", "chain_depth":
			default:
				members = append(members, format.Member{Name: name, Value: member})
			}
		}
		v = format.Object(members...)
	}
	return key, v, nil
}

// compare checks that the copy has all of e. It may have more.
func (e eventSums) compare(copied eventSums) error {
	for _, key := range slices.Sorted(maps.Keys(e)) {
		if copied[key] != e[key] {
			return &mismatch{key}
		}
	}
	return nil
}

// metadataOf is the metadata of a commit in a copy that has the events of all commits among its event
// data (Bucket.Events), and not to be sent.
func metadataOf(m *format.Manifest) map[string]json.RawMessage {
	if _, there := m.Metadata[format.MetadataEvents]; !there {
		return m.Metadata
	}
	copied := maps.Clone(m.Metadata)
	delete(copied, format.MetadataEvents)
	return copied
}
