package objects

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Options configures a Bus.
type Options struct {
	Bucket objstore.Bucket
	// Now is the clock of times and leases; time.Now if nil. Workers whose clocks differ take each
	// other's leases that much too early.
	Now func() time.Time
	// Damaged is called with a *ontosql.CorruptError for each object that cannot be read and is left
	// out, once for each, one call at a time. It must not call the Bus. It may be nil.
	Damaged func(error)
}

// Bus is the event bus in a bucket. Its methods are safe for concurrent use.
type Bus struct {
	bucket  objstore.Bucket
	now     func() time.Time
	sender  eventbus.Sender
	bodies  bodies
	arrived arrivals
	leases  leases
	seed    maphash.Seed
	maxOpen int

	mu       sync.Mutex // guards the next two
	trackers map[string]*tracker
	polls    uint64

	damage eventbus.Damage
}

var _ eventbus.Bus = (*Bus)(nil)

// Open returns a Bus. It makes no requests.
func Open(o Options) *Bus {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Bus{
		bucket: o.Bucket, now: o.Now, sender: eventbus.Sender{Now: o.Now}, damage: eventbus.Damage{Tell: o.Damaged}, seed: maphash.MakeSeed(),
		maxOpen: maxOpen, trackers: map[string]*tracker{},
	}
}

// parallel is the number of requests that one call has open at a time.
const parallel = 16

// each calls f for 0 to n-1, several at a time, and returns the first error.
func each(ctx context.Context, n int, f func(ctx context.Context, i int) error) error {
	if n == 1 {
		return f(ctx, 0)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for i := range n {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}

// checkKey returns a *eventbus.NameError if the store cannot keep an object under the key because of
// a name in it.
func checkKey(what, name, key string) error {
	if err := eventbus.CheckName(what, name); err != nil {
		return err
	}
	if err := objstore.CheckKey(key); err != nil {
		return nameError(what, name, err)
	}
	return nil
}

// nameError is err, or a *eventbus.NameError if the store refuses the key that has the name in it.
func nameError(what, name string, err error) error {
	if errors.Is(err, objstore.ErrInvalidKey) {
		if request := (*objstore.Error)(nil); errors.As(err, &request) {
			err = request.Err // without the request, and the place of the store
		}
		return &eventbus.NameError{What: what, Name: name, Err: fmt.Errorf("makes an %w", err)}
	}
	return err
}

// someID stands for the id of an event where a key is checked.
const someID = "00000000-0000-0000-0000-000000000000"

// CheckNamespace returns a *eventbus.NameError for a namespace that no bucket can keep.
func CheckNamespace(namespace string) error {
	return checkKey("namespace", namespace, format.ClaimKey(namespace, someID, "h"))
}

// read reads and decodes an object. A missing one is the zero value and Absent; a damaged one is a
// *ontosql.CorruptError.
func read[T any](ctx context.Context, b objstore.Bucket, key string, decode func(string, []byte) (*T, error)) (*T, objstore.Version, error) {
	body, v, err := b.Get(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil, objstore.Absent, nil
	}
	if err != nil {
		return nil, objstore.Absent, fmt.Errorf("read %s: %w", key, err)
	}
	value, err := decode(key, body)
	return value, v, err
}

// claim reads the claim at a key, nil for none.
func (b *Bus) claim(ctx context.Context, key string) (*format.Claim, objstore.Version, error) {
	return read(ctx, b.bucket, key, format.DecodeClaim)
}

// create writes an object whose content follows from its key, unless it is there. So it may be sent
// again when the answer was lost.
func create(ctx context.Context, b objstore.Bucket, key string, body []byte) error {
	for try := 0; ; try++ {
		_, err := b.Swap(ctx, key, objstore.Absent, body)
		switch {
		case err == nil, errors.Is(err, objstore.ErrPreconditionFailed):
			return nil
		case errors.Is(err, objstore.ErrConflict) && try < conflicts, errors.Is(err, objstore.ErrUnreachable) && try == 0:
			continue
		}
		return fmt.Errorf("write %s: %w", key, err)
	}
}

// conflicts is how often a request is sent again that the store refused because of another one for
// the same key.
const conflicts = 5

// swapClaim writes a claim in the place of the version want. won is false if somebody else has
// changed it before. The error is a *ontosql.CorruptError if something that is no object is there. If
// the answer of the store was lost, it looks what became of the request.
func (b *Bus) swapClaim(ctx context.Context, key string, want objstore.Version, c *format.Claim) (v objstore.Version, won bool, err error) {
	body := format.EncodeClaim(c)
	for try := 0; ; try++ {
		v, err = b.bucket.Swap(ctx, key, want, body)
		switch {
		case err == nil:
			return v, true, nil
		case errors.Is(err, objstore.ErrConflict) && try < conflicts:
			continue
		case errors.Is(err, objstore.ErrConflict), errors.Is(err, objstore.ErrPreconditionFailed):
			return objstore.Absent, false, nil
		case errors.Is(err, objstore.ErrShadowed): // names of others make a directory of it, or somebody did
			return objstore.Absent, false, &ontosql.CorruptError{Key: key, Err: err}
		case errors.Is(err, objstore.ErrInvalidKey):
			return objstore.Absent, false, nameError("handler", c.HandlerID, err)
		}
		stored, v, lost := b.bucket.Get(ctx, key)
		if lost == nil && string(stored) == string(body) {
			return v, true, nil
		}
		return objstore.Absent, false, fmt.Errorf("write %s: %w", key, err)
	}
}
