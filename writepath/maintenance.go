package writepath

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// MaintenanceOptions configures Maintain.
type MaintenanceOptions struct {
	Bucket objstore.Bucket
	Log    *chain.Log // of the same bucket
	// Owner is the beginning of the lock's owner id, such as "compact-NAME".
	Owner string
	// LockTimeout is how long Maintain waits for the lock; 5 s when 0.
	LockTimeout time.Duration
	// LeaseTTL is the length of the lease; 30 s when 0.
	LeaseTTL time.Duration
	// Waiting reports whether a transaction of this process waits for the write lock. If one
	// does when the lock has been held for giveWayAfter, Maintain gives it back. Nil for no.
	Waiting func() bool
	Logger  *slog.Logger     // nil discards
	Now     func() time.Time // the wall clock; time.Now when nil
}

// ErrGaveWay is returned by Maintain if it gave the lock back to let a transaction commit. What
// work had published by then stays.
var ErrGaveWay = errors.New("maintenance gave way to a commit")

// A maintenance task holds the lock for giveWayAfter at least. After that a transaction of this
// process waits for it for giveWayCheck at most, apart from the request that returns the lock. The
// committer looks for a free lock every 30 ms at least, so that nothing waits for 100 ms.
const (
	giveWayAfter = 70 * time.Millisecond
	giveWayCheck = 10 * time.Millisecond
)

// Maintenance is the write lock in the hands of a maintenance task, which may publish indexes
// and remove objects that no commit names. It never moves the head to another commit.
type Maintenance struct {
	bucket objstore.Bucket
	lease  *lease
	view   *chain.View
	head   *format.Head
	// version is that of the head object.
	version objstore.Version
}

// StoredIndex is an index object as Maintenance.Index read it.
type StoredIndex struct {
	// Index is the object's content; without entries if the object is missing or damaged.
	Index   format.Index
	Damaged error // why the object cannot be decoded
	version objstore.Version
}

// Maintain takes the write lock, calls work and releases the lock. The lock object stays, as
// released (decision A30). The context of work ends with the cause ErrLeaseLost if the lease
// does, and with ErrGaveWay. The error is ontosql.ErrNotInitialised, a *LeaseHeldError if
// another writer keeps the lock, ErrGaveWay, that of work, or the bucket's.
func Maintain(ctx context.Context, o MaintenanceOptions, work func(context.Context, *Maintenance) error) error {
	return o.holding(ctx, format.LockKey, func(h *lease) error {
		if o.Waiting != nil {
			ctx, stop := context.WithCancel(h.ctx)
			var watching sync.WaitGroup
			watching.Go(func() { o.giveWay(ctx, h) })
			defer watching.Wait()
			defer stop()
		}
		m := &Maintenance{bucket: o.Bucket, lease: h}
		if err := m.begin(h.ctx, o.Log); err != nil {
			return err
		}
		return work(h.ctx, m)
	})
}

// Alone calls work while it holds a lock that has the form of the write lock and is another
// object, key, so that of several processes one does the work and no commit waits for it. It
// gives up at once, with a *LeaseHeldError, if LockTimeout is negative and another process has
// the lock. The context of work ends with the cause ErrLeaseLost if the lease does. Log and
// Waiting are not used.
func Alone(ctx context.Context, o MaintenanceOptions, key string, work func(context.Context) error) error {
	return o.holding(ctx, key, func(h *lease) error { return work(h.ctx) })
}

// holding calls work while it holds the lock object key. If the lease ends with a reason, that
// is the error of what failed because of it.
func (o MaintenanceOptions) holding(ctx context.Context, key string, work func(*lease) error) error {
	l, claim, err := o.take(ctx, key)
	if err != nil {
		return err
	}
	h := l.hold(ctx, claim)
	defer h.giveBack(ctx)
	err = work(h)
	for _, reason := range []error{ErrLeaseLost, ErrGaveWay} {
		if err != nil && errors.Is(err, context.Canceled) && errors.Is(context.Cause(h.ctx), reason) {
			return reason
		}
	}
	return err
}

// giveWay ends the lease when a transaction waits for it, but not before it has been held for
// giveWayAfter: other processes and this one's own transactions would otherwise keep the task
// from ever being done.
func (o MaintenanceOptions) giveWay(ctx context.Context, h *lease) {
	for wait := giveWayAfter; sleep(ctx, wait) == nil; wait = giveWayCheck {
		if o.Waiting() {
			h.cancel(ErrGaveWay)
			return
		}
	}
}

// begin reads the head and the chain below it.
func (m *Maintenance) begin(ctx context.Context, log *chain.Log) error {
	s := store{bucket: m.bucket}
	if err := s.readHead(ctx); err != nil {
		return err
	}
	m.head, m.version = s.head, s.version
	var err error
	m.view, err = log.At(ctx, s.head)
	return err
}

// View is the chain at the head, which no writer moves while the lock is held.
func (m *Maintenance) View() *chain.View { return m.view }

// Index reads the index of a type.
func (m *Maintenance) Index(ctx context.Context, ref ontosql.TypeRef) (*StoredIndex, error) {
	body, version, err := m.bucket.Get(ctx, format.IndexKey(ref))
	if errors.Is(err, objstore.ErrNotFound) {
		return &StoredIndex{Index: format.Index{TypeName: ref.Name}, version: objstore.Absent}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read index of %s: %w", ref, err)
	}
	s := &StoredIndex{version: version}
	index, err := format.DecodeIndex(format.IndexKey(ref), body)
	if s.Damaged = err; err != nil {
		index = &format.Index{TypeName: ref.Name}
	}
	s.Index = *index
	return s, nil
}

// Check returns ErrLeaseLost if the lease is not safe any more. A task calls it before each
// removal (I7).
func (m *Maintenance) Check() error { return m.lease.check() }

// Fence gives the head object a new version: a microsecond is added to its updated_at, and
// nothing else changes. From then on the store refuses every swap that a writer has prepared
// since the head moved last, however late it arrives, so that no attempt above the head that is
// there now can become a commit. The error is ontosql.ErrHeadMoved if the head is not that of
// View any more, ErrLeaseLost, or the bucket's; then the attempts may still become commits.
func (m *Maintenance) Fence(ctx context.Context) error {
	if err := m.lease.check(); err != nil {
		return err
	}
	next := *m.head
	next.UpdatedAt = format.TimeOf(next.UpdatedAt.Add(time.Microsecond))
	body := format.EncodeHead(&next)
	version, err := m.bucket.Swap(ctx, format.HeadKey, m.version, body)
	if err != nil && !notWritten(err) { // no clear answer
		var stored []byte
		if stored, version, _ = m.bucket.Get(ctx, format.HeadKey); bytes.Equal(stored, body) {
			err = nil
		}
	}
	switch {
	case errors.Is(err, objstore.ErrPreconditionFailed):
		return fmt.Errorf("fence the head: %w", errors.Join(ontosql.ErrHeadMoved, err))
	case err != nil:
		return fmt.Errorf("fence the head: %w", err)
	}
	m.head, m.version = &next, version
	return nil
}

// IndexUpdate replaces the index of a type.
type IndexUpdate struct {
	Type  ontosql.TypeRef
	Old   *StoredIndex
	Index *format.Index
}

// Publish replaces indexes. It checks the lease and the head first (I7; seed 001 section 6): if
// the head is not that of View any more, nothing is written and the error is
// ontosql.ErrHeadMoved; if the lease is not safe, it is ErrLeaseLost. An index that another
// writer replaced since it was read is not written, and the error wraps
// objstore.ErrPreconditionFailed. Indexes are advisory (I5), so an error leaves a valid store,
// in which some of them may have been replaced.
func (m *Maintenance) Publish(ctx context.Context, updates []IndexUpdate) error {
	if err := m.lease.check(); err != nil {
		return err
	}
	_, version, err := m.bucket.Get(ctx, format.HeadKey)
	if err != nil {
		return fmt.Errorf("read head: %w", err)
	}
	if version != m.version {
		return fmt.Errorf("publish indexes: %w", ontosql.ErrHeadMoved)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for _, u := range updates {
		g.Go(func() error {
			if err := m.publish(ctx, u); err != nil {
				return fmt.Errorf("write index of %s: %w", u.Type, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// publish swaps one index. Without a clear answer it checks whether the object has the content
// that was sent.
func (m *Maintenance) publish(ctx context.Context, u IndexUpdate) error {
	if err := m.lease.check(); err != nil {
		return err
	}
	body := format.EncodeIndex(u.Index)
	_, err := m.bucket.Swap(ctx, format.IndexKey(u.Type), u.Old.version, body)
	if err == nil || notWritten(err) {
		return err
	}
	stored, _, lookErr := m.bucket.Get(ctx, format.IndexKey(u.Type))
	if lookErr == nil && bytes.Equal(stored, body) {
		return nil
	}
	return err
}
