package objects

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

func isMissing(err error) bool { return errors.Is(err, objstore.ErrNotFound) }

// Enqueue implements eventbus.Bus.
func (b *Bus) Enqueue(ctx context.Context, all []eventbus.New) ([]format.Event, error) {
	for i := range all {
		if err := CheckNamespace(all[i].Namespace); err != nil {
			return nil, err
		}
	}
	events, err := b.sender.Prepare(all)
	if err != nil {
		return nil, err
	}
	if err := b.Put(ctx, events); err != nil {
		return nil, err
	}
	return events, nil
}

// Put implements eventbus.Bus.
func (b *Bus) Put(ctx context.Context, events []format.Event) error {
	err := each(ctx, len(events), func(ctx context.Context, i int) error { return Put(ctx, b.bucket, &events[i]) })
	if err == nil {
		b.Sent(events)
	}
	return err
}

// Sent tells the Bus of events that this process has put into the bucket, so that its own workers and
// followers need not list and read them. It does not keep the slice.
func (b *Bus) Sent(events []format.Event) {
	fresh := make([]*format.Event, len(events))
	for i, e := range events {
		fresh[i] = &e
		b.bodies.remember(&e)
	}
	b.arrived.add(fresh)
}

// Put writes an event under its key, unless it is there. Writing an event again does nothing,
// whoever wrote it first. The error is a *eventbus.NameError or the store's.
func Put(ctx context.Context, b objstore.Bucket, e *format.Event) error {
	body, err := format.EncodeEvent(e)
	if err != nil {
		return fmt.Errorf("%w: %w", eventbus.ErrPayload, err)
	}
	return nameError("namespace", e.Namespace, create(ctx, b, e.Key(), body))
}

// Replay implements eventbus.Bus.
func (b *Bus) Replay(ctx context.Context, namespace, id string) (*format.Event, error) {
	key, err := b.find(ctx, namespace, id)
	if err != nil {
		return nil, err
	}
	e, err := b.currentEvent(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("replay event: %w", err)
	}
	if e == nil {
		return nil, fmt.Errorf("%w: %s in namespace %s", eventbus.ErrNoEvent, id, namespace)
	}
	sent, err := b.Enqueue(ctx, []eventbus.New{eventbus.Replayed(e)})
	if err != nil {
		return nil, err
	}
	return &sent[0], nil
}

// find returns the key of an event. The error is eventbus.ErrNoEvent if there is none.
func (b *Bus) find(ctx context.Context, namespace, id string) (string, error) {
	if err := CheckNamespace(namespace); err != nil {
		return "", err
	}
	found := ""
	err := b.listEvents(ctx, namespace, "", func(k eventKey) error {
		if k.id != id {
			return nil
		}
		found = k.Key
		return errStop
	})
	if err == nil && found == "" {
		err = fmt.Errorf("%w: %s in namespace %s", eventbus.ErrNoEvent, id, namespace)
	}
	return found, err
}

// errStop ends a listing.
var errStop = errors.New("enough")

// eventKey is a listed object of an event.
type eventKey struct {
	objstore.Object
	namespace string
	createdAt format.Time // zero if the key does not tell it
	id        string
}

// listEvents calls visit for the events of a namespace in the order of their keys, which is that of
// created_at, from the key after on. If visit returns errStop, the listing ends without an error.
func (b *Bus) listEvents(ctx context.Context, namespace, after string, visit func(eventKey) error) error {
	prefix := format.EventsPrefix + namespace + "/"
	err := objstore.ListFrom(ctx, b.bucket, prefix, after, func(o objstore.Object) error {
		if o.Key[len(prefix):] > ":" { // behind the last digit: namespaces whose names begin with this one's
			return errStop
		}
		if strings.Contains(o.Key[len(prefix):], "/") {
			return nil
		}
		k := eventKey{Object: o}
		var ok bool
		if k.namespace, k.createdAt, k.id, ok = format.ParseEventKey(o.Key); !ok {
			return nil
		}
		return visit(k)
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("list events: %w", err)
	}
	return nil
}
