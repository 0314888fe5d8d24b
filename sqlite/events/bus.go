package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Options configures a Bus.
type Options struct {
	// DB is the ontology. Its owner closes it after the Bus.
	DB *sqlite.DB
	// Now is the clock of times and leases; time.Now if nil.
	Now func() time.Time
	// Damaged is called with a *ontosql.CorruptError for each row that cannot be read and is left
	// out, once for each, one call at a time. It must not call the Bus. It may be nil.
	Damaged func(error)
	// Wait bounds the wait for another process that writes; 5 s if 0.
	Wait time.Duration
}

// Bus is the event bus in a SQLite file. Its methods are safe for concurrent use. Errors of the file
// are the dictionary's: ontosql.ErrBusy, ErrFull, ErrReadOnly, ErrStorage, ErrNotInitialised.
type Bus struct {
	o      Options
	sender eventbus.Sender

	mu      sync.Mutex
	waiting []*change // in the order of the calls; guarded by mu

	turn   chan struct{} // held by the call that writes, which owns the fields below
	writer *sqlconn.Writer
	floors floors

	damage eventbus.Damage
}

var _ eventbus.Bus = (*Bus)(nil)

// Open returns a Bus. The file is opened by the first call. The caller closes the Bus.
func Open(o Options) *Bus {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == 0 {
		o.Wait = 5 * time.Second
	}
	return &Bus{o: o, sender: eventbus.Sender{Now: o.Now}, turn: make(chan struct{}, 1), floors: floors{}, damage: eventbus.Damage{Tell: o.Damaged}}
}

// Close closes the file.
func (b *Bus) Close() error {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	return b.drop()
}

func (b *Bus) drop() error {
	if b.writer == nil {
		return nil
	}
	err := b.writer.Close()
	b.writer = nil
	b.o.DB.AddWriters(-1)
	return err
}

// skip reports whether err is about a damaged row, and not about the file, and tells of it.
func (b *Bus) skip(err error) bool {
	var corrupt *ontosql.CorruptError
	return (!errors.As(err, &corrupt) || corrupt.Key != sqlconn.DatabaseFile) && b.damage.Skip(err)
}

// change is a call that writes.
type change struct {
	ctx   context.Context
	doing string
	f     func(w *sqlconn.Writer) error
	err   error
	done  chan struct{} // closed when err is valid
}

// write runs f in a transaction that no other process writes at the same time, with the tables of
// events. The calls that wait while another one writes share the next transaction; one that fails
// leaves nothing in it.
func (b *Bus) write(ctx context.Context, doing string, f func(w *sqlconn.Writer) error) error {
	c := &change{ctx: ctx, doing: doing, f: f, done: make(chan struct{})}
	if err := c.canceled(); err != nil {
		return err
	}
	b.mu.Lock()
	b.waiting = append(b.waiting, c)
	b.mu.Unlock()
	select {
	case b.turn <- struct{}{}:
		b.writeWaiting()
		<-b.turn
	case <-c.done:
	case <-ctx.Done():
		if b.withdraw(c) {
			return c.canceled()
		}
	}
	<-c.done
	return c.err
}

// canceled is the error of a call whose context has ended, and nil before.
func (c *change) canceled() error {
	if c.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c.doing, sqlconn.ContextError(c.ctx))
}

// withdraw takes a change back, unless somebody has begun with it.
func (b *Bus) withdraw(c *change) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.waiting, c)
	if at >= 0 {
		b.waiting = slices.Delete(b.waiting, at, at+1)
	}
	return at >= 0
}

// writeWaiting makes the changes that wait, in one transaction. The caller's own is one of them, or
// was made by somebody else.
func (b *Bus) writeWaiting() {
	b.mu.Lock()
	group := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	if len(group) == 0 {
		return
	}
	err := b.begin()
	if err == nil {
		err = b.makeChanges(group)
	}
	if err != nil {
		if b.writer != nil {
			b.writer.Rollback()
		}
		b.floors = floors{} // they may be those of what is undone now
		if condition := sqlconn.Condition(err); condition != nil && !errors.Is(condition, ontosql.ErrBusy) {
			err = errors.Join(err, b.drop()) // to be opened again
		}
	}
	for _, c := range group {
		switch {
		case c.err != nil:
		case err != nil && c.ctx.Err() != nil:
			c.err = c.canceled()
		case err != nil:
			c.err = sqlconn.StorageError(c.doing, err)
		}
		close(c.done)
	}
}

// makeChanges makes changes and commits them. Its error is that of all.
func (b *Bus) makeChanges(group []*change) error {
	if err := Upgrade(b.writer); err != nil {
		return err
	}
	for _, c := range group {
		if c.err = c.canceled(); c.err != nil {
			continue
		}
		if err := b.writer.Exec("SAVEPOINT change"); err != nil {
			return err
		}
		failure := c.f(b.writer)
		if b.writer.AutocommitEnabled() { // SQLite has ended the transaction: of a full disk, for example
			return failure
		}
		if failure != nil {
			c.err = sqlconn.StorageError(c.doing, failure)
			if err := b.writer.Exec("ROLLBACK TO change"); err != nil {
				return err
			}
		}
		if err := b.writer.Exec("RELEASE change"); err != nil {
			return err
		}
	}
	if !b.writer.InPlace() {
		return fmt.Errorf("%w: the file was replaced or removed", ontosql.ErrStorage)
	}
	return b.writer.Exec("COMMIT")
}

// begin opens the file, unless it is open, and begins a transaction. It waits for other writers.
func (b *Bus) begin() error {
	if b.o.DB.ReadOnly() {
		return fmt.Errorf("%w: the file was opened read-only", ontosql.ErrReadOnly)
	}
	if b.writer != nil && !b.writer.InPlace() {
		if err := b.drop(); err != nil {
			return err
		}
	}
	if b.writer == nil {
		w, err := sqlconn.OpenWriter(b.o.DB.Path())
		if err != nil {
			return err
		}
		b.writer, b.floors = w, floors{}
		b.o.DB.AddWriters(1)
	}
	until := time.Now().Add(b.o.Wait)
	for {
		err := b.writer.Begin(b.o.Wait)
		if !sqlconn.IsBusy(err) || !time.Now().Before(until) {
			return err
		}
	}
}

// Upgrade creates the tables of events that a file lacks, in an open transaction.
func Upgrade(w *sqlconn.Writer) error {
	for _, table := range dbschema.EventTables {
		there, err := w.HasTable(table)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		for _, ddl := range dbschema.EventDDL {
			if err := w.Exec(ddl); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// read runs f in a read transaction. A file without the tables of events has none.
func (b *Bus) read(ctx context.Context, doing string, f func(c *lite.Conn) error) error {
	err := b.o.DB.Read(ctx, func(c *lite.Conn) error {
		there := 0
		err := sqlconn.Each(c, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('events', 'event_claims', 'dead_letters', 'sessions')", func(row *lite.Stmt) error {
			there = row.ColumnInt(0)
			return nil
		})
		if err != nil || there < len(dbschema.EventTables) {
			return err
		}
		return f(c)
	})
	return sqlconn.StorageError(doing, err)
}
