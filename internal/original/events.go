package original

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Worker is one process of the original that works on the events of a namespace in a bucket (COMPAT
// 8), with its weaknesses: it reads all events at each claim, writes a dead letter and its event
// before it knows whether the claim is still its own, gives that event a root of its own, and dies of
// an event whose type it does not know after it has claimed it.
type Worker struct {
	Bucket    objstore.Bucket
	Namespace string
	Session   string
	Now       func() time.Time
	// Unknown is an event type without a class; "" for none.
	Unknown string
	// BeforeSwap, if set, is called between the dead letter and the claim that says so.
	BeforeSwap func()
}

// ErrUnknownType: the type of a claimed event has no class.
var ErrUnknownType = errors.New("original: unregistered event type")

// maxAttempts and leaseTime are its defaults.
const (
	maxAttempts = 10
	leaseTime   = 30 * time.Second
)

// Enqueue sends an event.
func (w *Worker) Enqueue(ctx context.Context, eventType, payload string) (*format.Event, error) {
	id := uuid.NewString()
	return w.put(ctx, &format.Event{ID: id, Type: eventType, Payload: []byte(payload), RootEventID: id})
}

func (w *Worker) put(ctx context.Context, e *format.Event) (*format.Event, error) {
	e.Namespace, e.Priority, e.CreatedAt = w.Namespace, 100, format.TimeOf(w.Now())
	body, err := format.EncodeEvent(e)
	if err != nil {
		return nil, err
	}
	_, err = w.Bucket.Put(ctx, e.Key(), body)
	return e, err
}

// Claim leases up to limit events of a type to its session.
func (w *Worker) Claim(ctx context.Context, handler, eventType string, limit int) ([]format.Event, error) {
	var events []format.Event
	var keys []string
	err := w.Bucket.List(ctx, format.EventsPrefix+w.Namespace+"/", func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		body, _, err := w.Bucket.Get(ctx, key)
		if errors.Is(err, objstore.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e, err := format.DecodeEvent(key, body)
		if err != nil {
			return nil, err
		}
		if e.Type == eventType {
			events = append(events, *e)
		}
	}
	slices.SortFunc(events, func(x, y format.Event) int {
		return cmp.Or(cmp.Compare(y.Priority, x.Priority), x.CreatedAt.Compare(y.CreatedAt.Time), strings.Compare(x.ID, y.ID))
	})
	var taken []format.Event
	for _, e := range events {
		if len(taken) == limit {
			break
		}
		got, err := w.claimOne(ctx, handler, e.ID)
		if err != nil {
			return nil, err
		}
		if !got {
			continue
		}
		if e.Type == w.Unknown {
			return nil, fmt.Errorf("%w: %s", ErrUnknownType, e.Type)
		}
		taken = append(taken, e)
	}
	return taken, nil
}

func (w *Worker) claimOne(ctx context.Context, handler, id string) (bool, error) {
	key := format.ClaimKey(w.Namespace, id, handler)
	c, version, err := w.claim(ctx, key)
	if err != nil {
		return false, err
	}
	now := format.TimeOf(w.Now())
	if c == nil {
		c = &format.Claim{EventID: id, HandlerID: handler, AvailableAt: now}
	} else if c.AckAt != nil || c.DeadLetteredAt != nil || c.LeaseUntil.After(now.Time) || c.AvailableAt.After(now.Time) {
		return false, nil
	}
	c.SessionID, c.ClaimedAt, c.LeaseUntil, c.LastError = w.Session, now, format.TimeOf(now.Add(leaseTime)), nil
	return w.swap(ctx, key, version, c)
}

// Ack marks a claim as done, whoever has it.
func (w *Worker) Ack(ctx context.Context, handler, id string) error {
	key := format.ClaimKey(w.Namespace, id, handler)
	c, version, err := w.claim(ctx, key)
	if err != nil || c == nil {
		return err
	}
	now := format.TimeOf(w.Now())
	c.AckAt = &now
	_, err = w.swap(ctx, key, version, c)
	return err
}

// Release gives a claim back, whoever has it.
func (w *Worker) Release(ctx context.Context, handler, id, reason string) error {
	key := format.ClaimKey(w.Namespace, id, handler)
	c, version, err := w.claim(ctx, key)
	if err != nil || c == nil {
		return err
	}
	now := format.TimeOf(w.Now())
	c.Attempts++
	c.LastError, c.LeaseUntil = &reason, now
	if c.Attempts < maxAttempts {
		wait := min(250*time.Millisecond<<c.Attempts, 30*time.Second) + rand.N(100*time.Millisecond)
		c.AvailableAt = format.TimeOf(now.Add(wait))
	} else {
		c.DeadLetteredAt = &now
		if err := w.bury(ctx, c); err != nil {
			return err
		}
	}
	if w.BeforeSwap != nil {
		w.BeforeSwap()
	}
	_, err = w.swap(ctx, key, version, c)
	return err
}

func (w *Worker) bury(ctx context.Context, c *format.Claim) error {
	letter := format.DeadLetter{
		EventID: c.EventID, HandlerID: c.HandlerID, Namespace: w.Namespace, FailedAt: *c.DeadLetteredAt, Attempts: c.Attempts, LastError: *c.LastError,
	}
	if _, err := w.Bucket.Put(ctx, format.DeadLetterKey(w.Namespace, c.EventID, c.HandlerID), format.EncodeDeadLetter(&letter)); err != nil {
		return err
	}
	payload := format.Object(
		format.Member{Name: "attempts", Value: format.Int(c.Attempts)}, format.Member{Name: "event_id", Value: format.String(c.EventID)},
		format.Member{Name: "handler_id", Value: format.String(c.HandlerID)}, format.Member{Name: "last_error", Value: format.String(*c.LastError)},
	)
	_, err := w.Enqueue(ctx, "event.dead_letter", string(payload.Append(nil, format.Canonical)))
	return err
}

func (w *Worker) claim(ctx context.Context, key string) (*format.Claim, objstore.Version, error) {
	body, version, err := w.Bucket.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent, nil
	}
	if err != nil {
		return nil, version, err
	}
	c, err := format.DecodeClaim(key, body)
	return c, version, err
}

// swap reports whether nobody else was first.
func (w *Worker) swap(ctx context.Context, key string, version objstore.Version, c *format.Claim) (bool, error) {
	_, err := w.Bucket.Swap(ctx, key, version, format.EncodeClaim(c))
	if errors.Is(err, objstore.ErrPreconditionFailed) || errors.Is(err, objstore.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}
