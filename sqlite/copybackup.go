package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// backupPages is the number of pages copied between two checks of the context.
const backupPages = 1024

// Backup copies the whole file, page by page, to the file at path, which is created if
// missing, in one transaction there. Writers can continue: the copy is a snapshot, and the
// returned pin is that of its head. Foreign tables are copied too; the lock is not. progress,
// if not nil, is called with the pages copied.
func (db *DB) Backup(ctx context.Context, path string, progress func(done, total int)) (*resolver.Pin, error) {
	var pin *resolver.Pin
	err := db.read(ctx, func(c *conn) error {
		now, err := readSnapshot(c, new(snapshot))
		if err != nil {
			return err
		}
		pin = now.pin
		return backup(ctx, c.Conn, path, progress)
	})
	if err != nil {
		return nil, sqlconn.StorageError(fmt.Sprintf("copy %s to %s", db.path, path), err)
	}
	return pin, nil
}

// TableMissingIn returns the name of a table with rows that this file has and other lacks, so
// that Backup would overwrite it; "" for none. The tables of every ontology are ignored, and
// so are the tables of events, whose rows EventObjects returns.
func (db *DB) TableMissingIn(ctx context.Context, other *DB) (string, error) {
	theirs, err := other.refresh(ctx)
	if err != nil {
		return "", err
	}
	ours, err := db.refresh(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for _, name := range slices.Sorted(maps.Keys(ours.tables)) {
		made := func(s dbschema.Shape) bool { return s.Name == name }
		if theirs.tables[name] != nil || name == dbschema.StorageMeta.Name || slices.Contains(dbschema.EventTables, name) || slices.ContainsFunc(slices.Concat(dbschema.RequiredShapes, dbschema.LaterShapes, []dbschema.Shape{dbschema.LayoutShape}), made) {
			continue
		}
		err := db.read(ctx, func(c *conn) error {
			return sqlconn.Each(c.Conn, `SELECT 1 FROM "`+strings.ReplaceAll(name, `"`, `""`)+`" LIMIT 1`, func(*lite.Stmt) error {
				found = name
				return nil
			})
		})
		if err != nil || found != "" {
			return found, sqlconn.StorageError("look into "+name, err)
		}
	}
	return "", nil
}

func backup(ctx context.Context, from *lite.Conn, path string, progress func(done, total int)) (err error) {
	to, err := lite.OpenConn(path, lite.OpenReadWrite, lite.OpenCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	to.SetBusyTimeout(sqlconn.BusyTimeout)
	b, err := lite.NewBackup(to, "", from, "")
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if ctx.Err() != nil {
			err = sqlconn.ContextError(ctx)
			break
		}
		if more, err = b.Step(backupPages); err == nil && progress != nil && b.PageCount() > 0 {
			progress(b.PageCount()-b.Remaining(), b.PageCount())
		}
	}
	if end := b.Close(); err == nil {
		err = end
	}
	if err != nil {
		return err
	}
	there := false
	err = sqlconn.Each(to, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'locks'", func(*lite.Stmt) error {
		there = true
		return nil
	})
	if err == nil && there {
		err = sqlconn.Each(to, "DELETE FROM locks", nil)
	}
	if err == nil {
		err = sqlconn.Each(to, "PRAGMA wal_checkpoint(TRUNCATE)", nil)
	}
	return err
}
