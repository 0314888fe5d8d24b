package eventbus

import (
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/ontosql/ontosql/format"
)

// Bounds and defaults of events (COMPAT 8).
const (
	DefaultPriority = 100
	MaxDepth        = 20 // chain_depth of the last event of a chain
)

// New is an event to be sent.
type New struct {
	Namespace string
	Type      string
	Payload   []byte        // a JSON object
	Priority  *int64        // the greater, the earlier; nil means DefaultPriority
	Parent    *format.Event // the event that caused it; nil for none
}

// Sender gives events their ids and times. Its zero value needs Now. It is safe for concurrent
// use.
type Sender struct {
	Now func() time.Time

	mu   sync.Mutex
	last time.Time
}

// Prepare makes events of what is to be sent, with their times (Make and Stamp).
func (s *Sender) Prepare(all []New) ([]format.Event, error) {
	events := make([]format.Event, len(all))
	for i := range all {
		e, err := Make(&all[i])
		if err != nil {
			return nil, err
		}
		events[i] = e
	}
	s.Stamp(events)
	return events, nil
}

// Stamp gives events their times, which are greater than all that it gave before, by a microsecond
// at least, so that events keep their order.
func (s *Sender) Stamp(events []format.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range events {
		at := format.TimeOf(s.Now())
		if !at.After(s.last) {
			at = format.TimeOf(s.last.Add(time.Microsecond))
		}
		s.last = at.Time
		events[i].CreatedAt = at
	}
}

// Make makes an event of what is to be sent, with a new id and without a time. The error is a
// *NameError, or wraps ErrPayload or ErrTooDeep.
func Make(n *New) (format.Event, error) {
	e := format.Event{ID: uuid.NewString(), Namespace: n.Namespace, Type: n.Type, Priority: DefaultPriority}
	if err := CheckName("namespace", n.Namespace); err != nil {
		return e, err
	}
	if err := CheckName("type", n.Type); err != nil {
		return e, err
	}
	var err error
	if e.Payload, err = Document(n.Payload); err != nil {
		return e, fmt.Errorf("payload of %s: %w", n.Type, err)
	}
	if n.Priority != nil {
		e.Priority = *n.Priority
	}
	e.RootEventID = e.ID
	if n.Parent != nil {
		e.RootEventID, e.ChainDepth = n.Parent.RootEventID, n.Parent.ChainDepth+1
	}
	if e.ChainDepth > MaxDepth {
		return e, fmt.Errorf("event %s caused by event %s: %w", n.Type, n.Parent.ID, ErrTooDeep)
	}
	return e, nil
}

// Document is the canonical form of a JSON object that every store and PostgreSQL can keep: without
// U+0000, lone surrogates and numbers that are not finite. The error wraps ErrPayload.
func Document(text []byte) ([]byte, error) {
	v, err := format.ParseJSON(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	if v.Kind() != format.JSONObject {
		return nil, fmt.Errorf("%w: it is %s", ErrPayload, v.Kind())
	}
	canonical := v.Append(nil, format.Canonical)
	if !format.StrictJSON(canonical) {
		return nil, ErrNotStrict
	}
	return canonical, nil
}

// Replayed is what a replay of an event sends.
func Replayed(e *format.Event) New {
	return New{Namespace: e.Namespace, Type: e.Type, Payload: e.Payload, Priority: &e.Priority}
}
