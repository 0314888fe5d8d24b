package objects

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Cleanup implements eventbus.Bus. It removes each event before its claims, so that nobody gets an
// event again that is done. Claims that an earlier cleanup has left, because it was interrupted or
// a worker made them at the same time, are removed as well. An event whose key does not tell its
// time stays.
func (b *Bus) Cleanup(ctx context.Context, namespace string, before time.Time) (int, error) {
	if err := CheckNamespace(namespace); err != nil {
		return 0, err
	}
	// The claims are listed first: an event whose claim is there was there before.
	claims := map[string][]string{}
	prefix := format.ClaimsPrefix + namespace + "/"
	err := b.bucket.List(ctx, prefix, func(o objstore.Object) error {
		if event, _, ok := strings.Cut(o.Key[len(prefix):], "/"); ok {
			claims[event] = append(claims[event], o.Key)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("clean up: list claims: %w", err)
	}
	var old []eventKey
	var garbage []string // claims of events that are not there when all is done
	err = b.listEvents(ctx, namespace, "", func(k eventKey) error {
		if !k.createdAt.IsZero() && k.createdAt.Before(before) {
			old = append(old, k)
			garbage = append(garbage, claims[k.id]...)
		}
		delete(claims, k.id)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("clean up: %w", err)
	}
	removed := make([]bool, len(old))
	err = each(ctx, len(old), func(ctx context.Context, i int) error {
		err := b.bucket.Delete(ctx, old[i].Key)
		removed[i] = err == nil
		b.bodies.drop(old[i].Key)
		return err
	})
	count := 0
	for _, r := range removed {
		if r {
			count++
		}
	}
	if err != nil {
		return count, fmt.Errorf("clean up: %w", err)
	}
	if err := each(ctx, len(garbage), func(ctx context.Context, i int) error { return b.bucket.Delete(ctx, garbage[i]) }); err != nil {
		return count, fmt.Errorf("clean up: %w", err)
	}
	if err := b.removeOrphans(ctx, claims, before); err != nil {
		return count, fmt.Errorf("clean up: %w", err)
	}
	return count, nil
}

// removeOrphans removes claims of events that are not there, by event. A key may also be that of a
// claim in a namespace whose name begins with this one's; its claim names another event.
func (b *Bus) removeOrphans(ctx context.Context, claims map[string][]string, before time.Time) error {
	var keys, events []string
	for event, of := range claims {
		for _, key := range of {
			keys, events = append(keys, key), append(events, event)
		}
	}
	return each(ctx, len(keys), func(ctx context.Context, i int) error {
		c, _, err := b.claim(ctx, keys[i])
		if err != nil {
			if b.damage.Skip(err) {
				return nil
			}
			return err
		}
		if c == nil || c.EventID != events[i] || !c.ClaimedAt.Before(before) {
			return nil
		}
		return b.bucket.Delete(ctx, keys[i])
	})
}
