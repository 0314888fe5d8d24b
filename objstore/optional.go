package objstore

import (
	"context"
	"time"
)

// GetIfChanged is an optional interface of a Bucket: a conditional read
// (If-None-Match).
type GetIfChanged interface {
	// GetIfChanged reads the object like Get. If the object still has the version
	// known, it returns changed=false and no body. If known is Absent, it always
	// reads.
	GetIfChanged(ctx context.Context, key string, known Version) (body []byte, v Version, changed bool, err error)
}

// ReadIfChanged calls b.GetIfChanged if b implements it. Otherwise it calls b.Get
// and compares the versions: the result is the same, but the body is always read.
func ReadIfChanged(ctx context.Context, b Bucket, key string, known Version) (body []byte, v Version, changed bool, err error) {
	if r, ok := b.(GetIfChanged); ok {
		return r.GetIfChanged(ctx, key, known)
	}
	body, v, err = b.Get(ctx, key)
	if err != nil {
		return nil, Absent, false, err
	}
	if v == known {
		return nil, v, false, nil
	}
	return body, v, true, nil
}

// ListAfter is an optional interface of a Bucket: a List that begins behind a key.
type ListAfter interface {
	// ListAfter is List without the keys up to and including after, in byte order.
	ListAfter(ctx context.Context, prefix, after string, fn func(Object) error) error
}

// ListFrom calls b.ListAfter if b implements it. Otherwise it calls b.List and skips the keys up to
// after: the result is the same, but all keys are listed.
func ListFrom(ctx context.Context, b Bucket, prefix, after string, fn func(Object) error) error {
	if l, ok := b.(ListAfter); ok {
		return l.ListAfter(ctx, prefix, after, fn)
	}
	if after == "" {
		return b.List(ctx, prefix, fn)
	}
	return b.List(ctx, prefix, func(o Object) error {
		if o.Key <= after {
			return nil
		}
		return fn(o)
	})
}

// Local is an optional interface of a Bucket. A local bucket answers faster than
// a second goroutine can be started, so callers do not read ahead from it.
type Local interface {
	Local() bool
}

// IsLocal reports whether b implements Local and its Local method returns true.
func IsLocal(b Bucket) bool {
	n, ok := b.(Local)
	return ok && n.Local()
}

// Clock is an optional interface of a Bucket whose objects are dated by a clock that may not be
// this machine's.
type Clock interface {
	// ServerTime returns the time that a write would have now. On a server it needs the
	// permission to list.
	ServerTime(ctx context.Context) (time.Time, error)
}

// ServerTime returns b's time if b implements Clock, otherwise time.Now().
func ServerTime(ctx context.Context, b Bucket) (time.Time, error) {
	if c, ok := b.(Clock); ok {
		return c.ServerTime(ctx)
	}
	return time.Now(), nil
}
