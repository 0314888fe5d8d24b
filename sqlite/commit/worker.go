package commit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite/initdb"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/writelock"
	"github.com/ontosql/ontosql/writepath"
)

// lockPollInterval is the interval of checks of another writer's lock, as in the original
// (seed 002 section 4.2).
const lockPollInterval = 10 * time.Millisecond

// releaseTimeout bounds the steps after all decisions.
const releaseTimeout = 10 * time.Second

// run is the worker.
func (c *Committer) run() {
	defer func() {
		c.turn.Lock()
		defer c.turn.Unlock()
		c.closeFile()
	}()
	for {
		waiting, closed := c.queue.State()
		switch {
		case waiting > 0:
			c.turn.Lock()
			c.serve()
			c.turn.Unlock()
		case closed:
			return
		default:
			c.waitForWork()
		}
	}
}

// idleTimeout is how long the file stays open after the last commit.
const idleTimeout = time.Second

// waitForWork waits until there is something to do.
func (c *Committer) waitForWork() {
	c.turn.Lock()
	opened, served := c.writer != nil, c.groupsServed
	c.turn.Unlock()
	var tick <-chan time.Time
	if opened {
		timer := time.NewTimer(idleTimeout)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-c.queue.Wake():
	case <-tick:
		c.turn.Lock()
		defer c.turn.Unlock()
		if c.groupsServed == served {
			c.closeFile()
		}
	}
}

// serveHere is serve on a committing caller's goroutine, if the turn is free and the file is
// open: switching to the worker and back takes as long as writing a small transaction. Work
// that has to wait is left to the worker.
func (c *Committer) serveHere() bool {
	if !c.turn.TryLock() {
		return false
	}
	defer c.turn.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			// The session would survive a panic, but the state of the file is unknown.
			go panic(fmt.Sprintf("%v\n\n%s", cause, debug.Stack()))
			<-c.queue.Context().Done()
		}
	}()
	if c.writer == nil || c.baseline.view == nil || c.tryBegin(false) != nil {
		return false
	}
	group := c.queue.Take(maxGroup)
	if len(group) > 0 && group[0].Reserves() { // which takes long
		c.writer.Rollback()
		c.queue.PutBack(group)
		return false
	}
	c.serveGroup(group)
	return true
}

// closeFile truncates the write-ahead log and closes the file, so that restoring the file with
// cp is detected (sqlite/stale.go).
func (c *Committer) closeFile() {
	if c.walDirty {
		c.walDirty = false
		if err := c.checkpoint(); err != nil {
			c.o.Logger.Debug("write-ahead log not emptied", "error", err)
		}
	}
	c.dropWriter()
}

var errQueueEmpty = errors.New("no transaction waits for the lock")

// serve commits a group of waiting transactions.
func (c *Committer) serve() {
	if err := c.begin(); err != nil {
		if !errors.Is(err, errQueueEmpty) {
			c.queue.Fail(err)
		}
		return
	}
	group := c.queue.Take(maxGroup)
	if len(group) > 0 && group[0].Reserves() {
		c.reserve(group[0])
		return
	}
	c.serveGroup(group)
}

// serveGroup commits a group in the transaction that was begun for it.
func (c *Committer) serveGroup(group []*pending) {
	if len(group) == 0 {
		c.writer.Rollback()
		return
	}
	c.groupsServed++
	c.decide(group)
	c.limitWAL()
}

// maxWAL is the size of the write-ahead log, in bytes, from which a checkpoint waits for
// readers: SQLite's automatic checkpoints do not, and the log is only reset when there are
// none.
const maxWAL = 64 << 20

// walBytesPerCommit estimates what a commit adds to the write-ahead log besides its rows, in
// bytes.
const walBytesPerCommit = 32 << 10

// limitWAL bounds the write-ahead log even if there are always readers. It checks only
// sometimes.
func (c *Committer) limitWAL() {
	if c.writer == nil || c.walBytes < maxWAL/8 {
		return
	}
	c.walBytes = 0
	if log, err := os.Stat(sqlconn.WALPath(c.writer.Path)); err != nil || log.Size() < maxWAL {
		return
	}
	if err := c.checkpoint(); err != nil {
		c.o.Logger.Debug("write-ahead log not emptied", "error", err)
	}
}

// begin begins a write transaction when no other writer holds the file or the lock. Meanwhile
// waiting transactions whose lock timeout is over fail.
func (c *Committer) begin() error {
	var held *writepath.LeaseHeldError
	for {
		err := c.tryBegin(held != nil)
		if err == nil || !errors.As(err, &held) && !sqlconn.IsBusy(err) {
			return err
		}
		if !c.queue.Expire(err) {
			return errQueueEmpty
		}
		if err := sleep(c.queue.Context(), lockPollInterval); err != nil {
			return err
		}
	}
}

// tryBegin begins a transaction unless another writer prevents it. afterHeld is set if the
// lock was held at the last attempt: the lock is then read before the transaction begins, so
// that its holder is not blocked.
func (c *Committer) tryBegin(afterHeld bool) error {
	w, err := c.connection()
	if err != nil {
		return err
	}
	if c.baseline.view == nil {
		// The first read may take long and is done before other writers are blocked; it is
		// cached.
		if _, err := c.o.DB.Pin(c.queue.Context()); err != nil {
			return err
		}
	}
	if afterHeld {
		seen, err := writelock.Current(w)
		if err != nil {
			return c.fail("read the write lock", err)
		}
		if err := c.lock.Blocks(seen); err != nil {
			return err
		}
	}
	if err := w.Begin(c.o.LockTimeout); err != nil {
		return c.fail("begin", err)
	}
	if c.version, _, err = w.Int64("PRAGMA data_version"); err != nil {
		return c.fail("begin", err)
	}
	if c.isUninterrupted() {
		return nil
	}
	if err := initdb.Upgrade(w, c.now()); err != nil {
		return c.fail("bring an old file up to date", err)
	}
	if err := c.lock.Admit(w); err != nil {
		return c.fail("take the write lock", err)
	}
	return nil
}

// isUninterrupted reports whether no other connection has committed since this Committer's
// last transaction.
func (c *Committer) isUninterrupted() bool { return c.version == c.baseline.cleanAt }

func (c *Committer) now() format.Time { return format.TimeOf(c.o.Now()) }

// connection returns the open file. It reopens a file that was replaced at its path.
func (c *Committer) connection() (*sqlconn.Writer, error) {
	if c.o.DB.ReadOnly() {
		return nil, fmt.Errorf("%w: the file was opened read-only", ontosql.ErrReadOnly)
	}
	if c.writer != nil && !c.writer.InPlace() {
		c.o.Logger.Warn("the file of the ontology was replaced", "path", c.writer.Path)
		c.dropWriter()
	}
	if c.writer == nil {
		w, err := sqlconn.OpenWriter(c.o.DB.Path())
		if errors.Is(err, fs.ErrNotExist) && !c.fileExisted {
			return nil, fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
		}
		if err != nil {
			return nil, err
		}
		c.writer, c.fileExisted, c.baseline = w, true, baseline{}
		c.o.DB.AddWriters(1)
	}
	return c.writer, nil
}

// fail rolls back the transaction and wraps err for the caller. Unless the file is merely
// busy, it is closed and opened again for the next transaction.
func (c *Committer) fail(doing string, err error) error {
	c.writer.Rollback()
	if storage := sqlconn.Condition(err); storage != nil && !errors.Is(storage, ontosql.ErrBusy) {
		if errors.Is(storage, ontosql.ErrFull) { // rolled-back pages occupy the log until it is truncated
			if err := c.checkpoint(); err != nil {
				c.o.Logger.Debug("write-ahead log not emptied", "error", err)
			}
		}
		c.dropWriter()
	}
	return sqlconn.StorageError(doing, err)
}

// dropWriter closes the file.
func (c *Committer) dropWriter() {
	if c.writer == nil {
		return
	}
	c.writer.Rollback()
	if err := c.writer.Close(); err != nil {
		c.o.Logger.Warn("file not closed", "error", err)
	}
	c.o.DB.AddWriters(-1)
	c.writer, c.baseline = nil, baseline{}
}

// checkpoint truncates the write-ahead log, unless readers prevent it.
func (c *Committer) checkpoint() error {
	if c.writer == nil || !c.writer.InPlace() {
		return nil
	}
	return c.writer.Checkpoint()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
