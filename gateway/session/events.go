package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/pgerr"
)

// Enqueue makes an event of the statement that runs (database.Caller). It is the transaction's when
// the statement has returned its rows.
func (c caller) Enqueue(call database.EnqueueCall) (string, error) {
	s := c.session
	if err := s.CheckWrites("ontosql.enqueue()"); err != nil {
		return "", err
	}
	of, err := s.known(s.Running.Ctx)
	if err == nil && of.RequireGrants {
		err = s.Role().CheckAction("enqueue", of.EventGrants)
	}
	if err != nil {
		return "", err
	}
	e := eventbus.New{Namespace: call.Namespace, Type: call.Type, Payload: []byte(call.Payload), Priority: call.Priority}
	if e.Namespace == "" {
		e.Namespace = eventbus.DefaultNamespace
	}
	if call.Parent != "" {
		var err error
		if e.Parent, err = s.event(e.Namespace, call.Parent); err != nil {
			return "", err
		}
	}
	event, err := eventbus.Make(&e)
	if err != nil {
		return "", sqlstate.OfEvent(err)
	}
	s.Deferred.mu.Lock()
	defer s.Deferred.mu.Unlock()
	s.Deferred.events = append(s.Deferred.events, event)
	return event.ID, nil
}

// lookUpTime bounds the search for the parent of an event.
const lookUpTime = 30 * time.Second

// event finds the event of an id: one that the transaction sends, or one on the bus. The error of one
// that does not exist is 23503.
func (s *Session) event(namespace, id string) (*format.Event, error) {
	s.Deferred.mu.Lock()
	own := slices.Concat(s.Tx.Events, s.Deferred.events)
	s.Deferred.mu.Unlock()
	for i := range own {
		if own[i].ID == id && own[i].Namespace == namespace {
			return &own[i], nil
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookUpTime) // the engine's threads have no context
	defer cancel()
	found, err := s.DB.Events.Inspect(ctx, namespace, id)
	switch {
	case errors.Is(err, eventbus.ErrNoEvent):
		return nil, pgerr.New(pgerr.ForeignKeyViolation, "the parent of an event does not exist").
			WithDetail("There is no event %s in the namespace %q.", id, namespace).
			WithHint("A parent is in the namespace of its event. Events that were cleaned up do not exist any more.").Because(err)
	case err != nil:
		return nil, sqlstate.Of(ctx, s.Log, fmt.Errorf("find the parent of an event: %w", sqlstate.OfEvent(err)))
	}
	return &found[0].Event, nil
}

// TakeEvents makes the events of the statements that have run the transaction's.
func (s *Session) TakeEvents() { s.Tx.Events = append(s.Tx.Events, s.Deferred.takeEvents(0)...) }

// DropEvents forgets the events of the statement that runs, from a number on: it runs again.
func (s *Session) DropEvents(from int) { s.Deferred.takeEvents(from) }

// EventsMade is the number of events that the statement has made.
func (s *Session) EventsMade() int {
	s.Deferred.mu.Lock()
	defer s.Deferred.mu.Unlock()
	return len(s.Deferred.events)
}

// takeEvents removes and returns the events from a number on.
func (f *deferredCalls) takeEvents(from int) []format.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	from = min(from, len(f.events))
	taken := f.events[from:]
	f.events = slices.Clip(f.events[:from])
	return taken
}
