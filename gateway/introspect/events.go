package introspect

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
)

// byNamespace are the columns that narrow a relation whose rows are found namespace by namespace.
var byNamespace = []string{"namespace"}

var eventsRelation = &Relation{
	Name: "events", Shows: Events,
	About: "The events of the event bus, in no order. Conditions on namespace and created_at narrow what is read.",
	Columns: []Column{
		{"namespace", column.Text, "the namespace that it was sent to"},
		{"id", column.UUID, "its id"},
		{"type", column.Text, "its type"},
		{"payload", column.JSON, "what its sender says"},
		{"created_at", column.TimestampTZ, "when it was sent"},
		{"priority", column.Int64, "the greater, the earlier it is delivered"},
		{"root_event_id", column.UUID, "the first event of its chain; its own id if nothing caused it"},
		{"chain_depth", column.Int64, "how many events lie between it and the first one, which has 0"},
		{"status", column.Text, "pending, claimed, acked or dead_lettered"},
		{"handler_id", column.Text, "the handler whose claim decides the status; NULL without a claim"},
	},
	Narrowing: []string{"namespace", "created_at"},
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		return src.eachListed(ctx, func(e *eventbus.Listed) {
			b.Append(e.Namespace, EventID(e.ID), e.Type, string(e.Payload), e.CreatedAt.Time, e.Priority,
				EventID(e.RootEventID), e.ChainDepth, e.Status.String(), textOrNull(e.Handler))
		})
	},
}

var eventClaimsRelation = &Relation{
	Name: "event_claims", Shows: Events,
	About: "The claims of events: what each handler has made of each event that it was given.",
	Columns: []Column{
		{"namespace", column.Text, "the namespace of the event"},
		{"event_id", column.UUID, "the event"},
		{"handler_id", column.Text, "the handler"},
		{"session_id", column.Text, "the session of the event bus that has, or had, the lease"},
		{"claimed_at", column.TimestampTZ, "when it got the lease"},
		{"lease_until", column.TimestampTZ, "the end of the lease"},
		{"available_at", column.TimestampTZ, "when the handler may get the event again"},
		{"attempts", column.Int64, "failed attempts"},
		{"last_error", column.Text, "why the last attempt failed"},
		{"ack_at", column.TimestampTZ, "when the handler was done with the event"},
		{"dead_lettered_at", column.TimestampTZ, "when it was given up"},
	},
	Narrowing: byNamespace,
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		return src.eachListed(ctx, func(e *eventbus.Listed) {
			for i := range e.Claims {
				c := &e.Claims[i]
				var lastError any
				if c.LastError != nil {
					lastError = *c.LastError
				}
				b.Append(e.Namespace, EventID(c.EventID), c.HandlerID, c.SessionID, c.ClaimedAt.Time, c.LeaseUntil.Time, c.AvailableAt.Time,
					c.Attempts, lastError, storedTime(c.AckAt), storedTime(c.DeadLetteredAt))
			}
		})
	},
}

var deadLettersRelation = &Relation{
	Name: "dead_letters", Shows: Events,
	About: "The events that a handler gave up after its last attempt.",
	Columns: []Column{
		{"namespace", column.Text, "the namespace of the event"},
		{"event_id", column.UUID, "the event"},
		{"event_type", column.Text, "its type; NULL in buckets and directories, which do not keep it here"},
		{"handler_id", column.Text, "the handler"},
		{"attempts", column.Int64, "failed attempts"},
		{"last_error", column.Text, "why the last one failed"},
		{"failed_at", column.TimestampTZ, "when it was given up"},
	},
	Narrowing: byNamespace,
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		return src.eachNamespace(ctx, func(name string) error {
			letters, err := src.Events.DeadLetters(ctx, name, math.MaxInt32)
			for i := range letters {
				d := &letters[i]
				b.Append(d.Namespace, EventID(d.EventID), textOrNull(d.EventType), d.HandlerID, d.Attempts, d.LastError, d.FailedAt.Time)
			}
			return err
		})
	},
}

var eventSessionsRelation = &Relation{
	Name:  "event_sessions",
	About: "The sessions of the event bus: processes that claim events.",
	Columns: []Column{
		{"namespace", column.Text, "the namespace that it works on"},
		{"session_id", column.Text, "its name in claims"},
		{"started_at", column.TimestampTZ, "when it was first heard of"},
		{"last_heartbeat", column.TimestampTZ, "when it was last heard of"},
		{"is_dead", column.Bool, "whether that is more than a minute ago"},
		{"metadata", column.JSON, "what it says about itself"},
	},
	Narrowing: byNamespace,
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		now := time.Now()
		return src.eachNamespace(ctx, func(name string) error {
			sessions, err := src.Events.Sessions(ctx, name)
			for i := range sessions {
				s := &sessions[i]
				b.Append(s.Namespace, s.ID, s.StartedAt.Time, s.LastHeartbeat.Time, eventbus.IsDead(s, now, eventbus.SessionTTL), string(s.Metadata))
			}
			return err
		})
	},
}

var eventNamespacesRelation = &Relation{
	Name:  "event_namespaces",
	About: "What each namespace of the event bus has to do. The columns pending, leased and retries read all claims; the others only count.",
	Columns: []Column{
		{"namespace", column.Text, "its name"},
		{"pending", column.Int64, "events without a claim that holds, or is done: its depth"},
		{"events", column.Int64, "all events, those that are done included"},
		{"unclaimed", column.Int64, "events that no handler has claimed yet"},
		{"oldest_unclaimed_at", column.TimestampTZ, "when the oldest of these was sent"},
		{"claims", column.Int64, "claims of all handlers and states"},
		{"leased", column.Int64, "claims whose lease has not ended"},
		{"retries", column.Int64, "claims with failed attempts that are neither done nor given up"},
		{"dead_letters", column.Int64, "dead letters"},
		{"live_sessions", column.Int64, "sessions that were heard of in the last minute"},
	},
	Narrowing: byNamespace,
	Rows: func(ctx context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		if src.Events == nil {
			return nil
		}
		all, err := src.Events.Namespaces(ctx)
		if err != nil {
			return err
		}
		asked, narrowed := src.Asked.Equals["namespace"]
		for i := range all {
			n := &all[i]
			if narrowed && !slices.Contains(asked, n.Name) {
				continue
			}
			var backlog eventbus.Backlog
			if src.asks("pending", "leased", "retries") {
				if backlog, err = src.Events.Backlog(ctx, n.Name); err != nil {
					return err
				}
			}
			live := 0
			if src.asks("live_sessions") && n.Sessions > 0 {
				sessions, err := src.Events.Sessions(ctx, n.Name)
				if err != nil {
					return err
				}
				live = eventbus.Alive(sessions, time.Now())
			}
			b.Append(n.Name, int64(backlog.Events[eventbus.Pending]), int64(n.Events), int64(n.Unclaimed), timeOrNull(n.Oldest.Time),
				int64(n.Claims), int64(backlog.Leases), int64(backlog.Retries), int64(n.DeadLetters), int64(live))
		}
		return nil
	},
}

// asks reports whether the statement uses one of some columns.
func (s *Source) asks(columns ...string) bool {
	return slices.ContainsFunc(columns, func(name string) bool { return slices.Contains(s.Asked.Columns, name) })
}

// eachNamespace calls f for the namespaces that the statement asks for, or for all that there are.
func (s *Source) eachNamespace(ctx context.Context, f func(name string) error) error {
	if s.Events == nil {
		return nil
	}
	names, narrowed := s.Asked.Equals["namespace"]
	if !narrowed {
		all, err := s.Events.Namespaces(ctx)
		if err != nil {
			return err
		}
		for i := range all {
			names = append(names, all[i].Name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		err := f(name)
		if _, none := errors.AsType[*eventbus.NameError](err); none { // no namespace has this name
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachListed calls f for the events that the statement asks for.
func (s *Source) eachListed(ctx context.Context, f func(*eventbus.Listed)) error {
	return s.eachNamespace(ctx, func(name string) error {
		q := eventbus.Query{Namespace: name, From: s.Asked.From}
		if !s.Asked.To.IsZero() {
			q.To = s.Asked.To.Add(time.Microsecond) // it is exclusive
		}
		listed, err := s.Events.List(ctx, q)
		for i := range listed {
			f(&listed[i])
		}
		return err
	})
}

// EventID is the id of an event as a value of column.UUID, NULL for one that another writer gave no UUID.
func EventID(id string) any {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return nil
	}
	return [16]byte(parsed)
}

func storedTime(t *format.Time) any {
	if t == nil {
		return nil
	}
	return t.Time
}
