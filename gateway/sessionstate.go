package gateway

import (
	"time"

	"github.com/ontosql/ontosql/catalog/pgcatalog"
	"github.com/ontosql/ontosql/charset"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/wire"
)

// clientState is what the client has set, prepared and opened. It outlives transactions.
type clientState struct {
	settings *settings.Values
	encoding *charset.Encoding // of the client's texts, nil for UTF8
	names    *wire.Names       // prepared statements and portals
	cursors  []*cursor         // in the order of DECLARE
	declared int               // cursors so far
	plans    *lru[planned]     // statements that were planned before, by their text
	idle     *time.Timer       // of idle_in_transaction_session_timeout or idle_session_timeout
}

// statementState is about the statement that runs or arrives.
type statementState struct {
	running   execution           // of the portal that runs now
	deferred  deferredCalls       // calls of set_config and pg_notify that the engine made
	split     *syntax.Text        // the last simple query string, if it is one statement
	executing int                 // depth of EXECUTE statements that are being bound
	parsed    *introspect.Account // of the last statement that was prepared, if none came after it
}

// engineState is what the session has open in the engine.
type engineState struct {
	conn     *duckdb.Conn // taken from freeConn
	open     *portal      // whose stream the connection has open, nil for none
	temp     *temptable.Tables
	prepared *lru[*duckdb.Stmt]              // by their SQL
	zone     string                          // the time zone of the connection
	shown    *database.CatalogVersion        // the version of pg_catalog that the transaction reads, nil for none
	view     *pgcatalog.View                 // what the functions of pg_catalog read, nil before the first call
	moments  map[string]*duckdb.VirtualTable // rows of relations such as pg_locks, by name
}

// reportState is what is reported about the session, to its client and to others.
type reportState struct {
	activity introspect.Activity
	client   introspect.Client // what other sessions see
	listener database.Listener // of channels (LISTEN)
	notices  int               // sent so far
}
