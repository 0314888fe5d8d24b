// Package original imitates the S3 writer of Ontologia, the Python library
// whose stores ontosql shares: for tests that need a second writer which does
// not play by our rules. It follows COMPAT 3.3 and 3.4 request by request, with
// the weaknesses that are written down there: it polls for the lock every 10 to
// 30 ms, crashes when the lock object vanishes between its refused PUT and its
// GET, sends the head swap without finding out afterwards what became of it,
// leaves its orphans, lets created_at run backwards with its clock, and removes
// the lock object when it is done.
//
// Read is its reader, as far as opening a store and get_latest go.
//
// The writer differs in two things: it renews no lease, for its commits are short, and
// it registers and migrates no types.
package original

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// How an attempt of the original ends, other than by an error of the store.
var (
	// ErrLockTimeout: another writer held the lock for the whole of LockTimeout.
	ErrLockTimeout = errors.New("original: lock timeout")
	// ErrCrash: the lock object vanished between the refused PUT and the GET, and
	// an exception of the S3 client that nobody catches ended the program.
	ErrCrash = errors.New("original: the lock vanished under its eyes")
	// ErrLeaseExpired: before the head swap the lock was missing, another writer's, or too
	// near its end. Nothing is visible.
	ErrLeaseExpired = errors.New("original: lease expired")
	// ErrHeadMismatch: the head swap was refused. The original takes that for
	// "nothing is visible", which is wrong if the request was doubled on its way.
	ErrHeadMismatch = errors.New("original: head mismatch")
)

// Writer is one writing process. Its methods are called from one goroutine.
type Writer struct {
	Bucket objstore.Bucket
	Owner  string // owner_id of the lock, and runtime_id of commits
	// Now is its wall clock; time.Now when nil.
	Now func() time.Time
	// LockTimeout is how long it waits for the lock; 5 s when 0.
	LockTimeout time.Duration
	// LeaseTTL is how long its lock lasts; 30 s when 0.
	LeaseTTL time.Duration

	// IndexWarning is what went wrong with the indexes after the last commit
	// (last_index_warning), which is visible all the same.
	IndexWarning error
}

func (w *Writer) now() time.Time {
	if w.Now == nil {
		return time.Now()
	}
	return w.Now()
}

func (w *Writer) ttl() time.Duration {
	if w.LeaseTTL == 0 {
		return 30 * time.Second
	}
	return w.LeaseTTL
}

// read reads and decodes an object; a missing one is like an empty one.
func read[T any](ctx context.Context, b objstore.Bucket, key string, decode func(string, []byte) (T, error)) (T, objstore.Version, error) {
	body, version, err := b.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		body, version, err = []byte("{}"), objstore.Absent, nil
	}
	if err != nil {
		var none T
		return none, version, fmt.Errorf("original: read %s: %w", key, err)
	}
	v, err := decode(key, body)
	return v, version, err
}

// engine is the version of the store's layout; without a marker it is v1.
func (w *Writer) engine(ctx context.Context) (string, error) {
	body, _, err := w.Bucket.Get(ctx, format.EngineKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return format.EngineV1, nil
	}
	if err != nil {
		return "", fmt.Errorf("original: read engine marker: %w", err)
	}
	e, err := format.DecodeEngine(format.EngineKey, body)
	if err != nil {
		return "", err
	}
	return e.EngineVersion, nil
}
