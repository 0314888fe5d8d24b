package eventbus

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/format"
)

// DefaultNamespace is the namespace of events for which none is named, as the original's.
const DefaultNamespace = "default"

// Bus keeps the events of one ontology. Other processes, the original's among them, work on the
// same events. All methods are safe for concurrent use. Times are those of the Bus's own clock.
//
// Names (namespaces, types, handlers, sessions) that the store cannot keep are a *NameError. Stored
// data that is damaged is reported to the Bus's Damaged function, once each, and left out; it fails
// no call. Other errors are those of the store.
type Bus interface {
	// Enqueue sends events and returns them as they are stored, in the given order, which is also
	// that of their created_at. It checks all before it sends the first (Prepare). After an error
	// of the store some may have been sent: the same call again sends them a second time.
	Enqueue(ctx context.Context, events []New) ([]format.Event, error)
	// Put stores events that are prepared already (Sender). One that is there is left alone, so
	// that the same call may be made again after an error.
	Put(ctx context.Context, events []format.Event) error

	// Claim leases free events to a session, the greatest priority first, then by created_at and
	// id. An event is free as Free says. A claim that somebody else makes first is skipped. If an
	// error of the store prevents further claims, those made are returned without it. An event
	// that another process has released early may be left out for a second (see the
	// implementation).
	Claim(ctx context.Context, r Request) ([]Delivery, error)
	// Ack marks a leased event as done for the handler. false means that there is no such claim,
	// that it is not l's, or that somebody else has changed it meanwhile: nothing was written. An
	// event that l has acknowledged before is true.
	Ack(ctx context.Context, l Lease) (bool, error)
	// Release gives a leased event back after a failure, for which the handler gets it again after
	// Backoff; after MaxAttempts it is a dead letter. reason is what the claim keeps as its last
	// error; "" is DefaultReason.
	Release(ctx context.Context, l Lease, reason string) (Released, error)
	// Fail is Release with another number of failed attempts after which the event is a dead letter;
	// 0 makes it one now.
	Fail(ctx context.Context, l Lease, reason string, attempts int64) (Released, error)
	// Extend renews a lease, to end after the given time from now. false is that of Ack; a lease
	// that has ended, and that nobody else has got, is renewed.
	Extend(ctx context.Context, l Lease, lease time.Duration) (bool, error)

	// Register stores a session and its first heartbeat. One that is there keeps its started_at.
	Register(ctx context.Context, s NewSession) error
	// Heartbeat stores that the session is alive. A session that is missing is registered without
	// metadata.
	Heartbeat(ctx context.Context, namespace, session string) error
	// Sessions returns the sessions of a namespace, the newest heartbeat first. See IsDead.
	Sessions(ctx context.Context, namespace string) ([]format.Session, error)

	// Replay sends a copy of an event, with an id, a time and a lineage of its own. The error is
	// ErrNoEvent if there is no such event.
	Replay(ctx context.Context, namespace, id string) (*format.Event, error)
	// Inspect returns the events with an id and all their claims, ordered by namespace. The
	// namespace "" means all. The error is ErrNoEvent if there is none.
	Inspect(ctx context.Context, namespace, id string) ([]Inspection, error)
	// List returns events with their status, in the order of Claim.
	List(ctx context.Context, q Query) ([]Listed, error)
	// Follow begins to follow the events of a namespace: those that are not there yet are new.
	Follow(ctx context.Context, namespace string) (Follower, error)
	// DeadLetters returns up to limit dead letters of a namespace, the newest first.
	DeadLetters(ctx context.Context, namespace string, limit int) ([]format.DeadLetter, error)
	// Cleanup removes the events that were created before a time, and their claims, whatever their
	// status. It returns the number of events. Dead letters and sessions stay.
	Cleanup(ctx context.Context, namespace string, before time.Time) (int, error)
	// Namespaces returns what is known of all namespaces without reading each claim, by name.
	Namespaces(ctx context.Context) ([]Namespace, error)
	// Backlog counts the events of a namespace by status. It reads all its claims.
	Backlog(ctx context.Context, namespace string) (Backlog, error)
}

// Follower finds the new events of a namespace, whoever sends them. It is for one goroutine.
type Follower interface {
	// New returns the events that are new since the last call, in the order in which they were sent
	// as far as the store tells. Each is returned once, unless an error prevents it: then the next
	// call returns it. One that arrives more than ten minutes later than its created_at says may be
	// found five minutes late.
	New(ctx context.Context) ([]format.Event, error)
}

// Request is what a worker asks for.
type Request struct {
	Namespace string
	Handler   string
	Types     []string      // of events; none means none
	Session   string        // who gets the leases
	Limit     int           // maximum number of events; 0 means DefaultLimit
	Lease     time.Duration // DefaultLease if 0
}

// The original's defaults (COMPAT 8).
const (
	DefaultLimit = 100
	DefaultLease = 30 * time.Second
)

// Lease says which claim is meant and that it must still be the same one. Session and ClaimedAt
// may be zero, which any claim matches: the original acknowledges and releases like that, and a
// worker whose lease was given to another one then takes it away.
type Lease struct {
	Namespace string
	Event     string // id
	Handler   string
	Session   string
	ClaimedAt format.Time
}

// Delivery is an event that a session has leased.
type Delivery struct {
	format.Event
	Lease    Lease
	Until    format.Time // end of the lease
	Attempts int64       // failed ones before
}

// Released says what became of a lease that was given back.
type Released struct {
	// Held is false if the lease was not held, as of Ack. Nothing was written then.
	Held        bool
	Dead        bool        // the event is a dead letter now
	Attempts    int64       // failed ones
	AvailableAt format.Time // when the handler gets the event again, unless it is dead
}

// NewSession is a session to be registered.
type NewSession struct {
	Namespace string
	ID        string
	Metadata  []byte // a JSON object; none if empty
}

// The original's rhythm of sessions.
const (
	HeartbeatEvery = 5 * time.Second // how often a session says that it is alive
	SessionTTL     = time.Minute     // how long it lives without a heartbeat
)

// Alive counts the sessions that are not dead.
func Alive(sessions []format.Session, now time.Time) int {
	alive := 0
	for i := range sessions {
		if !IsDead(&sessions[i], now, SessionTTL) {
			alive++
		}
	}
	return alive
}

// IsDead reports whether a session has not been heard of for longer than ttl.
func IsDead(s *format.Session, now time.Time, ttl time.Duration) bool {
	return now.Sub(s.LastHeartbeat.Time) > ttl
}

// Inspection is an event and its claims, by handler.
type Inspection struct {
	format.Event
	Claims []format.Claim
}

// Query selects the events of a list.
type Query struct {
	Namespace string
	From, To  time.Time // created_at from From, before To; zero means no bound
	Limit     int       // 0 means all
}

// Listed is an event in a list, with its claims by handler.
type Listed struct {
	Inspection
	Status  Status
	Handler string // whose claim decides the status; "" for a pending event without a claim
}

// Namespace is what Namespaces tells of one.
type Namespace struct {
	Name        string
	Events      int         // all, done ones included, as the original counts
	Unclaimed   int         // events that no handler has claimed yet
	Oldest      format.Time // created_at of the oldest of these; zero if there is none
	Claims      int         // of all handlers and states
	DeadLetters int
	Sessions    int
}

// Backlog counts the events of a namespace.
type Backlog struct {
	Events  map[Status]int // by status; none for 0
	Leases  int            // claims whose lease has not ended
	Retries int            // claims with failed attempts that are neither acknowledged nor dead
}

// Hinted is a Bus whose process sends events by other ways as well, with commits for example. Sent tells
// it of them, so that its own workers have them before they would be found. It does not keep the slice.
type Hinted interface {
	Sent(events []format.Event)
}
