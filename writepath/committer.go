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
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// Options configures a Committer.
type Options struct {
	Bucket objstore.Bucket
	// RuntimeID is written to the head and to manifests, and is part of the lock's owner id.
	RuntimeID string
	// Log is a manifest log of the same bucket, shared with readers so that few manifests have
	// to be read to check foreign commits. Nil means a private one in memory.
	Log *chain.Log
	// Identities calls each for the identity of every row in a data file of another writer.
	// Nil means that the whole file is fetched and read.
	Identities func(ctx context.Context, file chain.File, each func(identity string)) error
	// OnCommit is called for each commit when it is visible, in commit order and before Commit
	// returns or Head includes it. It must be quick and may keep only the strings, Bodies and
	// Rows of its argument. It may be nil.
	OnCommit func(LocalCommit)
	// OnIndex is called when the indexes of all types reach a commit. It must be quick. It may be nil.
	OnIndex func(ontosql.CommitID)
	// TempDir is the directory for the unnamed data files of large transactions until they are
	// uploaded, and for foreign files while they are read. It is created if missing; "" means
	// os.TempDir.
	TempDir string
	// LockTimeout is how long a transaction waits for a lock that another writer
	// or a Reservation holds; 5 s when 0 (s3_lock_timeout_ms).
	LockTimeout time.Duration
	// LeaseTTL is the length of a lease; 30 s when 0 (s3_lease_ttl_ms).
	LeaseTTL time.Duration
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // the wall clock; time.Now when nil
}

// Times for which the lock is held (decision A30).
const (
	idleHold = 200 * time.Millisecond // the lock is kept after the last commit, for a single client's next one
	maxHold  = time.Second            // the lock is released under load after this time, since other writers that wait are not visible
	minPause = 150 * time.Millisecond // minimum time between releasing the lock under load and taking it again
	// pauseTrips is that pause in round trips, if they are slow.
	pauseTrips = 5
	// maxGroup bounds the transactions that share one head swap, and maxGroupBytes the bytes
	// of their rows if there are several.
	maxGroup      = 256
	maxGroupBytes = 64 << 20
	// maxSpooling bounds the large transactions written to files at a time: each has a
	// compressed row group in memory.
	maxSpooling = 2
	// finishTimeout bounds the steps after a commit is decided, and those that find out
	// whether it is.
	finishTimeout = 10 * time.Second
)

// Committer commits transactions to one ontology. It is safe for concurrent use. Transactions
// that wait at the same time share one head swap.
type Committer struct {
	o     Options
	queue *Queue[*pending]
	lock  *lock

	seed     maphash.Seed  // for hashes of identities
	spooling chan struct{} // semaphore of large transactions being written to files
	drafting chan struct{} // semaphore of Drafts; separate, because a slow client may hold one for long

	own     atomic.Pointer[ownHead]
	cleanup sync.WaitGroup // removal of orphaned objects
	sender  eventbus.Sender
	sending sending

	// The fields below are used by the worker only.
	store         store
	indexes       *indexer
	indexesBehind bool          // the lock was released before the indexes were up to date
	roundTrip     time.Duration // duration of the last head swap
}

// Open creates a Committer. It makes no request before the first Commit. The caller closes it.
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
		o.Log, _ = chain.Open("", chain.Options{Bucket: o.Bucket, Logger: o.Logger}) // cannot fail without a directory
	}
	c := &Committer{
		o: o, queue: NewQueue[*pending](o.LockTimeout, o.Now),
		seed: maphash.MakeSeed(), spooling: make(chan struct{}, maxSpooling), drafting: make(chan struct{}, maxSpooling),
	}
	c.lock = &lock{bucket: o.Bucket, key: format.LockKey, owner: o.RuntimeID + "-" + randomHex(), ttl: o.LeaseTTL, now: o.Now, log: o.Logger}
	c.store = store{bucket: o.Bucket, log: o.Log, logger: o.Logger, objects: newSchemaObjects(o.Bucket)}
	c.indexes = &indexer{bucket: o.Bucket, logger: o.Logger, published: o.OnIndex, known: map[ontosql.TypeRef]*knownIndex{}}
	c.sender.Now = o.Now
	c.sending.outbox = c.newOutbox()
	c.queue.Run(c.run)
	return c
}

// randomHex returns eight random hex digits, which distinguish attempts and lock holders (seed
// 000 section 2.4, COMPAT 3.3).
func randomHex() string {
	var id [4]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// Commit waits until the transaction is decided. It is committed only if the error is nil.
// These errors guarantee that nothing of it is or will be visible: *ConflictError,
// *ReadConflictError, *SchemaChangedError, *HeadConflictError, *LeaseHeldError, ErrLeaseLost,
// ontosql.ErrHeadMoved (other writers were faster every time), ErrClosed, and all others
// except *UnknownOutcomeError, which guarantees nothing.
//
// If ctx ends before the transaction is taken from the queue, the error is the cause; after
// that Commit waits for the decision.
func (c *Committer) Commit(ctx context.Context, tx Tx) (Outcome, error) {
	p, err := c.prepare(ctx, tx)
	if err != nil {
		return Outcome{}, err
	}
	defer p.release()
	if tx.SendsOnly() && len(tx.Events) == 1 {
		return Outcome{}, c.sendOne(ctx, tx.Events[0])
	}
	return c.queue.Commit(p)
}

// Waiting reports whether a transaction waits to be committed.
func (c *Committer) Waiting() bool {
	waiting, _ := c.queue.State()
	return waiting > 0
}

// Close refuses new transactions, decides those that wait, updates the indexes, removes the lock
// and sends the events of commits. If ctx ends first, it aborts the work in progress, and the error is the cause.
func (c *Committer) Close(ctx context.Context) error {
	err := c.queue.Close(ctx)
	c.cleanup.Wait()
	return err
}

// run is the worker: it takes the lock whenever there are transactions, and once more if the
// indexes are not up to date.
func (c *Committer) run() {
	for {
		waiting, closed := c.queue.State()
		switch {
		case waiting > 0:
			c.holdLock()
		case c.indexesBehind:
			// Another holder of the lock updates the indexes, so this does not wait for it; if
			// a second lease is too short as well, the next writer does it.
			c.holdLock()
			c.indexesBehind = false
		case closed:
			ctx, cancel := c.finishContext()
			defer cancel()
			if err := c.lock.remove(ctx); err != nil {
				c.o.Logger.WarnContext(ctx, "lock not removed", "error", err)
			}
			c.sending.ended.Wait()
			return
		default:
			<-c.queue.Wake()
		}
	}
}

// finishContext returns a context for steps that only finishTimeout may cut short.
func (c *Committer) finishContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.queue.Context()), finishTimeout)
}

var errQueueEmpty = errors.New("no transaction waits for the lock")

// holdLock takes the lock, commits transactions and releases the lock.
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
		c.o.Logger.WarnContext(ctx, "lock not released", "error", err)
	}
	if _, closed := c.queue.State(); loaded && !closed {
		_ = sleep(c.queue.Context(), max(minPause, pauseTrips*c.roundTrip))
	}
}
