package objstore

import (
	"context"
	"errors"
)

// Copier is an optional interface of a Bucket that can take objects over from another bucket
// without moving their bytes through this process.
type Copier interface {
	// CopyFrom makes the objects of from with these keys objects of the bucket, under the same
	// keys and with the same content. When it returns nil, all of them are as durable as after a
	// Put. After an error any of them may have been copied; each is there completely or not at
	// all.
	//
	// An object may share its storage with that of from, so the keys must be of objects that are
	// replaced or removed, and never written in place. What an existing object under a key
	// becomes is not defined unless it has the same content.
	//
	// If the two buckets have no such means, the error is ErrNoCopy and nothing was written. A
	// missing object is ErrNotFound.
	CopyFrom(ctx context.Context, from Bucket, keys []string) error
}

// ErrNoCopy: the objects of one store cannot be copied to the other by the stores themselves.
var ErrNoCopy = errors.New("the two stores have no means to copy from one to the other")

// Wrapper is an optional interface of a Bucket that passes requests on to another one.
type Wrapper interface {
	// Unwrap returns the bucket that gets the requests.
	Unwrap() Bucket
}

// Copy calls to.CopyFrom with what from wraps. If to does not implement Copier, it is ErrNoCopy.
func Copy(ctx context.Context, to, from Bucket, keys []string) error {
	for w, ok := from.(Wrapper); ok; w, ok = from.(Wrapper) {
		from = w.Unwrap()
	}
	if c, ok := to.(Copier); ok {
		return c.CopyFrom(ctx, from, keys)
	}
	return &Error{Op: OpCopy, Bucket: to.String(), Err: ErrNoCopy}
}
