package objects

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Ack implements eventbus.Bus.
func (b *Bus) Ack(ctx context.Context, l eventbus.Lease) (bool, error) {
	c, done, err := b.change(ctx, &l, func(c format.Claim) *format.Claim { return eventbus.Ack(c, b.now()) })
	if err != nil {
		return false, fmt.Errorf("acknowledge: %w", err)
	}
	return done || c != nil && l.Acked(c), nil
}

// Extend implements eventbus.Bus.
func (b *Bus) Extend(ctx context.Context, l eventbus.Lease, lease time.Duration) (bool, error) {
	_, done, err := b.change(ctx, &l, func(c format.Claim) *format.Claim { return eventbus.Extend(c, b.now(), lease) })
	if err != nil {
		return false, fmt.Errorf("extend lease: %w", err)
	}
	return done, nil
}

// Release implements eventbus.Bus.
func (b *Bus) Release(ctx context.Context, l eventbus.Lease, reason string) (eventbus.Released, error) {
	return b.Fail(ctx, l, reason, eventbus.MaxAttempts)
}

// Fail implements eventbus.Bus.
func (b *Bus) Fail(ctx context.Context, l eventbus.Lease, reason string, attempts int64) (eventbus.Released, error) {
	c, done, err := b.change(ctx, &l, func(c format.Claim) *format.Claim { return eventbus.Release(c, b.now(), reason, attempts) })
	if err != nil || !done {
		if err != nil {
			err = fmt.Errorf("release: %w", err)
		}
		return eventbus.Released{}, err
	}
	if c.DeadLetteredAt != nil {
		if err := b.bury(ctx, l.Namespace, "", c); err != nil {
			return eventbus.ReleasedTo(c), fmt.Errorf("send dead letter: %w", err)
		}
		b.tell(l.Namespace, c, "")
	}
	return eventbus.ReleasedTo(c), nil
}

// change replaces a claim that is l's, and not done. Otherwise changed is false, and c is the claim
// that is there, nil for none or for one that somebody else has changed meanwhile.
func (b *Bus) change(ctx context.Context, l *eventbus.Lease, to func(format.Claim) *format.Claim) (c *format.Claim, changed bool, err error) {
	if err := CheckNamespace(l.Namespace); err != nil {
		return nil, false, err
	}
	key := format.ClaimKey(l.Namespace, l.Event, l.Handler)
	if err := checkKey("event id", l.Event, format.ClaimKey(l.Namespace, l.Event, "h")); err != nil {
		return nil, false, err
	}
	if err := checkKey("handler", l.Handler, key); err != nil {
		return nil, false, err
	}
	// What this process has made of the claim is there still, mostly.
	if c, version := b.leases.take(key); c != nil && l.Holds(c) {
		next := to(*c)
		if version, won, err := b.swapClaim(ctx, key, version, next); err != nil || won {
			return b.changed(l, next, version, won, err)
		}
	}
	c, version, err := b.claim(ctx, key)
	if err != nil && !b.damage.Skip(err) {
		return nil, false, nameError("handler", l.Handler, err)
	}
	if c == nil || !l.Holds(c) {
		return c, false, nil
	}
	next := to(*c)
	version, won, err := b.swapClaim(ctx, key, version, next)
	return b.changed(l, next, version, won, err)
}

// changed is what change returns after an attempt to write a claim.
func (b *Bus) changed(l *eventbus.Lease, next *format.Claim, version objstore.Version, won bool, err error) (*format.Claim, bool, error) {
	if err != nil || !won {
		return nil, false, err
	}
	if !eventbus.Done(next) && next.LastError == nil {
		b.leases.put(l.Namespace, next, version)
	}
	if next.DeadLetteredAt == nil { // a dead one is not done before it is buried
		b.tell(l.Namespace, next, version)
	}
	return next, true, nil
}

// maxLeases is how many claims of this process a Bus keeps in memory.
const maxLeases = 10000

// leases are the claims that this process has made last, and holds, so that each is changed without
// reading it before. Its zero value is empty. It is safe for concurrent use.
type leases struct {
	mu    sync.Mutex
	byKey map[string]note
}

func (l *leases) put(namespace string, c *format.Claim, v objstore.Version) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byKey == nil || len(l.byKey) >= maxLeases { // those of sessions that ended, mostly
		l.byKey = map[string]note{}
	}
	l.byKey[format.ClaimKey(namespace, c.EventID, c.HandlerID)] = note{c, v}
}

// take returns what put has kept, nil for nothing, and keeps it no longer.
func (l *leases) take(key string) (*format.Claim, objstore.Version) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.byKey[key]
	delete(l.byKey, key)
	return n.claim, n.version
}
