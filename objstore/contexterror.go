package objstore

import (
	"context"
	"errors"
	"fmt"
)

// ContextError returns the error of a request whose context is done: ctx.Err(),
// joined with the context's cause if the cause differs.
func ContextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
