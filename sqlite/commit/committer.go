package commit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
	"github.com/ontosql/ontosql/writepath"
)

// Options configures a Committer.
type Options struct {
	// DB is the ontology. Its next Pin includes new commits.
	DB *sqlite.DB
	// RuntimeID is written to schema versions and is part of the lock's owner id.
	RuntimeID string
	// OnCommit is called for each commit when it is visible, in commit order and before any
	// Commit returns. It must be quick. It may be nil.
	OnCommit func(writepath.LocalCommit)
	// LockTimeout bounds a transaction's wait for a lock that another writer or a Reservation
	// holds; 5 s when 0, as the original's.
	LockTimeout time.Duration
	// LeaseTTL is the length of a Reservation's lease; 30 s when 0.
	LeaseTTL time.Duration
	Logger   *slog.Logger     // nil discards
	Now      func() time.Time // the wall clock; time.Now when nil
}

// Bounds of the transactions that share one SQLite transaction.
const (
	maxGroup      = 256      // transactions
	maxGroupBytes = 64 << 20 // bytes of their rows, if there are several
)

// Committer commits transactions to the ontology in one SQLite file. It is safe for concurrent
// use. Transactions that wait at the same time share one SQLite transaction; each has a commit
// of its own.
type Committer struct {
	o     Options
	queue *writepath.Queue[*pending]

	// turn guards the fields below. The worker holds it, or a caller of Commit that commits on
	// its own goroutine.
	turn         sync.Mutex
	sender       eventbus.Sender
	groupsServed uint64 // groups
	lock         writelock.Holder
	writer       *sqlconn.Writer // nil until needed, and after an error
	fileExisted  bool            // the file existed
	baseline     baseline
	walDirty     bool // there were commits since the last checkpoint
	walBytes     int  // estimated bytes written to the log since its size was checked

	version int64 // PRAGMA data_version in the current transaction
}

// Open returns a Committer. The file is opened at the first commit. The caller closes the
// Committer, and the DB after it.
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
	c.sender.Now = o.Now
	c.lock = writelock.Holder{Owner: o.RuntimeID + "-" + randomHex(), TTL: o.LeaseTTL, Now: o.Now}
	c.queue.Run(c.run)
	return c
}

// randomHex returns eight random hex digits, which distinguish attempts and lock holders.
func randomHex() string {
	var id [4]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// Commit waits until the transaction is decided. It is committed, durably, only if the error
// is nil. Errors are those of writepath.Committer, and the dictionary's ErrBusy, ErrFull,
// ErrReadOnly and ErrStorage; all but *writepath.UnknownOutcomeError guarantee that nothing of
// it is visible.
//
// If ctx ends before the transaction is taken from the queue, the error is the cause; after
// that Commit waits for the decision.
func (c *Committer) Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
	p, err := prepare(ctx, tx)
	if err != nil {
		return writepath.Outcome{}, err
	}
	return c.queue.CommitInline(p, c.serveHere)
}

// Insert is Commit for new rows whose identities were not looked up and that depend only on
// the given catalog version: Pin and Reads are ignored. If an identity is stored, the error is
// a *writepath.ConflictError; if the catalog has another version, ontosql.ErrHeadMoved. It
// does not wait for another lock holder. After an error the caller looks the rows up and
// commits in the usual way.
func (c *Committer) Insert(ctx context.Context, tx writepath.Tx, catalog string) (writepath.Outcome, error) {
	tx.LockTimeout = 1 // ns: fails at once if the lock is held
	p, err := prepare(ctx, tx)
	if err != nil {
		return writepath.Outcome{}, err
	}
	p.catalog = catalog
	return c.queue.CommitInline(p, c.serveHere)
}

// Draft returns nil: rows are only written to the file when they are committed.
func (c *Committer) Draft(writepath.Data) *writepath.Draft { return nil }

// Close refuses new transactions, decides those that wait and closes the file. If ctx ends
// first, waiting for another writer's lock is aborted, and the error is the cause.
func (c *Committer) Close(ctx context.Context) error { return c.queue.Close(ctx) }
