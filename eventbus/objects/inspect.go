package objects

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Inspect implements eventbus.Bus.
func (b *Bus) Inspect(ctx context.Context, namespace, id string) ([]eventbus.Inspection, error) {
	prefix := format.EventsPrefix
	if namespace != "" {
		if err := CheckNamespace(namespace); err != nil {
			return nil, err
		}
		prefix += namespace + "/"
	}
	if err := checkKey("event id", id, format.ClaimKey("n", id, "h")); err != nil {
		return nil, err
	}
	var keys []string
	err := b.bucket.List(ctx, prefix, func(o objstore.Object) error {
		if in, _, of, _ := format.ParseEventKey(o.Key); of == id && (namespace == "" || in == namespace) {
			keys = append(keys, o.Key)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	var found []eventbus.Inspection
	for _, key := range keys {
		e, err := b.currentEvent(ctx, key)
		if err != nil && !b.damage.Skip(err) {
			return nil, err
		}
		if e == nil {
			continue
		}
		claims, err := b.claimsOf(ctx, e)
		if err != nil {
			return nil, err
		}
		found = append(found, eventbus.Inspection{Event: *e, Claims: claims})
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: %s", eventbus.ErrNoEvent, id)
	}
	slices.SortStableFunc(found, func(x, y eventbus.Inspection) int { return strings.Compare(x.Namespace, y.Namespace) })
	return found, nil
}

// claimsOf returns the claims of one event, by handler.
func (b *Bus) claimsOf(ctx context.Context, e *format.Event) ([]format.Claim, error) {
	claims, err := readAll(ctx, b, format.ClaimsPrefix+e.Namespace+"/"+e.ID+"/", format.DecodeClaim)
	if err != nil {
		return nil, err
	}
	return sortedClaims(slices.DeleteFunc(claims, func(c format.Claim) bool { return c.EventID != e.ID })), nil
}

func sortedClaims(claims []format.Claim) []format.Claim {
	slices.SortFunc(claims, func(x, y format.Claim) int { return strings.Compare(x.HandlerID, y.HandlerID) })
	return claims
}

// List implements eventbus.Bus. It reads all events within the bounds of the query, and the claims
// of those that it returns.
func (b *Bus) List(ctx context.Context, q eventbus.Query) ([]eventbus.Listed, error) {
	if err := CheckNamespace(q.Namespace); err != nil {
		return nil, err
	}
	events, err := b.eventsOf(ctx, &q)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(events, func(x, y *format.Event) int { return eventbus.Compare(x, y) })
	if q.Limit > 0 {
		events = events[:min(len(events), q.Limit)]
	}
	claims, err := b.claimsOfAll(ctx, q.Namespace, events)
	if err != nil {
		return nil, err
	}
	now := b.now()
	listed := make([]eventbus.Listed, len(events))
	for i, e := range events {
		of := claims[e.ID]
		listed[i].Inspection = eventbus.Inspection{Event: *e, Claims: of}
		listed[i].Status, listed[i].Handler = eventbus.StatusOf(of, now)
	}
	return listed, nil
}

// eventsOf reads the events within the bounds of a query, in the order of their keys.
func (b *Bus) eventsOf(ctx context.Context, q *eventbus.Query) ([]*format.Event, error) {
	after := ""
	if !q.From.IsZero() {
		after = format.EventKeyFrom(q.Namespace, q.From)
	}
	var keys []string
	err := b.listEvents(ctx, q.Namespace, after, func(k eventKey) error {
		if !q.To.IsZero() && !k.createdAt.Before(q.To) {
			return errStop
		}
		if !k.createdAt.IsZero() && k.createdAt.Before(q.From) { // in the second of From
			return nil
		}
		keys = append(keys, k.Key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make([]*format.Event, len(keys))
	err = each(ctx, len(keys), func(ctx context.Context, i int) (err error) {
		found[i], err = b.event(ctx, keys[i])
		if err != nil && b.damage.Skip(err) {
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found, func(e *format.Event) bool {
		return e == nil || !q.From.IsZero() && e.CreatedAt.Before(q.From) || !q.To.IsZero() && !e.CreatedAt.Before(q.To)
	}), nil
}

// claimsOfAll reads the claims of events of a namespace, by event.
func (b *Bus) claimsOfAll(ctx context.Context, namespace string, events []*format.Event) (map[string][]format.Claim, error) {
	of := make(map[string][]format.Claim, len(events))
	for _, e := range events {
		of[e.ID] = nil
	}
	if len(events) < listClaimsFrom {
		for _, e := range events {
			claims, err := b.claimsOf(ctx, e)
			if err != nil {
				return nil, err
			}
			of[e.ID] = claims
		}
		return of, nil
	}
	var keys []string
	prefix := format.ClaimsPrefix + namespace + "/"
	err := b.documents(ctx, prefix, func(key string) {
		event, _, _ := strings.Cut(key[len(prefix):], "/")
		if _, wanted := of[event]; wanted {
			keys = append(keys, key)
		}
	})
	if err != nil {
		return nil, err
	}
	claims, err := readKeys(ctx, b, keys, format.DecodeClaim)
	if err != nil {
		return nil, err
	}
	for _, c := range sortedClaims(claims) {
		if before, wanted := of[c.EventID]; wanted {
			of[c.EventID] = append(before, c)
		}
	}
	return of, nil
}

// Backlog implements eventbus.Bus.
func (b *Bus) Backlog(ctx context.Context, namespace string) (eventbus.Backlog, error) {
	if err := CheckNamespace(namespace); err != nil {
		return eventbus.Backlog{}, err
	}
	var events []*format.Event
	err := b.listEvents(ctx, namespace, "", func(k eventKey) error {
		events = append(events, &format.Event{ID: k.id, Namespace: namespace})
		return nil
	})
	if err != nil {
		return eventbus.Backlog{}, err
	}
	claims, err := b.claimsOfAll(ctx, namespace, events)
	if err != nil {
		return eventbus.Backlog{}, err
	}
	var backlog eventbus.Backlog
	now := b.now()
	for _, e := range events {
		backlog.Add(claims[e.ID], now)
	}
	return backlog, nil
}

// DeadLetters implements eventbus.Bus. The type of the event is empty, unless another writer has
// added it.
func (b *Bus) DeadLetters(ctx context.Context, namespace string, limit int) ([]format.DeadLetter, error) {
	if err := CheckNamespace(namespace); err != nil {
		return nil, err
	}
	all, err := readAll(ctx, b, format.DeadLettersPrefix+namespace+"/", format.DecodeDeadLetter)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(d format.DeadLetter) bool { return d.Namespace != namespace })
	slices.SortFunc(all, func(x, y format.DeadLetter) int {
		return cmp.Or(y.FailedAt.Compare(x.FailedAt.Time), strings.Compare(x.EventID, y.EventID), strings.Compare(x.HandlerID, y.HandlerID))
	})
	return all[:min(len(all), limit)], nil
}

// Namespaces implements eventbus.Bus. It lists the keys of all event data and reads none. A
// namespace is one that has events or sessions.
func (b *Bus) Namespaces(ctx context.Context) ([]eventbus.Namespace, error) {
	n := namespaces{of: map[string]*eventbus.Namespace{}, events: map[[2]string]*sentEvent{}}
	for _, step := range []struct {
		prefix string
		add    func(key string)
	}{
		{format.EventsPrefix, n.addEvent},
		{format.SessionsPrefix, n.addSession},
		{format.ClaimsPrefix, n.addClaim},
		{format.DeadLettersPrefix, n.addDeadLetter},
	} {
		if err := b.documents(ctx, step.prefix, step.add); err != nil {
			return nil, err
		}
	}
	return n.all(), nil
}

// namespaces counts the keys of event data.
type namespaces struct {
	of map[string]*eventbus.Namespace
	// events are those that are there, by namespace and id.
	events map[[2]string]*sentEvent
}

type sentEvent struct {
	at      format.Time
	claimed bool
}

func (n *namespaces) named(name string) *eventbus.Namespace {
	if n.of[name] == nil {
		n.of[name] = &eventbus.Namespace{Name: name}
	}
	return n.of[name]
}

func (n *namespaces) addEvent(key string) {
	if name, at, id, ok := format.ParseEventKey(key); ok {
		n.named(name).Events++
		n.events[[2]string{name, id}] = &sentEvent{at: at}
	}
}

func (n *namespaces) addSession(key string) {
	if slash := strings.LastIndexByte(key, '/'); slash >= len(format.SessionsPrefix) {
		n.named(key[len(format.SessionsPrefix):slash]).Sessions++
	}
}

func (n *namespaces) addClaim(key string) {
	if name, id := n.split(key[len(format.ClaimsPrefix):]); name != nil {
		name.Claims++
		if e := n.events[[2]string{name.Name, id}]; e != nil {
			e.claimed = true
		}
	}
}

func (n *namespaces) addDeadLetter(key string) {
	if name, _ := n.split(key[len(format.DeadLettersPrefix):]); name != nil {
		name.DeadLetters++
	}
}

// split finds the namespace and the event of NAMESPACE/EVENT/HANDLER.json. Both the first and the
// last part may have slashes: it is the longest namespace for which a part is left for the event,
// unless the event of a shorter one is known.
func (n *namespaces) split(rest string) (longest *eventbus.Namespace, event string) {
	for at := range len(rest) {
		if rest[at] != '/' {
			continue
		}
		name := n.of[rest[:at]]
		id, _, more := strings.Cut(rest[at+1:], "/")
		if name == nil || !more {
			continue
		}
		longest, event = name, id
		if n.events[[2]string{name.Name, id}] != nil {
			break
		}
	}
	return longest, event
}

func (n *namespaces) all() []eventbus.Namespace {
	for of, e := range n.events {
		if e.claimed {
			continue
		}
		name := n.of[of[0]]
		name.Unclaimed++
		if name.Oldest.IsZero() || !e.at.IsZero() && e.at.Before(name.Oldest.Time) {
			name.Oldest = e.at
		}
	}
	all := make([]eventbus.Namespace, 0, len(n.of))
	for _, name := range n.of {
		all = append(all, *name)
	}
	slices.SortFunc(all, func(x, y eventbus.Namespace) int { return strings.Compare(x.Name, y.Name) })
	return all
}
