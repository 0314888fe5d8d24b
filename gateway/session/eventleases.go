package session

import (
	"time"

	"github.com/google/uuid"

	"github.com/ontosql/ontosql/eventbus"
)

// EventLeases are the leases of events that a session has got. Its zero value is ready. A session
// needs none of them to acknowledge an event; they say in which namespace it is, and that a lease
// that was given back or lost meanwhile is not held.
type EventLeases struct {
	name   string                       // of the session on the event bus; "" before the first claim
	leases map[[2]string]eventbus.Lease // by event and handler
	beats  map[[2]string]time.Time      // last heartbeats, by namespace and session
}

// mostLeases is the number of leases that are remembered.
const mostLeases = 10_000

// Session is the name of the session on the event bus.
func (l *EventLeases) Session() string {
	if l.name == "" {
		l.name = "sql-" + uuid.NewString()
	}
	return l.name
}

// Took remembers a lease.
func (l *EventLeases) Took(lease eventbus.Lease) {
	if l.leases == nil || len(l.leases) >= mostLeases {
		l.leases = map[[2]string]eventbus.Lease{}
	}
	l.leases[[2]string{lease.Event, lease.Handler}] = lease
}

// Lease is the lease that a handler has of an event. A namespace and a session that are empty are
// those of the lease that the session remembers, or the defaults.
func (l *EventLeases) Lease(event, handler, namespace, session string) eventbus.Lease {
	own, known := l.leases[[2]string{event, handler}]
	if known && (namespace == "" || namespace == own.Namespace) && (session == "" || session == own.Session) {
		return own
	}
	lease := eventbus.Lease{Namespace: namespace, Event: event, Handler: handler, Session: session}
	if lease.Namespace == "" {
		lease.Namespace = eventbus.DefaultNamespace
	}
	if lease.Session == "" {
		lease.Session = l.Session()
	}
	return lease
}

// Beats reports whether a session on the event bus is to be registered in a namespace, or is to
// tell that it is alive, and notes that it was.
func (l *EventLeases) Beats(namespace, session string, now time.Time) (register, alive bool) {
	key := [2]string{namespace, session}
	last, known := l.beats[key]
	if known && now.Sub(last) < eventbus.HeartbeatEvery {
		return false, false
	}
	if l.beats == nil || len(l.beats) >= mostLeases {
		l.beats = map[[2]string]time.Time{}
	}
	l.beats[key] = now
	return !known, known
}
