// Package objstore defines the contract of an object store with conditional
// writes. It contains only what ontosql needs of S3, a directory and memory.
// Adapters and decorators are in sub-packages; objstoretest is the test suite
// that each of them must pass.
//
// The guarantees (see "object-store contract" in ARCHITECTURE.md):
//   - Every read and list that starts after an acknowledged write sees that write
//     completely, in any process.
//   - A read during a replacement returns the old or the new object, never a mix.
//   - If N writers swap from the same version, exactly one succeeds.
//   - A list does not return a key whose first write is not complete.
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
	// ErrNotFound: no object has this key.
	ErrNotFound = errors.New("object not found")
	// ErrPreconditionFailed: the object does not have the version of the
	// condition, or does not exist. Nothing was written (HTTP 412).
	ErrPreconditionFailed = errors.New("precondition failed")
	// ErrConflict: another conditional request for the key was in progress.
	// Nothing was written; the same request may be sent again (HTTP 409).
	ErrConflict = errors.New("conditional request conflict")
	// ErrDenied: the credentials, or the permissions of the directory, do not
	// allow the operation (HTTP 401, 403).
	ErrDenied = errors.New("permission denied")
	// ErrClockSkew: the store refused the request because its clock and the
	// client's differ too much. It wraps ErrDenied.
	ErrClockSkew = fmt.Errorf("clock differs too much from the store's: %w", ErrDenied)
	// ErrNoBucket: the bucket or the directory does not exist.
	ErrNoBucket = errors.New("no such bucket")
	// ErrUnreachable: the store could not be reached or did not answer in time.
	// After a conditional write the outcome is unknown.
	ErrUnreachable = errors.New("object store unreachable")
	// ErrTooLarge: the object exceeds the store's limit for one write. Nothing
	// was sent.
	ErrTooLarge = errors.New("object too large")
	// ErrFull: the store has no space for the body. Nothing was written.
	ErrFull = errors.New("no room in the object store")
	// ErrInvalidKey: the key violates CheckKey, or this store cannot store it.
	// Nothing was sent.
	ErrInvalidKey = errors.New("invalid object key")
	// ErrShadowed is an ErrInvalidKey of a store that is a file system: something else is at the key, or at
	// a part of it, which keeps the object from being there.
	ErrShadowed = fmt.Errorf("%w: a directory cannot hold an object and others below it", ErrInvalidKey)
)

// Error describes a failed request. It never contains credentials.
type Error struct {
	Op        string // one of the Op constants
	Bucket    string // bucket name or directory
	Key       string // full key, including the prefix
	RequestID string // request id of the server; empty if it sent none
	Err       error  // wraps a sentinel of this package if the cause is known
}

func (e *Error) Error() string {
	id := ""
	if e.RequestID != "" {
		id = " (request " + e.RequestID + ")"
	}
	return fmt.Sprintf("%s %s/%s%s: %v", e.Op, strings.TrimSuffix(e.Bucket, "/"), e.Key, id, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Version identifies the content of a key, as reported by the store (an ETag,
// including its quotes). Versions are compared, never parsed. Different contents
// of a key have different versions. Equal contents may have equal versions, as on
// S3: if an earlier content is written again, a compare-and-swap cannot detect it.
type Version string

// Absent is the version of a key without an object. As the condition of a Swap it
// means If-None-Match: *.
const Absent Version = ""

// Object describes one object in a List.
type Object struct {
	Key      string
	Size     int64
	Version  Version   // empty if the store would have to read the object
	Modified time.Time // by the store's clock
}

// Bucket is a store of objects under slash-separated keys, relative to a prefix.
// CheckKey defines the valid keys. A key must not be a folder of another key: a
// directory cannot store both "a" and "a/b". All methods are safe for concurrent
// use. Methods do not retain the bodies passed in; returned bodies belong to the
// caller.
//
// Errors are *Error and wrap a sentinel of this package if one applies. When ctx
// ends, every method returns at once with an error that wraps ContextError(ctx).
// The outcome of a write that was in progress is then unknown.
type Bucket interface {
	// Get reads the whole object and returns its version.
	Get(ctx context.Context, key string) ([]byte, Version, error)
	// GetRange reads length bytes from offset. It returns fewer bytes at the end
	// of the object and none beyond it. A negative offset or a length below 1 is
	// an error.
	GetRange(ctx context.Context, key string, offset, length int64) ([]byte, error)
	// Open streams the object. The caller closes the reader. Read errors after
	// the first byte are returned by Read and not retried. If the object ends
	// early, the error is io.ErrUnexpectedEOF or ErrUnreachable, never io.EOF.
	Open(ctx context.Context, key string) (io.ReadCloser, Version, error)
	// Put writes the object unconditionally. Implementations may retry it.
	Put(ctx context.Context, key string, body []byte) (Version, error)
	// Upload is like Put for a body that need not fit in memory: the first size
	// bytes of body. body may be read several times and must not change during
	// the call. If reading body fails or ends early (io.ErrUnexpectedEOF), nothing
	// is written and the error wraps a *BodyError. If size exceeds the limit of
	// the store, the error is ErrTooLarge.
	Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (Version, error)
	// Swap writes the object if its version is want; Absent means that no object
	// exists. It is sent exactly once. ErrPreconditionFailed, ErrConflict,
	// ErrDenied, ErrNoBucket and ErrInvalidKey mean that this request wrote
	// nothing. After any other error the outcome is unknown.
	Swap(ctx context.Context, key string, want Version, body []byte) (Version, error)
	// Delete removes the object. A missing object is not an error.
	Delete(ctx context.Context, key string) error
	// DeleteIf removes the object if its version is want. It is sent exactly once
	// and fails with ErrPreconditionFailed if the version differs; Absent never
	// matches. If no object exists, some stores return nil and others
	// ErrPreconditionFailed. Some servers (versitygw) compare and remove in two
	// steps: use Swap where atomicity matters.
	DeleteIf(ctx context.Context, key string, want Version) error
	// List calls fn for every object whose key begins with prefix, in byte order
	// of the keys. If fn returns an error, List stops and returns it unchanged.
	// prefix is plain text: "a" matches "ab". Callers usually end it with a slash.
	// Objects written or removed during the List may or may not be included.
	List(ctx context.Context, prefix string, fn func(Object) error) error
	// String returns the store's URI without credentials, for logs and errors.
	String() string
}
