package commit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
	"github.com/ontosql/ontosql/writepath"
)

// Options are those of a Committer.
type Options struct {
	// DB is the ontology. Its next Pin finds what was committed.
	DB *sqlite.DB
	// RuntimeID stands in schema versions; the lock's owner id is made of it.
	RuntimeID string
	// OnCommit is called for each commit when it is visible, in commit order and before any
	// Commit returns. It must be quick. It may be nil.
	OnCommit func(writepath.LocalCommit)
	// LockTimeout is how long a transaction waits for a lock that another writer or
	// a Reservation holds; 5 s when 0, as the original's.
	LockTimeout time.Duration
	// LeaseTTL is the length of a Reservation's lease; 30 s when 0.
	LeaseTTL time.Duration
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // the wall clock; time.Now when nil
}

// Bounds of what is decided together in one SQLite transaction.
const (
	maxGroup      = 256      // transactions
	maxGroupBytes = 64 << 20 // bytes of their rows, where they are more than one
)

// Committer commits transactions to the ontology in one SQLite file, from any
// number of goroutines. Those that wait at the same time share one SQLite
// transaction, and each keeps a commit of its own.
type Committer struct {
	o     Options
	queue *writepath.Queue[*pending]

	// turn guards what follows. The worker holds it, or a caller of Commit that commits on its
	// own goroutine.
	turn         sync.Mutex
	groupsServed uint64 // groups
	lock         writelock.Holder
	writer       *sqlconn.Writer // nil until it is needed, and after trouble
	fileExisted  bool            // there was a file
	baseline     baseline
	walDirty     bool // something was committed since the last checkpoint
	walBytes     int  // about how many bytes went into the log since its size was checked

	version int64 // PRAGMA data_version of the transaction at hand
}

// Open makes a Committer. It touches the file when there is something to
// commit. The caller closes it, and the DB after it.
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
	c := &Committer{o: o, queue: writepath.NewQueue[*pending](o.LockTimeout, o.Now)}
	c.lock = writelock.Holder{Owner: o.RuntimeID + "-" + randomHex(), TTL: o.LeaseTTL, Now: o.Now}
	c.queue.Run(c.run)
	return c
}

// randomHex are the eight hex digits that tell attempts, and holders of the lock,
// apart.
func randomHex() string {
	var id [4]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// Commit waits until the transaction is decided. A nil error is the only success:
// the commit is on the disk then. Errors are those of writepath.Committer, with the
// dictionary's ErrBusy, ErrFull, ErrReadOnly and ErrStorage; all but
// *writepath.UnknownOutcomeError promise that nothing of it is visible.
//
// When ctx ends before the transaction is taken from the queue, the error is
// the cause; after that its decision is waited for.
func (c *Committer) Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
	p, err := prepare(ctx, tx)
	if err != nil {
		return writepath.Outcome{}, err
	}
	return c.queue.CommitInline(p, c.serveHere)
}

// Insert is Commit for rows of identities that nobody has looked for, made by the
// catalog of this version and by nothing else that was read: neither the Pin is asked
// nor Reads. Where an identity is stored, that is a *writepath.ConflictError; where the
// catalog is another one by now, ontosql.ErrHeadMoved. It waits for nobody who has the
// lock. So whoever is refused has lost little, and finds by a look what there is to say.
func (c *Committer) Insert(ctx context.Context, tx writepath.Tx, catalog string) (writepath.Outcome, error) {
	tx.LockTimeout = 1 // ns: it is over as soon as somebody is found in the way
	p, err := prepare(ctx, tx)
	if err != nil {
		return writepath.Outcome{}, err
	}
	p.catalog = catalog
	return c.queue.CommitInline(p, c.serveHere)
}

// Draft is nil: rows go into the file when they are committed, and nowhere before.
func (c *Committer) Draft(writepath.Data) *writepath.Draft { return nil }

// Close takes no more transactions, decides those that wait and closes the file.
// When ctx ends first, what waits for another writer's lock is broken off; the
// error is then the cause.
func (c *Committer) Close(ctx context.Context) error { return c.queue.Close(ctx) }
