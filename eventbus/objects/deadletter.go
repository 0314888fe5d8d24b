package objects

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// bury sends the event that tells of a dead claim, and writes the dead letter after it. So the
// letter, which nothing removes, says that the event was sent, even if a cleanup has removed it
// since; and whoever finds the claim without a letter finishes what its worker left. key is that of
// the dead event, "" if it is not known. An event that is gone is not buried.
func (b *Bus) bury(ctx context.Context, namespace, key string, c *format.Claim) error {
	letterKey := format.DeadLetterKey(namespace, c.EventID, c.HandlerID)
	_, _, err := b.bucket.Get(ctx, letterKey)
	if !isMissing(err) {
		if err != nil {
			err = fmt.Errorf("read %s: %w", letterKey, err)
		}
		return err
	}
	if key == "" {
		key = b.bodies.find(namespace, c.EventID)
	}
	if key == "" {
		key, err = b.find(ctx, namespace, c.EventID)
		if errors.Is(err, eventbus.ErrNoEvent) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	e, err := b.event(ctx, key)
	switch {
	case err != nil && b.damage.Skip(err): // its chain is lost
		e = &format.Event{ID: c.EventID, Namespace: namespace, RootEventID: c.EventID}
	case err != nil:
		return err
	case e == nil:
		return nil
	}
	letter, told := eventbus.DeadLetter(e, c)
	if told != nil {
		if err := Put(ctx, b.bucket, told); err != nil {
			return err
		}
	}
	return nameError("handler", c.HandlerID, create(ctx, b.bucket, letterKey, format.EncodeDeadLetter(&letter)))
}
