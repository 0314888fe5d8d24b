package objstore

import (
	"context"
	"errors"
	"fmt"
)

// ContextError is the error of a request whose context is done: ctx.Err() and, where
// it was given another one, the cause.
func ContextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
