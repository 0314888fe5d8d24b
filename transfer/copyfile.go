package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/bulk"
)

// CopyFile copies the ontology of a SQLite file into another file: page by page, so
// that every table comes with it. A new file gets its name at the end, after it was
// compared with the source; a run that was broken off begins again. A file that
// holds an earlier state of the source is written over in one transaction, and keeps
// what event data it has of its own; one with rows in a table that the source has not
// is ErrNotEmpty. Other errors are those of CopyToFile.
func CopyFile(ctx context.Context, from *sqlite.DB, path string, o CopyOptions) (*Copied, error) {
	pin, err := from.Pin(ctx)
	if err != nil {
		return nil, err
	}
	c := &fileCopy{CopyOptions: o, src: NewTables(from, pin), path: path}
	if err := c.choose(); err != nil {
		return nil, err
	}
	base, err := c.base(ctx)
	if err != nil {
		return nil, err
	}
	var own []eventObject
	if !c.fresh {
		if own, err = c.eventsOnlyIn(ctx, from); err != nil {
			return nil, err
		}
	}
	progress := o.step("copying pages", 0).report
	c.events = eventSums{}
	if len(own) == 0 {
		pin, err = from.Backup(ctx, c.work, progress)
	} else {
		pin, err = c.backupWithEvents(ctx, from, own, progress)
	}
	if err != nil {
		return nil, err
	}
	// The pages were copied whole; what other processes have changed since is not
	// to be looked for in them.
	c.src = NewTables(from, pin)
	c.copied.Rows = int64(rowsIn(pin, base))
	return c.end(ctx, base)
}

// eventObject is an object of event data.
type eventObject struct {
	key  string
	body []byte
}

// eventsOnlyIn is the event data that the target has and the source has not. It fails where
// the target has something else beside the ontology that the pages of the source would
// take away.
func (c *fileCopy) eventsOnlyIn(ctx context.Context, from *sqlite.DB) ([]eventObject, error) {
	to, err := sqlite.Open(sqlite.Options{Path: c.work, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = to.Close() }() // it was only read
	table, err := to.Beyond(ctx, from)
	switch {
	case errors.Is(err, ontosql.ErrNotInitialised): // an empty file
		return nil, nil
	case err != nil:
		return nil, err
	case table != "":
		return nil, fmt.Errorf("%w: the source has no table %q", ErrNotEmpty, table)
	}
	theirs := eventSums{}
	if err := bulk.EventObjects(ctx, from, theirs.add); err != nil {
		return nil, err
	}
	var own []eventObject
	err = bulk.EventObjects(ctx, to, func(key string, body []byte) error {
		name, _, err := eventName(key, body)
		if _, there := theirs[name]; err == nil && !there {
			own = append(own, eventObject{key, body})
		}
		return err
	})
	return own, err
}

// backupWithEvents writes the pages of the source, to which own was added, over the target:
// the two meet in a file beside it, so that the target changes once.
func (c *fileCopy) backupWithEvents(ctx context.Context, from *sqlite.DB, own []eventObject, progress func(done, total int)) (_ *resolver.Pin, err error) {
	dir, err := os.MkdirTemp(c.Temp, "copy")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	meeting := filepath.Join(dir, "pages.db")
	pin, err := from.Backup(ctx, meeting, progress)
	if err != nil {
		return nil, err
	}
	if err := c.addEvents(ctx, meeting, own); err != nil {
		return nil, err
	}
	db, err := sqlite.Open(sqlite.Options{Path: meeting})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Backup(ctx, c.work, nil); err != nil {
		return nil, err
	}
	return pin, nil
}

// addEvents writes event data into the file at path, and remembers it.
func (c *fileCopy) addEvents(ctx context.Context, path string, objects []eventObject) (err error) {
	h, err := bulk.Open(ctx, bulk.Options{Path: path})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	for _, o := range objects {
		if err := errors.Join(c.events.add(o.key, o.body), h.AddEvent(o.key, o.body)); err != nil {
			return err
		}
	}
	return h.Commit()
}
