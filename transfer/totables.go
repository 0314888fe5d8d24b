package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/bulk"
	"github.com/ontosql/ontosql/writepath"
)

// copyingSuffix is behind the name of a file that is not complete.
const copyingSuffix = ".copying"

// batchRows is how many rows a transaction of a new file has.
const batchRows = 100_000

// CopyToFile copies the ontology of a bucket into a SQLite file. A new file gets
// its name at the end, after it was compared with the source: until then it is
// path.copying, and a run that was broken off is gone on with from there. Into a
// file that holds an earlier state of the source what is missing is written in one
// transaction. Errors: ErrOtherOntology, *writepath.LeaseHeldError, those of the
// source and of sqlite.
func CopyToFile(ctx context.Context, src *Bucket, path string, o CopyOptions) (*Copied, error) {
	return (&fileCopy{CopyOptions: o, src: src, path: path, batch: batchRows}).run(ctx)
}

// history is a Source with event data.
type history interface {
	Source
	Events(ctx context.Context, visit func(key string, body []byte) error) error
}

// fileCopy is one run of CopyToFile.
type fileCopy struct {
	CopyOptions
	src    history
	path   string
	batch  int    // rows of a transaction of a new file
	work   string // the file that is written
	fresh  bool
	events eventSums
	copied Copied
}

// run copies rows.
func (c *fileCopy) run(ctx context.Context) (*Copied, error) {
	if err := c.choose(); err != nil {
		return nil, err
	}
	base, err := c.base(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.write(ctx, base); err != nil {
		return nil, err
	}
	return c.end(ctx, base)
}

// choose finds out which file is written.
func (c *fileCopy) choose() error {
	c.work = c.path
	_, err := os.Lstat(c.path)
	if c.fresh = errors.Is(err, fs.ErrNotExist); c.fresh {
		c.work += copyingSuffix
		return nil
	}
	return err
}

// end compares what was written after base, and names a new file.
func (c *fileCopy) end(ctx context.Context, base ontosql.CommitID) (*Copied, error) {
	if err := c.verify(ctx); err != nil {
		var differs *mismatch
		if errors.As(err, &differs) && c.fresh {
			err = errors.Join(err, os.Remove(c.work)) // nobody can go on from it
		}
		return nil, err
	}
	c.copied.Head = c.src.Pin().Head.Commit
	if !c.fresh {
		c.copied.Commits = int(c.copied.Head - base)
		return &c.copied, nil
	}
	c.copied.Commits = int(c.copied.Head) // nobody saw those of an earlier run
	return &c.copied, publish(c.work, c.path)
}

// base is the commit up to which the file has the source's history.
func (c *fileCopy) base(ctx context.Context) (ontosql.CommitID, error) {
	db, err := sqlite.Open(sqlite.Options{Path: c.work, ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }() // it was only read
	pin, err := db.Pin(ctx)
	switch {
	case errors.Is(err, ontosql.ErrNotInitialised):
		return 0, nil
	case err != nil:
		return 0, err
	case !c.fresh && pin.Head.Commit == 0:
		return 0, ErrOtherOntology
	}
	if held, err := db.Lock(ctx); err != nil {
		return 0, err
	} else if held != nil && !held.Expired(time.Now()) {
		return 0, &writepath.LeaseHeldError{Owner: held.OwnerID, Until: held.ExpiresAt.Time}
	}
	return pin.Head.Commit, earlier(pin, c.src.Pin())
}

// earlier fails unless the history of a is the beginning of that of b, as far as
// can be seen without their rows: by the times and the metadata of the commits.
func earlier(a, b *resolver.Pin) error {
	if a.Head.Commit > b.Head.Commit || a.Engine != b.Engine {
		return ErrOtherOntology
	}
	if compareCommits(a, b) != nil {
		return ErrOtherOntology
	}
	return nil
}

// write writes the commits after base, the types and the event data.
func (c *fileCopy) write(ctx context.Context, base ontosql.CommitID) (err error) {
	pin := c.src.Pin()
	o := bulk.Options{Path: c.work, Engine: pin.Engine}
	if c.fresh {
		o.Batch = c.batch
	}
	h, err := bulk.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	if h.Last() != base {
		return fmt.Errorf("%s: somebody else writes to it", c.work)
	}
	types, err := TypesAt(pin)
	if err != nil {
		return err
	}
	for i := range types {
		h.Order(types[i].Schema.Ref, declared(&types[i].Schema))
	}
	if err := c.commits(ctx, h, base); err != nil {
		return err
	}
	c.events = eventSums{}
	err = c.src.Events(ctx, func(key string, body []byte) error {
		c.copied.Events++
		return errors.Join(c.events.add(key, body), h.AddEvent(key, body))
	})
	if err != nil {
		return err
	}
	floors := map[ontosql.TypeRef]ontosql.CommitID{}
	for _, ref := range typesIn(pin) {
		if floor := pin.View.Floor(ref); floor > 0 {
			floors[ref] = floor
		}
	}
	return h.Finish(types, floors)
}

// commits writes the commits after base with their rows.
func (c *fileCopy) commits(ctx context.Context, h *bulk.Writer, base ontosql.CommitID) error {
	pin := c.src.Pin()
	count := c.step("copying rows", rowsIn(pin, base))
	next, stop := iter.Pull2(c.src.Rows(ctx, nil, base, pin.Head.Commit))
	defer stop()
	row, err, more := next()
	for id := base + 1; id <= pin.Head.Commit; id++ {
		m := pin.View.Commit(id).Manifest
		if err := h.Add(id, m.CreatedAt, metadataOf(m)); err != nil {
			return err
		}
		for ; err == nil && more && row.Commit == id; row, err, more = next() {
			if row.Fields, err = format.Canonicalize(row.Fields); err != nil {
				return row.damaged(err)
			}
			if err := h.AddRow(row.Type, &row.Row); err != nil {
				return err
			}
			c.copied.Rows++
			count.add(1)
		}
		if err != nil {
			return err
		}
	}
	count.end()
	return nil
}

// rowsIn is how many rows the commits after base wrote.
func rowsIn(pin *resolver.Pin, base ontosql.CommitID) int {
	n := int64(0)
	for _, ref := range typesIn(pin) {
		_, rows := pin.View.Count(ref, base, pin.Head.Commit)
		n += rows
	}
	return int(n)
}

// verify compares what the file has with the source.
func (c *fileCopy) verify(ctx context.Context) error {
	db, err := sqlite.Open(sqlite.Options{Path: c.work})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only read
	pin, err := db.Pin(ctx)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	target := NewTables(db, pin)
	if err := compare(ctx, c.src, target, c.step("comparing rows", rowsIn(pin, 0)), &c.copied); err != nil {
		return err
	}
	found := eventSums{}
	if err := target.Events(ctx, found.add); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if c.copied.Events == 0 { // pages bring them with the rest
		c.copied.Events = len(found)
	}
	return c.events.compare(found)
}

// publish gives a complete file its name, which nobody has taken meanwhile.
func publish(work, path string) error {
	if err := os.Link(work, path); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("name the copy: %w", err)
	} else if err != nil { // a file system without links
		if err := os.Rename(work, path); err != nil {
			return fmt.Errorf("name the copy: %w", err)
		}
	} else if err := os.Remove(work); err != nil {
		return fmt.Errorf("name the copy: %w", err)
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("name the copy: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
