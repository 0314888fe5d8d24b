package session

import (
	"context"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/workspace"
)

// statementState is about the statement that runs.
type statementState struct {
	Running   Execution // of the portal that runs now
	sequences sequenceCalls
	toLock    rowsToLock
	Deferred  deferredCalls // calls of set_config, pg_notify and ontosql.enqueue that the engine made
}

// engineState is what the session has open in the engine.
type engineState struct {
	conn     *duckdb.Conn // nil before a statement needed it (FreeConn)
	Open     openStream   // the stream that the connection has open, nil for none
	Temp     *temptable.Tables
	Prepared *LRU[*duckdb.Stmt]              // by their SQL
	zone     string                          // the setting TimeZone that the connection follows
	Shown    *database.CatalogVersion        // the version of pg_catalog that the transaction reads, nil for none
	view     *pgcatalog.View                 // what the functions of pg_catalog read, nil before the first call
	views    map[*workspace.View]shownView   // the texts of views that pg_catalog has shown
	Moments  map[string]*duckdb.VirtualTable // rows of relations such as pg_locks, by name
}

// openStream is a stream of rows that the connection has open.
type openStream interface {
	// MoveAside reads the rest of the rows into a table, so that the connection can run
	// another statement.
	MoveAside(ctx context.Context) error
	Close()
}

// reportState is what is reported about the session, to its client and to others.
type reportState struct {
	Activity introspect.Activity
	Client   introspect.Client // what other sessions see
	Listener database.Listener // of channels (LISTEN)
	Notices  int               // sent so far
	Leases   EventLeases
}
