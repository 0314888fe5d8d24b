package writepath

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"hash/maphash"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Options of a Committer.
type Options struct {
	Bucket objstore.Bucket
	// RuntimeID stands in the head and in manifests; the lock's owner id is
	// made of it.
	RuntimeID string
	// Log is a manifest log of the same bucket that others use too, so that few
	// manifests are missing when foreign commits must be looked at. Nil: one of
	// our own, in memory.
	Log *chain.Log
	// Identities calls each for the identity of every row in a data file that
	// another writer committed; nil: the whole file is fetched and read.
	Identities func(ctx context.Context, file chain.File, each func(identity string)) error
	// OnCommit is told of each commit as it becomes visible, in their order and before
	// anybody is answered or Head says so. It must be quick and keep nothing of its
	// argument but the strings, Bodies and Rows. Nil: nobody is told.
	OnCommit func(LocalCommit)
	// TempDir is where the data files of large transactions lie until they are
	// uploaded, under no name, and foreign ones while they are read. It is made
	// when it is missing; os.TempDir when "".
	TempDir string
	// LockTimeout is how long a transaction waits for a lock that another writer
	// or a Reservation holds; 5 s when 0 (s3_lock_timeout_ms).
	LockTimeout time.Duration
	// LeaseTTL is the length of a lease; 30 s when 0 (s3_lease_ttl_ms).
	LeaseTTL time.Duration
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // the wall clock; time.Now when nil
}

// Times of a tenure, the time for which the lock is held (decision A30).
const (
	idleHold = 200 * time.Millisecond // after the last commit, so that a lone client stays warm
	maxHold  = time.Second            // then the lock is given up under load, for nobody can see who waits
	minPause = 150 * time.Millisecond // the least time it is then left free
	// pauseTrips is how many round trips the lock is left free when they are slow.
	pauseTrips = 5
	// maxGroup is how many transactions share one head swap at most, and mostShared
	// how many bytes of rows they have together where they are more than one.
	maxGroup      = 256
	maxGroupBytes = 64 << 20
	// maxSpooling is how many large transactions are written to files at a time:
	// each has a row group in memory, compressed.
	maxSpooling = 2
	// finishTimeout bounds the steps that come after a commit is decided, and those
	// that find out whether it is.
	finishTimeout = 10 * time.Second
)

// Committer commits transactions to one ontology, from any number of
// goroutines. Those that wait at the same time share one head swap.
type Committer struct {
	o     Options
	queue *Queue[*pending]
	lock  *lock

	seed     maphash.Seed  // of the hashes of identities
	spooling chan struct{} // one for each large transaction that is being written to a file
	drafting chan struct{} // a place for each Draft under way; a slow client may hold one for long

	own     atomic.Pointer[ownHead]
	cleanup sync.WaitGroup // removals of orphans

	// What follows belongs to the worker.
	store         store
	indexes       *indexer
	indexesBehind bool          // the last tenure ended before the indexes were up to date
	roundTrip     time.Duration // of the last head swap
}

// Open makes a Committer. It asks the store for nothing before the first
// Commit. The caller closes it.
func Open(o Options) *Committer {
	if o.LockTimeout == 0 {
		o.LockTimeout = 5 * time.Second
	}
	if o.LeaseTTL == 0 {
		o.LeaseTTL = 30 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Identities == nil {
		o.Identities = func(ctx context.Context, file chain.File, each func(string)) error {
			return identitiesOf(ctx, o.Bucket, o.TempDir, file, each)
		}
	}
	if o.Log == nil {
		o.Log, _ = chain.Open("", chain.Options{Bucket: o.Bucket, Logger: o.Logger}) // without a directory nothing can fail
	}
	c := &Committer{
		o: o, queue: NewQueue[*pending](o.LockTimeout, o.Now),
		seed: maphash.MakeSeed(), spooling: make(chan struct{}, maxSpooling), drafting: make(chan struct{}, maxSpooling),
	}
	c.lock = &lock{bucket: o.Bucket, owner: o.RuntimeID + "-" + randomHex(), ttl: o.LeaseTTL, now: o.Now, log: o.Logger}
	c.store = store{bucket: o.Bucket, log: o.Log, logger: o.Logger, objects: newSchemaObjects(o.Bucket)}
	c.indexes = &indexer{bucket: o.Bucket, logger: o.Logger, known: map[ontosql.TypeRef]*knownIndex{}}
	c.queue.Run(c.run)
	return c
}

// randomHex are the eight hex digits that tell attempts, and holders of the
// lock, apart (seed 000 section 2.4, COMPAT 3.3).
func randomHex() string {
	var id [4]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// Commit waits until the transaction is decided. A nil error is the only
// success. Errors that promise that nothing of it is visible and nothing will
// be: *ConflictError, *ReadConflictError, *SchemaChangedError, *HeadConflictError,
// *LeaseHeldError, ErrLeaseLost, ontosql.ErrHeadMoved (others kept being faster), ErrClosed, and
// every other one, save *UnknownOutcomeError, which promises nothing.
//
// When ctx ends before the transaction is taken from the queue, the error is
// the cause; after that its decision is waited for.
func (c *Committer) Commit(ctx context.Context, tx Tx) (Outcome, error) {
	p, err := c.prepare(ctx, tx)
	if err != nil {
		return Outcome{}, err
	}
	defer p.release()
	return c.queue.Commit(p)
}

// Close takes no more transactions, decides those that wait, brings the
// indexes up to date and removes the lock. When ctx ends first, it breaks off
// what is under way; the error is then the cause.
func (c *Committer) Close(ctx context.Context) error {
	err := c.queue.Close(ctx)
	c.cleanup.Wait()
	return err
}

// run is the worker: while there are transactions it holds the lock, again and
// again, and once more for indexes that it still owes.
func (c *Committer) run() {
	for {
		waiting, closed := c.queue.State()
		switch {
		case waiting > 0:
			c.holdLock()
		case c.indexesBehind:
			// Whoever has the lock now fills the gap, so it is not waited for; and
			// what a second lease is too short for is left to the next writer.
			c.holdLock()
			c.indexesBehind = false
		case closed:
			ctx, cancel := c.finishContext()
			defer cancel()
			if err := c.lock.remove(ctx); err != nil {
				c.o.Logger.WarnContext(ctx, "lock not removed", "error", err)
			}
			return
		default:
			<-c.queue.Wake()
		}
	}
}

// finishContext is the context of steps that nothing may cut short but their own time.
func (c *Committer) finishContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.queue.Context()), finishTimeout)
}

var errQueueEmpty = errors.New("nobody waits for the lock any more")

// holdLock is one tenure: take the lock, commit what comes, give the lock back.
func (c *Committer) holdLock() {
	claim, err := c.lock.acquire(c.queue.Context(), func(holder *format.Lock) error {
		if !c.queue.Expire(heldBy(holder)) {
			return errQueueEmpty
		}
		return nil
	})
	if err != nil {
		if !errors.Is(err, errQueueEmpty) {
			c.queue.Fail(err)
		}
		return
	}
	t := &lockHolder{Committer: c, lease: c.lock.hold(c.queue.Context(), claim)}
	loaded := t.serve()
	ctx, cancel := c.finishContext()
	defer cancel()
	if err := t.lease.release(ctx); err != nil {
		c.o.Logger.WarnContext(ctx, "lock not given back", "error", err)
	}
	if _, closed := c.queue.State(); loaded && !closed {
		_ = sleep(c.queue.Context(), max(minPause, pauseTrips*c.roundTrip))
	}
}
