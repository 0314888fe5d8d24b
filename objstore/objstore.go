// Package objstore is the contract of an object store with conditional writes:
// what ontosql needs of S3, of a directory and of memory, and nothing more.
// Adapters and decorators live in its sub-rooms; objstoretest is the suite that
// each of them passes.
//
// The promises (the object-store contract of ARCHITECTURE.md): an acknowledged
// write is wholly visible to every later read and list, by any process; a
// replace is never seen torn; of N writers that swap from the same version
// exactly one wins; a key that is being written is not listed.
package objstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

var (
	// ErrNotFound: there is no object under the key.
	ErrNotFound = errors.New("object not found")
	// ErrPreconditionFailed: the object's version was not the one the condition
	// named (there may be no object at all), and nothing was written (HTTP 412).
	ErrPreconditionFailed = errors.New("precondition failed")
	// ErrConflict: a concurrent conditional request was in flight and nothing
	// was written; the same request may be sent again (HTTP 409).
	ErrConflict = errors.New("conditional request conflict")
	// ErrDenied: the credentials, or the permissions of the directory, do not
	// allow the operation (HTTP 401, 403).
	ErrDenied = errors.New("permission denied")
	// ErrClockSkew: the store refused the request because the two clocks differ
	// too much. It is an ErrDenied too.
	ErrClockSkew = fmt.Errorf("clock differs too much from the store's: %w", ErrDenied)
	// ErrNoBucket: the bucket or the directory does not exist.
	ErrNoBucket = errors.New("no such bucket")
	// ErrUnreachable: the store could not be asked, or did not answer in time.
	// After a conditional write it means that the outcome is unknown.
	ErrUnreachable = errors.New("object store unreachable")
	// ErrTooLarge: the store takes no object of that size in one write. Nothing
	// was sent.
	ErrTooLarge = errors.New("object too large")
	// ErrFull: the store has no room for the body. Nothing was written.
	ErrFull = errors.New("no room in the object store")
	// ErrInvalidKey: the key breaks the rules of CheckKey, or this store cannot
	// hold it. Nothing was sent.
	ErrInvalidKey = errors.New("invalid object key")
)

// Error says which request failed. It never holds credentials.
type Error struct {
	Op        string // one of the Op constants
	Bucket    string // bucket name, or the directory
	Key       string // full key, prefix included
	RequestID string // the server's, when it gave one
	Err       error  // wraps one of the sentinels where the cause is known
}

func (e *Error) Error() string {
	id := ""
	if e.RequestID != "" {
		id = " (request " + e.RequestID + ")"
	}
	return fmt.Sprintf("%s %s/%s%s: %v", e.Op, strings.TrimSuffix(e.Bucket, "/"), e.Key, id, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Version identifies one content of one key, as the store names it (an ETag,
// quotes included). It is compared, never parsed. Different contents of a key
// have different versions; equal contents may have equal ones, as they do on
// S3, so a compare-and-swap is only as good as contents that do not come back.
// Absent is the version of a key without an object.
type Version string

// Absent as the condition of a Swap means If-None-Match: *.
const Absent Version = ""

// Object is what List tells of an object.
type Object struct {
	Key      string
	Size     int64
	Version  Version   // empty where the store would have to read the object to know it
	Modified time.Time // by the store's clock
}

// Bucket is a store of objects under slash-separated keys relative to one
// prefix; CheckKey says which keys there are, and no key may be a folder of
// another ("a" and "a/b" together: a directory cannot hold them). Every method
// may be called from several goroutines. Bodies that are passed in are not
// kept, bodies that are returned belong to the caller.
//
// Errors are *Error and wrap one of the sentinels of this package where the
// cause is one. A context that ends makes every method return at once with an
// error that is Ended(ctx) inside; of a write that was on its way the outcome
// is then unknown.
type Bucket interface {
	// Get reads the whole object at key, with the version it has.
	Get(ctx context.Context, key string) ([]byte, Version, error)
	// GetRange reads length bytes from offset: fewer at the end of the object,
	// none beyond it. A negative offset or a length below 1 is an error.
	GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error)
	// Open streams the object. The caller closes the reader; a read error after
	// the first byte is reported by Read and is not retried. An object that ends
	// early is io.ErrUnexpectedEOF or ErrUnreachable, never io.EOF.
	Open(ctx context.Context, key string) (io.ReadCloser, Version, error)
	// Put writes the object unconditionally and may be retried below.
	Put(ctx context.Context, key string, body []byte) (Version, error)
	// Upload is Put of a body that need not fit memory: the first size bytes of
	// body, which may be read several times and must not change meanwhile. Where
	// body fails, or ends early (io.ErrUnexpectedEOF), nothing is written and the
	// error is a *BodyError inside; where the store takes no object of that size,
	// it is ErrTooLarge.
	Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (Version, error)
	// Swap writes the object if its version is want (Absent: if there is none),
	// is sent exactly once, and fails with ErrPreconditionFailed or ErrConflict
	// only when nothing was written by this request. ErrDenied, ErrNoBucket and
	// ErrInvalidKey say the same; every other error leaves the outcome open.
	Swap(ctx context.Context, key string, want Version, body []byte) (Version, error)
	// Delete removes the object; a missing one is no error.
	Delete(ctx context.Context, key string) error
	// DeleteIf removes the object if its version is want, is sent exactly once,
	// and fails with ErrPreconditionFailed when another version is there; Absent
	// is never there. Without an object, stores differ: no error, or
	// ErrPreconditionFailed.
	// Comparing and removing may be two steps of the server (versitygw), so
	// nothing may rest on it that a Swap could carry.
	DeleteIf(ctx context.Context, key string, want Version) error
	// List calls fn for every object whose key begins with prefix, in the byte
	// order of keys, until fn returns an error, which List returns as it is. The
	// prefix is plain text: "a" matches "ab"; callers end it with a slash.
	// Objects written or removed meanwhile may or may not be told; all others are.
	List(ctx context.Context, prefix string, fn func(Object) error) error
	// String is the store's URI without credentials, for logs and errors.
	String() string
}
