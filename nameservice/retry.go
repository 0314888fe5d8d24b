package nameservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// tries is how often a write is tried again that lost against others.
const tries = 10

// backoff waits before the retry number n, counted from 0: 10 ms, doubled each time up to 250 ms, half of
// it random, so that those who lost against each other do not meet again.
func backoff(ctx context.Context, n int) error {
	const first, most = 10 * time.Millisecond, 250 * time.Millisecond
	d := min(first<<min(n, 10), most)
	select {
	case <-ctx.Done():
		return objstore.ContextError(ctx)
	case <-time.After(d/2 + rand.N(d/2)):
		return nil
	}
}

// PushWithRetry pushes a value in the place of whatever lower one is there, and tries again a bounded
// number of times when others push too (seed 003, push_with_retry). A conflict whose watermark is
// as great as that of next has diverged (Result.Diverged); any other one means that the tries were
// exhausted, or that there is no record. A value that is there already is updated, so that the call
// may be made again after an error.
func PushWithRetry(ctx context.Context, s Service, a Alias, c Concern, next Value) (Result, error) {
	r, err := s.Get(ctx, a)
	if err != nil {
		return Result{}, err
	}
	expected := r.Value(c)
	for n := 0; ; n++ {
		result, err := s.Write(ctx, a, NewPush(c, expected, next))
		if err == nil && result.Actual != nil && result.Actual.Equal(next) {
			return Updated(), nil
		}
		if err != nil || result.Updated || result.Actual == nil || result.Diverged(next) || n == tries {
			return result, err
		}
		expected = *result.Actual
		if err := backoff(ctx, n); err != nil {
			return Result{}, err
		}
	}
}

// ConflictError is a change that lost against others until its tries were exhausted, or that was made
// from a state that is no longer there.
type ConflictError struct {
	Alias   Alias
	Concern Concern
	Actual  Value // at the last look
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %s has changed: it is at %d", e.Alias, e.Concern, e.Actual.V)
}

// Revise replaces the payload of a concern by what change makes of it, under the next watermark, and
// does it again from the new payload when somebody else was faster. It is for index, status and
// config, whose watermarks count. An error of change ends it and is returned unchanged. Other errors
// are ErrNotFound, a *ConflictError and those of the store.
func Revise(ctx context.Context, s Service, a Alias, c Concern, change func(r *Record) (json.RawMessage, error)) (Value, error) {
	return revise(ctx, s, a, c, change, NewPush)
}

func revise(ctx context.Context, s Service, a Alias, c Concern, change func(r *Record) (json.RawMessage, error), edit func(c Concern, expected, next Value) Edit) (Value, error) {
	for n := 0; ; n++ {
		r, err := s.Get(ctx, a)
		if err != nil {
			return Value{}, err
		}
		current := r.Value(c)
		payload, err := change(r)
		if err != nil {
			return Value{}, err
		}
		next := Value{V: current.V + 1, Payload: payload}
		result, err := s.Write(ctx, a, edit(c, current, next))
		switch {
		case err != nil:
			return Value{}, err
		case result.Updated:
			return next, nil
		case result.Actual == nil:
			return Value{}, fmt.Errorf("%s: %w", a, ErrNotFound)
		case n == tries:
			return Value{}, &ConflictError{a, c, *result.Actual}
		}
		if err := backoff(ctx, n); err != nil {
			return Value{}, err
		}
	}
}

// Retract takes a record out of service, with a reason that may be empty. One that is retracted
// already is left alone. The errors are those of Revise.
func Retract(ctx context.Context, s Service, a Alias, reason string, now time.Time) error {
	change := func(r *Record) (json.RawMessage, error) {
		if r.Retracted {
			return nil, errDone
		}
		status := object{"state": quoted(Retracted), "retracted_at": number(now.Unix())}
		if reason != "" {
			status["reason"] = quoted(reason)
		}
		return status.text(), nil
	}
	_, err := revise(ctx, s, a, Status, change, func(_ Concern, expected, next Value) Edit { return NewRetract(expected.V, next) })
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}
