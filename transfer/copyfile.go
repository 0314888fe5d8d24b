package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/sqlite"
)

// CopyFile copies the ontology of a SQLite file into another file: page by page, so
// that every table comes with it. A new file gets its name at the end, after it was
// compared with the source; a run that was broken off begins again. A file that
// holds an earlier state of the source is written over in one transaction; one with
// rows in a table that the source has not, or with events, claims, dead letters or
// sessions of its own, is ErrNotEmpty. Other errors are those of CopyToFile.
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
	if !c.fresh {
		if err := c.losesNothing(ctx, from); err != nil {
			return nil, err
		}
	}
	if pin, err = from.Backup(ctx, c.work, o.step("copying pages", 0).report); err != nil {
		return nil, err
	}
	// The pages were copied whole; what other processes have changed since is not
	// to be looked for in them.
	c.src, c.events = NewTables(from, pin), eventSums{}
	c.copied.Rows = int64(rowsIn(pin, base))
	return c.end(ctx, base)
}

// losesNothing fails where the target has something beside the ontology that the pages
// of the source would take away.
func (c *fileCopy) losesNothing(ctx context.Context, from *sqlite.DB) error {
	to, err := sqlite.Open(sqlite.Options{Path: c.work, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = to.Close() }() // it was only read
	table, err := to.Beyond(ctx, from)
	switch {
	case errors.Is(err, ontosql.ErrNotInitialised): // an empty file
		return nil
	case err != nil:
		return err
	case table != "":
		return fmt.Errorf("%w: the source has no table %q", ErrNotEmpty, table)
	}
	own, theirs := eventSums{}, eventSums{}
	if err := errors.Join(to.EventObjects(ctx, own.note), from.EventObjects(ctx, theirs.note)); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		if _, there := theirs[key]; !there {
			return fmt.Errorf("%w: the source has no event data %s", ErrNotEmpty, key)
		}
	}
	return nil
}
