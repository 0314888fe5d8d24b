package gateway

import (
	"context"
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// clientState is what the client has prepared and opened, and the statement that arrives. It
// outlives transactions.
type clientState struct {
	names    *wire.Names   // prepared statements and portals
	cursors  []*cursor     // in the order of DECLARE
	declared int           // cursors so far
	plans    *lru[planned] // statements that were planned before, by their text
	idle     *time.Timer   // of idle_in_transaction_session_timeout or idle_session_timeout

	split     *syntax.Text        // the last simple query string, if it is one statement
	executing int                 // depth of EXECUTE statements that are being bound
	parsed    *introspect.Account // of the last statement that was prepared, if none came after it
}

// statementState is about the statement that runs.
type statementState struct {
	running  execution     // of the portal that runs now
	deferred deferredCalls // calls of set_config and pg_notify that the engine made
}

// engineState is what the session has open in the engine.
type engineState struct {
	conn     *duckdb.Conn // taken from freeConn
	open     openStream   // the stream that the connection has open, nil for none
	temp     *temptable.Tables
	prepared *lru[*duckdb.Stmt]              // by their SQL
	zone     string                          // the time zone of the connection
	shown    *database.CatalogVersion        // the version of pg_catalog that the transaction reads, nil for none
	view     *pgcatalog.View                 // what the functions of pg_catalog read, nil before the first call
	moments  map[string]*duckdb.VirtualTable // rows of relations such as pg_locks, by name
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
	activity introspect.Activity
	client   introspect.Client // what other sessions see
	listener database.Listener // of channels (LISTEN)
	notices  int               // sent so far
}
