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

// poll is how often a lock that another writer holds is looked at, as the original
// does (seed 002 section 4.2).
const poll = 10 * time.Millisecond

// afterwards bounds what is done after everything is decided.
const afterwards = 10 * time.Second

// run is the worker.
func (c *Committer) run() {
	defer func() {
		c.turn.Lock()
		defer c.turn.Unlock()
		c.leave()
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
			c.rest()
		}
	}
}

// idle is how long nobody commits before the file is left: a lone client is not to
// wait for that.
const idle = time.Second

// rest waits until there is something to do.
func (c *Committer) rest() {
	c.turn.Lock()
	opened, served := c.writer != nil, c.served
	c.turn.Unlock()
	var tick <-chan time.Time
	if opened {
		timer := time.NewTimer(idle)
		defer timer.Stop()
		tick = timer.C
	}
	select {
	case <-c.queue.Wake():
	case <-tick:
		c.turn.Lock()
		defer c.turn.Unlock()
		if c.served == served {
			c.leave()
		}
	}
}

// serveHere is serve on the goroutine of one who commits, if nobody has the turn and
// the file is open: to change to the worker's and back takes as long as the rows of a
// small transaction. The worker is left what has to be waited for.
func (c *Committer) serveHere() bool {
	if !c.turn.TryLock() {
		return false
	}
	defer c.turn.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			// A session would survive it, and nobody knows any more what is in the file.
			go panic(fmt.Sprintf("%v\n\n%s", cause, debug.Stack()))
			<-c.queue.Context().Done()
		}
	}()
	if c.writer == nil || c.known.view == nil || c.admitted(false) != nil {
		return false
	}
	group := c.queue.Take(longest)
	if len(group) > 0 && group[0].Reserves() { // which lasts
		c.writer.Rollback()
		c.queue.PutBack(group)
		return false
	}
	c.serveGroup(group)
	return true
}

// leave empties the write-ahead log and closes the file: what is restored into it
// while nobody writes is then not taken for what it was (DB.anew).
func (c *Committer) leave() {
	if c.dirty {
		c.dirty = false
		if err := c.checkpoint(); err != nil {
			c.o.Logger.Debug("write-ahead log not emptied", "error", err)
		}
	}
	c.drop()
}

var errNobodyWaits = errors.New("nobody waits for the lock any more")

// serve decides what waits, as much of it as can be decided together.
func (c *Committer) serve() {
	if err := c.begin(); err != nil {
		if !errors.Is(err, errNobodyWaits) {
			c.queue.Fail(err)
		}
		return
	}
	group := c.queue.Take(longest)
	if len(group) > 0 && group[0].Reserves() {
		c.reserve(group[0])
		return
	}
	c.serveGroup(group)
}

// serveGroup decides what was taken, in the transaction that was begun for it.
func (c *Committer) serveGroup(group []*pending) {
	if len(group) == 0 {
		c.writer.Rollback()
		return
	}
	c.served++
	c.decide(group)
	c.bound()
}

// mostWAL is how large the write-ahead log may be, in bytes, before a checkpoint
// waits for readers: SQLite's own ones go round them, and the log is begun anew
// only when there is none.
const mostWAL = 64 << 20

// pagesOfCommit is about what a commit adds to the write-ahead log beside its rows, in
// bytes.
const pagesOfCommit = 32 << 10

// bound keeps the write-ahead log from growing for as long as there is always
// somebody who reads. It looks once in a while.
func (c *Committer) bound() {
	if c.writer == nil || c.logged < mostWAL/8 {
		return
	}
	c.logged = 0
	if log, err := os.Stat(sqlconn.WALPath(c.writer.Path)); err != nil || log.Size() < mostWAL {
		return
	}
	if err := c.checkpoint(); err != nil {
		c.o.Logger.Debug("write-ahead log not emptied", "error", err)
	}
}

// begin begins a transaction that writes, once no other writer holds the file or
// the lock. Those whose time to wait is over meanwhile end here.
func (c *Committer) begin() error {
	var held *writepath.LeaseHeldError
	for {
		err := c.admitted(held != nil)
		if err == nil || !errors.As(err, &held) && !sqlconn.IsBusy(err) {
			return err
		}
		if !c.queue.Expire(err) {
			return errNobodyWaits
		}
		if err := sleep(c.queue.Context(), poll); err != nil {
			return err
		}
	}
}

// admitted begins a transaction if nobody keeps us from it. After somebody did who
// has the lock, it is looked at without a transaction first, so that he is not kept
// waiting himself.
func (c *Committer) admitted(afterHeld bool) error {
	w, err := c.connection()
	if err != nil {
		return err
	}
	if c.known.view == nil {
		// A first look may take long, and is not for the time in which nobody else
		// can write: what it finds, the next one need not look for.
		if _, err := c.o.DB.Pin(c.queue.Context()); err != nil {
			return err
		}
	}
	if afterHeld {
		seen, err := writelock.Current(w)
		if err != nil {
			return c.trouble("read the write lock", err)
		}
		if err := c.lock.Blocks(seen); err != nil {
			return err
		}
	}
	if err := w.Begin(c.o.LockTimeout); err != nil {
		return c.trouble("begin", err)
	}
	if c.version, _, err = w.Int64("PRAGMA data_version"); err != nil {
		return c.trouble("begin", err)
	}
	if c.undisturbed() {
		return nil
	}
	if err := initdb.Upgrade(w, c.now()); err != nil {
		return c.trouble("bring an old file up to date", err)
	}
	if err := c.lock.Admit(w); err != nil {
		return c.trouble("take the write lock", err)
	}
	return nil
}

// undisturbed reports whether the transaction at hand follows our last one.
func (c *Committer) undisturbed() bool { return c.version == c.known.settled }

func (c *Committer) now() format.Time { return format.TimeOf(c.o.Now()) }

// connection is the open file; one that was replaced at its path is left.
func (c *Committer) connection() (*sqlconn.Writer, error) {
	if c.o.DB.ReadOnly() {
		return nil, fmt.Errorf("%w: the file was opened read-only", ontosql.ErrReadOnly)
	}
	if c.writer != nil && !c.writer.InPlace() {
		c.o.Logger.Warn("the file of the ontology was replaced", "path", c.writer.Path)
		c.drop()
	}
	if c.writer == nil {
		w, err := sqlconn.OpenWriter(c.o.DB.Path())
		if errors.Is(err, fs.ErrNotExist) && !c.opened {
			return nil, fmt.Errorf("%w: %w", ontosql.ErrNotInitialised, err)
		}
		if err != nil {
			return nil, err
		}
		c.writer, c.opened, c.known = w, true, known{}
		c.o.DB.AddWriters(1)
	}
	return c.writer, nil
}

// trouble is err as a caller sees it. The transaction is undone, and unless another
// connection was in the way only, the file is opened anew the next time.
func (c *Committer) trouble(doing string, err error) error {
	c.writer.Rollback()
	if storage := sqlconn.Condition(err); storage != nil && !errors.Is(storage, ontosql.ErrBusy) {
		if errors.Is(storage, ontosql.ErrFull) { // what is undone takes room in the log until it is emptied
			if err := c.checkpoint(); err != nil {
				c.o.Logger.Debug("write-ahead log not emptied", "error", err)
			}
		}
		c.drop()
	}
	return sqlconn.StorageError(doing, err)
}

// drop closes the file.
func (c *Committer) drop() {
	if c.writer == nil {
		return
	}
	c.writer.Rollback()
	if err := c.writer.Close(); err != nil {
		c.o.Logger.Warn("file not closed", "error", err)
	}
	c.o.DB.AddWriters(-1)
	c.writer, c.known = nil, known{}
}

// checkpoint empties the write-ahead log, unless readers are in the way.
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
