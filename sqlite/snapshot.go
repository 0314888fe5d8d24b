package sqlite

import (
	"context"

	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// snapshot is the state of the file in one read transaction. It is immutable; the next
// snapshot is made from it and shares its memory.
type snapshot struct {
	number          int64 // of the look
	conn            *conn // nil before the first look
	version         int64 // PRAGMA data_version of by, which another connection's commit changes
	cookie          int64 // PRAGMA schema_version, which a change of a table changes
	tables          dbschema.Tables
	histories       []dbschema.History // of tables
	commits         *commitLog
	schema          *schema
	engine          string // format.EngineV1 or format.EngineV2
	pin             *resolver.Pin
	catalogWarnings []string // warnings of building the pin's catalog
}

// Pin pins the newest head. While no other connection has committed, it costs a stat of the
// file and a read of a counter in shared memory. Concurrent calls share one refresh, if it
// began after each of them. Errors: ontosql.ErrNotInitialised for a missing file or one
// without an ontology, ErrForeign for another application's file, *ontosql.CorruptError for
// contradictory content.
func (db *DB) Pin(ctx context.Context) (*resolver.Pin, error) {
	s, err := db.refresh(ctx)
	if err != nil {
		return nil, err
	}
	return s.pin, nil
}

// PinFresh is Pin: Pin always sees the newest commit.
func (db *DB) PinFresh(ctx context.Context) (*resolver.Pin, error) { return db.Pin(ctx) }

// Expire does nothing, because Pin looks at the file each time.
func (db *DB) Expire() {}

// refresh is the snapshot of the file's newest state.
func (db *DB) refresh(ctx context.Context) (*snapshot, error) {
	came := db.refreshes.Load()
	select {
	case db.refreshing <- struct{}{}:
		defer func() { <-db.refreshing }()
	case <-ctx.Done():
		return nil, sqlconn.ContextError(ctx)
	}
	known := db.latest.Load()
	if known.number > came {
		return known, nil // that refresh began after this call
	}
	number := db.refreshes.Add(1)
	now, err := db.refreshFrom(ctx, known)
	if err != nil {
		return nil, sqlconn.StorageError("read "+db.path, err)
	}
	if now != known {
		now.number = number
		db.latest.Store(now)
	}
	return now, nil
}

// refreshFrom is known, if the file has not changed since, else a new snapshot.
func (db *DB) refreshFrom(ctx context.Context, known *snapshot) (*snapshot, error) {
	f, err := db.currentFile()
	if err != nil {
		return nil, err
	}
	if err := db.reopenStale(ctx, f); err != nil {
		return nil, err
	}
	if db.refresher != nil && db.refresher.file != f {
		db.discard(db.refresher)
		db.refresher = nil
	}
	if db.refresher == nil {
		if db.refresher, err = db.connect(f); err != nil {
			db.markStale(f)
			return nil, err
		}
	}
	c := db.refresher
	if known.conn == c {
		version, err := sqlconn.Pragma(c.Conn, "data_version")
		if err == nil && version == known.version {
			return known, nil
		}
	}
	var now *snapshot
	err = c.run(ctx, db.busyTimeout, inTransaction(func(c *conn) (err error) {
		now, err = readSnapshot(c, known)
		return err
	}))
	if err != nil {
		db.discard(c) // its data_version is of no use after a failed read
		db.refresher = nil
		db.markStale(f)
		return nil, err
	}
	if f.mode != shared { // no lock kept writers away during the read
		if after, err := db.currentFile(); err != nil || after != f {
			return db.refreshFrom(ctx, known)
		}
	}
	return now, nil
}

// readSnapshot reads what has changed since known, in a read transaction.
func readSnapshot(c *conn, known *snapshot) (*snapshot, error) {
	if known.conn == nil || known.conn.file != c.file {
		known = new(snapshot)
	}
	now := &snapshot{conn: c}
	schema := known.schema
	if known.conn == c {
		now.tables, now.histories = known.tables, known.histories
	} else {
		schema = nil // the file may have been overwritten; its commits tell
	}
	var err error
	if now.version, err = sqlconn.Pragma(c.Conn, "data_version"); err != nil {
		return nil, err
	}
	if now.cookie, err = sqlconn.Pragma(c.Conn, "schema_version"); err != nil {
		return nil, err
	}
	if now.tables == nil || now.cookie != known.cookie {
		if now.tables, err = dbschema.Read(c.Conn); err != nil {
			return nil, err
		}
		now.histories = now.tables.Histories()
	}
	if now.engine, err = dbschema.ReadEngine(c.Conn, now.tables[dbschema.StorageMeta.Name] != nil); err != nil {
		return nil, err
	}
	if now.commits, err = readCommitLog(c, now.tables, known.commits); err != nil {
		return nil, err
	}
	if now.schema, err = readSchema(c, now.tables, schema); err != nil {
		return nil, err
	}
	return now, now.build(known)
}
