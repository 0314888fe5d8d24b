package eventbus

import (
	"cmp"
	"time"

	"github.com/ontosql/ontosql/format"
)

// Status is the state of an event as its claims have it.
type Status uint8

// The states, in ascending precedence: one claim that is dead makes the event dead.
const (
	Pending Status = iota
	Claimed
	Acked
	DeadLettered
)

var statusNames = [...]string{"pending", "claimed", "acked", "dead_lettered"}

// String returns the original's word for the status.
func (s Status) String() string { return statusNames[s] }

// StatusOf is the status of an event with these claims, and the handler whose claim decides it: of
// a pending event the last one whose lease has ended, "" if it has no claim.
func StatusOf(claims []format.Claim, now time.Time) (Status, string) {
	status, handler := Pending, ""
	for i := range claims {
		if s := statusOf(&claims[i], now); s >= status {
			status, handler = s, claims[i].HandlerID
		}
	}
	return status, handler
}

func statusOf(c *format.Claim, now time.Time) Status {
	switch {
	case c.DeadLetteredAt != nil:
		return DeadLettered
	case c.AckAt != nil:
		return Acked
	case c.LeaseUntil.After(now):
		return Claimed
	}
	return Pending
}

// Compare orders events as they are delivered: by priority, the greatest first, then by created_at
// and id.
func Compare(a, b *format.Event) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.CreatedAt.Compare(b.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
}

// Add counts an event with these claims.
func (b *Backlog) Add(claims []format.Claim, now time.Time) {
	if b.Events == nil {
		b.Events = map[Status]int{}
	}
	status, _ := StatusOf(claims, now)
	b.Events[status]++
	for i := range claims {
		c := &claims[i]
		if Done(c) {
			continue
		}
		if c.LeaseUntil.After(now) {
			b.Leases++
		}
		if c.Attempts > 0 {
			b.Retries++
		}
	}
}
