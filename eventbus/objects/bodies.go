package objects

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// maxBodies bounds the bytes of events that a Bus keeps in memory.
const maxBodies = 16 << 20

// bodies are the events that were read last, so that the handlers of a worker read each only once.
// Its zero value is empty. It is safe for concurrent use.
type bodies struct {
	mu    sync.Mutex
	byKey map[string]*list.Element
	order list.List // of *body, the last used first
	size  int
}

type body struct {
	key     string
	event   *format.Event
	version objstore.Version
	size    int
}

func (b *bodies) get(key string) *body {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byKey[key]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	return e.Value.(*body)
}

// find returns the key of an event that is there, "" if it is not.
func (b *bodies) find(namespace, id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key := range b.byKey {
		if in, _, of, _ := format.ParseEventKey(key); of == id && in == namespace {
			return key
		}
	}
	return ""
}

func (b *bodies) put(new *body) {
	b.drop(new.key)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byKey == nil {
		b.byKey = map[string]*list.Element{}
	}
	b.byKey[new.key] = b.order.PushFront(new)
	b.size += new.size
	for b.size > maxBodies {
		b.remove(b.order.Back())
	}
}

// remember keeps an event that this process has written.
func (b *bodies) remember(e *format.Event) {
	b.put(&body{key: e.Key(), event: e, size: len(e.Payload) + bodySize})
}

// bodySize is about what an event needs in memory beside its payload.
const bodySize = 500

func (b *bodies) drop(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.byKey[key]; e != nil {
		b.remove(e)
	}
}

func (b *bodies) remove(e *list.Element) {
	old := b.order.Remove(e).(*body)
	delete(b.byKey, old.key)
	b.size -= old.size
}

// event returns the event at a key, nil if it does not exist. It may not exist any more if it was
// read before. A damaged one is a *ontosql.CorruptError.
func (b *Bus) event(ctx context.Context, key string) (*format.Event, error) {
	if known := b.bodies.get(key); known != nil {
		return known.event, nil
	}
	return b.currentEvent(ctx, key)
}

// currentEvent is event that makes sure that the object exists now.
func (b *Bus) currentEvent(ctx context.Context, key string) (*format.Event, error) {
	text, version, err := b.bucket.Get(ctx, key)
	if isMissing(err) {
		b.bodies.drop(key)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	if known := b.bodies.get(key); known != nil && known.version == version {
		return known.event, nil
	}
	e, err := format.DecodeEvent(key, text)
	if err != nil {
		return nil, err
	}
	if namespace, _, id, _ := format.ParseEventKey(key); e.ID != id || e.Namespace != namespace {
		return nil, ontosql.Corrupt(key, "id", "is event %q of namespace %q", e.ID, e.Namespace)
	}
	b.bodies.put(&body{key: key, event: e, version: version, size: len(text) + len(key)})
	return e, nil
}
