package dynamodb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// errUncertain: a write was sent, and neither it nor looking said what became of it.
var errUncertain = ontosql.ErrOutcomeUnknown

// answer is what is known of a conditional write.
type answer struct {
	refused bool                            // the condition did not hold
	item    map[string]types.AttributeValue // as it was then, or as it was read last; nil for none
	read    bool                            // item is known
	doubt   bool                            // an earlier attempt had no answer: it may be what refused this one
}

// record reads the item of an answer.
func (a answer) record(alias nameservice.Alias) (*nameservice.Record, error) {
	return record(alias.String(), a.item)
}

// settle sends a conditional write until its outcome is known. Sending it again after a lost answer
// is safe, because the conditions of two equal writes do not both hold: if the first was done, or
// still will be, it refuses the second, and the item that comes with the refusal is as it left it.
// If no attempt has an answer, the error wraps errUncertain, and the item is as it was read then.
func (s *Service) settle(ctx context.Context, a nameservice.Alias, send func(context.Context) error) (answer, error) {
	var known answer
	if ctx.Err() != nil {
		return known, objstore.ContextError(ctx)
	}
	for attempt := 1; ; attempt++ {
		err := send(ctx)
		var failed *types.ConditionalCheckFailedException
		switch {
		case err == nil:
			return known, nil
		case errors.As(err, &failed):
			known.refused, known.item, known.read = true, failed.Item, len(failed.Item) > 0
			return s.look(ctx, a, known, nil)
		case mayBeDone(err):
			known.doubt = true
		case !notSent(err):
			return s.look(ctx, a, known, err)
		}
		if attempt == maxAttempts || ctx.Err() != nil {
			return s.look(ctx, a, known, err)
		}
		sleep(ctx, s.backoff(attempt))
	}
}

// look ends a write with the error of its last attempt, nil after a refusal. It reads the item if
// something depends on it: a refusal came without it, because there is none or because the server
// does not know the option that asks for it, or an attempt had no answer.
func (s *Service) look(ctx context.Context, a nameservice.Alias, known answer, last error) (answer, error) {
	if known.read || last != nil && !known.doubt {
		return known, last
	}
	item, err := s.get(ctx, a)
	known.item, known.read = item, err == nil
	switch {
	case last == nil && err == nil:
		return known, nil
	case !known.doubt:
		return known, err
	}
	return known, fmt.Errorf("%w: %w", errUncertain, classify(ctx, cmp.Or(last, err)))
}

func sleep(ctx context.Context, wait time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}
