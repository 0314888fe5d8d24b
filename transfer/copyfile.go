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

// CopyFile copies the ontology of a SQLite file to another file page by page, so that all
// tables are included. A new file is renamed to its final name after it was compared with the
// source; an interrupted run starts again. A file with an earlier state of the source is
// overwritten in one transaction and keeps its own event data; one with rows in a table that
// the source lacks is ErrNotEmpty. Other errors are those of CopyToFile.
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
	// The copied pages are compared at the pin of the backup, not with later changes of other
	// processes.
	c.src = NewTables(from, pin)
	c.copied.Rows = int64(rowsIn(pin, base))
	return c.end(ctx, base)
}

// eventObject is an object of event data.
type eventObject struct {
	key  string
	body []byte
}

// eventsOnlyIn returns the event data that the target has and the source does not. It returns
// an error if the target has other data outside the ontology that the source's pages would
// overwrite.
func (c *fileCopy) eventsOnlyIn(ctx context.Context, from *sqlite.DB) ([]eventObject, error) {
	to, err := sqlite.Open(sqlite.Options{Path: c.work, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = to.Close() }() // read-only
	table, err := to.TableMissingIn(ctx, from)
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

// backupWithEvents overwrites the target with the source's pages plus own. Both are combined
// in a temporary file first, so that the target changes once.
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

// addEvents writes event data to the file at path and records its checksums.
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
