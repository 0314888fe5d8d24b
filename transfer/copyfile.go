package transfer

import (
	"context"

	"github.com/ontosql/ontosql/sqlite"
)

// CopyFile copies the ontology of a SQLite file into another file: page by page, so
// that every table comes with it. A new file gets its name at the end, after it was
// compared with the source; a run that was broken off begins again. A file that
// holds an earlier state of the source is written over in one transaction. Errors
// are those of CopyToFile.
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
	if pin, err = from.Backup(ctx, c.work, o.step("copying pages", 0).report); err != nil {
		return nil, err
	}
	// The pages were copied whole; what other processes have changed since is not
	// to be looked for in them.
	c.src, c.events = NewTables(from, pin), eventSums{}
	c.copied.Rows = int64(rowsIn(pin, base))
	return c.end(ctx, base)
}
