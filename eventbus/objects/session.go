package objects

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Register implements eventbus.Bus.
func (b *Bus) Register(ctx context.Context, n eventbus.NewSession) error {
	if len(n.Metadata) == 0 {
		n.Metadata = []byte("{}")
	}
	metadata, err := eventbus.Document(n.Metadata)
	if err != nil {
		return fmt.Errorf("metadata of session %s: %w", n.ID, err)
	}
	return b.beat(ctx, n.Namespace, n.ID, func(s *format.Session) { s.Metadata = metadata })
}

// Heartbeat implements eventbus.Bus.
func (b *Bus) Heartbeat(ctx context.Context, namespace, session string) error {
	return b.beat(ctx, namespace, session, func(*format.Session) {})
}

// beat writes a session with a new heartbeat. If somebody else writes it meanwhile, that one's
// heartbeat is as good. A damaged session is written anew.
func (b *Bus) beat(ctx context.Context, namespace, id string, change func(*format.Session)) error {
	key := format.SessionKey(namespace, id)
	if err := CheckNamespace(namespace); err != nil {
		return err
	}
	if err := checkKey("session", id, key); err != nil {
		return err
	}
	s, version, err := read(ctx, b.bucket, key, format.DecodeSession)
	if err != nil && !b.damage.Skip(err) {
		return err
	}
	now := format.TimeOf(b.now())
	if s == nil {
		s = &format.Session{ID: id, StartedAt: now, Metadata: []byte("{}")}
	}
	s.Namespace, s.LastHeartbeat = namespace, now
	change(s)
	body, err := format.EncodeSession(s)
	if err != nil {
		return err
	}
	_, err = b.bucket.Swap(ctx, key, version, body)
	if err == nil || errors.Is(err, objstore.ErrPreconditionFailed) || errors.Is(err, objstore.ErrConflict) {
		return nil
	}
	return nameError("session", id, fmt.Errorf("write %s: %w", key, err))
}

// Sessions implements eventbus.Bus.
func (b *Bus) Sessions(ctx context.Context, namespace string) ([]format.Session, error) {
	if err := CheckNamespace(namespace); err != nil {
		return nil, err
	}
	all, err := readAll(ctx, b, format.SessionsPrefix+namespace+"/", format.DecodeSession)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s format.Session) bool { return s.Namespace != namespace })
	slices.SortFunc(all, func(x, y format.Session) int {
		return cmp.Or(y.LastHeartbeat.Compare(x.LastHeartbeat.Time), strings.Compare(x.ID, y.ID))
	})
	return all, nil
}

// readAll reads the objects below a prefix. It leaves out those that are damaged or removed
// meanwhile.
func readAll[T any](ctx context.Context, b *Bus, prefix string, decode func(string, []byte) (*T, error)) ([]T, error) {
	var keys []string
	if err := b.documents(ctx, prefix, func(key string) { keys = append(keys, key) }); err != nil {
		return nil, err
	}
	return readKeys(ctx, b, keys, decode)
}

// documents visits the keys of the JSON objects below a prefix.
func (b *Bus) documents(ctx context.Context, prefix string, visit func(key string)) error {
	err := b.bucket.List(ctx, prefix, func(o objstore.Object) error {
		if strings.HasSuffix(o.Key, ".json") {
			visit(o.Key)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", prefix, err)
	}
	return nil
}

// readKeys is readAll for given keys. The results have their order.
func readKeys[T any](ctx context.Context, b *Bus, keys []string, decode func(string, []byte) (*T, error)) ([]T, error) {
	found := make([]*T, len(keys))
	err := each(ctx, len(keys), func(ctx context.Context, i int) error {
		v, _, err := read(ctx, b.bucket, keys[i], decode)
		if err != nil {
			if b.damage.Skip(err) {
				return nil
			}
			return err
		}
		found[i] = v
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(found))
	for _, v := range found {
		if v != nil {
			all = append(all, *v)
		}
	}
	return all, nil
}
