package objstore

import (
	"context"
	"time"
)

// GetIfChanged is the optional power of a conditional read (If-None-Match).
type GetIfChanged interface {
	// GetIfChanged is Get, except that it returns changed=false and no body
	// when the object's version is known. Absent is no version: it reads.
	GetIfChanged(ctx context.Context, key string, known Version) (body []byte, v Version, changed bool, err error)
}

// ReadIfChanged is b.GetIfChanged where b has that power and a Get compared here where
// it has not: the same answer for more bytes.
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

// Local is the optional power of a store that answers at once: asking it from another
// goroutine takes longer than the answer.
type Local interface {
	Local() bool
}

// IsLocal reports whether b is Near.
func IsLocal(b Bucket) bool {
	n, ok := b.(Local)
	return ok && n.Local()
}

// Clock is the optional power of a store whose clock is not this machine's.
type Clock interface {
	// ServerTime asks the store for the time. It needs the permission to list.
	ServerTime(ctx context.Context) (time.Time, error)
}

// ServerTime is b's clock, which is this machine's when b has no Clock.
func ServerTime(ctx context.Context, b Bucket) (time.Time, error) {
	if c, ok := b.(Clock); ok {
		return c.ServerTime(ctx)
	}
	return time.Now(), nil
}
