package eventbus

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/ontosql/ontosql/format"
)

// MaxAttempts is the number of failed attempts after which an event is a dead letter, as the
// original's default.
const MaxAttempts = 10

// DefaultReason is the last error of a claim that was released without one.
const DefaultReason = "handler failure"

// DeadLetterType is the type of the event that tells of a dead letter.
const DeadLetterType = "event.dead_letter"

// Done reports whether the handler will not get the event again.
func Done(c *format.Claim) bool { return c.AckAt != nil || c.DeadLetteredAt != nil }

// FreeAt is the time from which a claim that is not Done may be made again.
func FreeAt(c *format.Claim) time.Time {
	if c.AvailableAt.After(c.LeaseUntil.Time) {
		return c.AvailableAt.Time
	}
	return c.LeaseUntil.Time
}

// Free reports whether an event may be claimed. c is the handler's claim, nil for none.
func Free(c *format.Claim, now time.Time) bool {
	return c == nil || !Done(c) && !FreeAt(c).After(now)
}

// Take is the claim by which a session leases an event. before is the claim that there is, nil for
// none; its attempts are kept, and the last error is cleared, as the original does on S3.
func (r *Request) Take(event string, before *format.Claim, now time.Time) *format.Claim {
	at := format.TimeOf(now)
	taken := &format.Claim{
		EventID: event, HandlerID: r.Handler, SessionID: r.Session, ClaimedAt: at,
		LeaseUntil: format.TimeOf(now.Add(cmp.Or(r.Lease, DefaultLease))), AvailableAt: at,
	}
	if before != nil {
		taken.Attempts, taken.AvailableAt = before.Attempts, before.AvailableAt
		if !at.After(before.ClaimedAt.Time) { // claimed_at tells two leases of one session apart
			taken.ClaimedAt = format.TimeOf(before.ClaimedAt.Add(time.Microsecond))
		}
	}
	return taken
}

// LeaseOf is the lease of a claim.
func LeaseOf(namespace string, c *format.Claim) Lease {
	return Lease{Namespace: namespace, Event: c.EventID, Handler: c.HandlerID, Session: c.SessionID, ClaimedAt: c.ClaimedAt}
}

// matches reports whether c is the claim that l means.
func (l *Lease) matches(c *format.Claim) bool {
	return (l.Session == "" || l.Session == c.SessionID) && (l.ClaimedAt.IsZero() || l.ClaimedAt.Equal(c.ClaimedAt.Time))
}

// Holds reports whether c is the claim that l means, not done, and not given back: a handler gets an
// event again after it was claimed only if the claim was released.
func (l *Lease) Holds(c *format.Claim) bool {
	return l.matches(c) && !Done(c) && !c.AvailableAt.After(c.ClaimedAt.Time)
}

// Acked reports whether c was acknowledged by l.
func (l *Lease) Acked(c *format.Claim) bool { return l.matches(c) && c.AckAt != nil }

// Ack is c as an acknowledgement leaves it.
func Ack(c format.Claim, now time.Time) *format.Claim {
	at := format.TimeOf(now)
	c.AckAt = &at
	return &c
}

// Extend is c with a lease that ends after the given time from now.
func Extend(c format.Claim, now time.Time, lease time.Duration) *format.Claim {
	c.LeaseUntil = format.TimeOf(now.Add(cmp.Or(lease, DefaultLease)))
	return &c
}

// Release is c after a failed attempt: to be made again after Backoff, or dead after that many.
func Release(c format.Claim, now time.Time, reason string, attempts int64) *format.Claim {
	at := format.TimeOf(now)
	reason = cmp.Or(reason, DefaultReason)
	c.Attempts++
	c.LastError, c.LeaseUntil = &reason, at
	if c.Attempts >= attempts {
		c.DeadLetteredAt = &at
	} else {
		c.AvailableAt = format.TimeOf(now.Add(Backoff(c.Attempts)))
	}
	return &c
}

// ReleasedTo says what a release made of a claim.
func ReleasedTo(c *format.Claim) Released {
	return Released{Held: true, Dead: c.DeadLetteredAt != nil, Attempts: c.Attempts, AvailableAt: c.AvailableAt}
}

// Backoff is how long a handler does not get an event after that many failed attempts:
// min(250 * 2^attempts, 30000) milliseconds and up to 100 more by chance (seed 000 section 15.3).
func Backoff(attempts int64) time.Duration {
	const base, most, jitter = 250 * time.Millisecond, 30 * time.Second, 100 * time.Millisecond
	wait := most
	if attempts < 7 { // 250 * 2^7 is more than 30000
		wait = base << max(attempts, 0)
	}
	return wait + rand.N(jitter+1)
}

// deadLetters is the name space of the ids of events that tell of dead letters.
var deadLetters = uuid.NewSHA1(uuid.NameSpaceOID, []byte("ontosql:"+DeadLetterType))

// DeadLetter is the letter of a claim that is dead, and the event that tells of it, nil if the dead event
// tells of another one at the end of a chain: a handler that fails at them does not go on for ever. Both
// follow from the claim and its event alone, so that whoever finishes the work of a worker that died
// writes the same ones.
func DeadLetter(e *format.Event, c *format.Claim) (format.DeadLetter, *format.Event) {
	letter := format.DeadLetter{
		EventID: e.ID, HandlerID: c.HandlerID, Namespace: e.Namespace, FailedAt: *c.DeadLetteredAt,
		Attempts: c.Attempts, LastError: DefaultReason, EventType: e.Type,
	}
	if c.LastError != nil {
		letter.LastError = *c.LastError
	}
	if e.Type == DeadLetterType && e.ChainDepth >= MaxDepth {
		return letter, nil
	}
	payload := format.Object(
		format.Member{Name: "attempts", Value: format.Int(c.Attempts)},
		format.Member{Name: "event_id", Value: format.String(e.ID)},
		format.Member{Name: "handler_id", Value: format.String(c.HandlerID)},
		format.Member{Name: "last_error", Value: format.String(letter.LastError)},
	)
	return letter, &format.Event{
		ID:        uuid.NewSHA1(deadLetters, []byte(e.Namespace+"\x00"+e.ID+"\x00"+c.HandlerID)).String(),
		Namespace: e.Namespace, Type: DeadLetterType, Payload: payload.Append(nil, format.Canonical),
		CreatedAt: letter.FailedAt, Priority: DefaultPriority, RootEventID: e.RootEventID, ChainDepth: e.ChainDepth + 1,
	}
}
