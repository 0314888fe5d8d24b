package sqlite

import (
	"context"

	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// state is one consistent look at the file. It is not changed; the next one is
// made from it and shares its memory.
type state struct {
	number  int64 // of the look
	by      *conn // nil before the first look
	version int64 // PRAGMA data_version of by, which another connection's commit changes
	cookie  int64 // PRAGMA schema_version, which a change of a table changes
	tables  dbschema.Tables
	read    []dbschema.History // of tables
	past    *past
	schema  *schema
	engine  string // format.EngineV1 or format.EngineV2
	pin     *resolver.Pin
	built   []string // warnings of building the pin's catalog
}

// Pin is the newest head, pinned. While no other connection has committed, it
// costs a look at the file's identity and at a counter in its memory. Concurrent
// calls share a look that began after each of them was made. A file that is not
// there, or in which no ontology was begun, is ontosql.ErrNotInitialised, another
// application's is ErrForeign; what contradicts itself is a
// *ontosql.CorruptError.
func (db *DB) Pin(ctx context.Context) (*resolver.Pin, error) {
	s, err := db.look(ctx)
	if err != nil {
		return nil, err
	}
	return s.pin, nil
}

// PinFresh is Pin, which never answers from an older look than the newest commit.
func (db *DB) PinFresh(ctx context.Context) (*resolver.Pin, error) { return db.Pin(ctx) }

// Expire has nothing to do: no look is good for longer than the file stays as it
// was.
func (db *DB) Expire() {}

// look is the file as it stands.
func (db *DB) look(ctx context.Context) (*state, error) {
	came := db.began.Load()
	select {
	case db.turn <- struct{}{}:
		defer func() { <-db.turn }()
	case <-ctx.Done():
		return nil, sqlconn.ContextError(ctx)
	}
	known := db.known.Load()
	if known.number > came {
		return known, nil // it began after we came
	}
	number := db.began.Add(1)
	now, err := db.renew(ctx, known)
	if err != nil {
		return nil, sqlconn.StorageError("read "+db.path, err)
	}
	if now != known {
		now.number = number
		db.known.Store(now)
	}
	return now, nil
}

// renew is known, if the file is as it was, or a new look at it.
func (db *DB) renew(ctx context.Context, known *state) (*state, error) {
	f, err := db.stand()
	if err != nil {
		return nil, err
	}
	if err := db.anew(ctx, f); err != nil {
		return nil, err
	}
	if db.looker != nil && db.looker.of != f {
		db.discard(db.looker)
		db.looker = nil
	}
	if db.looker == nil {
		if db.looker, err = db.connect(f); err != nil {
			db.distrust(f)
			return nil, err
		}
	}
	c := db.looker
	if known.by == c {
		version, err := sqlconn.Pragma(c.Conn, "data_version")
		if err == nil && version == known.version {
			return known, nil
		}
	}
	var now *state
	err = c.run(ctx, db.wait, inTransaction(func(c *conn) (err error) {
		now, err = see(c, known)
		return err
	}))
	if err != nil {
		db.discard(c) // what it would say of its next look depends on this one
		db.looker = nil
		db.distrust(f)
		return nil, err
	}
	if f.way != shared { // so nothing kept a writer away meanwhile
		if after, err := db.stand(); err != nil || after != f {
			return db.renew(ctx, known)
		}
	}
	return now, nil
}

// see reads what has changed since known, in a read transaction.
func see(c *conn, known *state) (*state, error) {
	if known.by == nil || known.by.of != c.of {
		known = new(state)
	}
	now := &state{by: c}
	schema := known.schema
	if known.by == c {
		now.tables, now.read = known.tables, known.read
	} else {
		schema = nil // the file may have been written over: only its commits tell
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
		now.read = now.tables.Histories()
	}
	if now.engine, err = dbschema.ReadEngine(c.Conn, now.tables[dbschema.StorageMeta.Name] != nil); err != nil {
		return nil, err
	}
	if now.past, err = readPast(c, now.tables, known.past); err != nil {
		return nil, err
	}
	if now.schema, err = readSchema(c, now.tables, schema); err != nil {
		return nil, err
	}
	return now, now.build(known)
}
