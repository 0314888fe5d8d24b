package temptable

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/ontosql/ontosql/duckdb"
)

// Schema is the engine's schema of temporary tables. No client can name it.
const Schema = "ontosql_session"

// Tables makes the temporary tables of one session. It belongs to the session's
// goroutine.
type Tables struct {
	engine  *duckdb.Engine
	log     *slog.Logger
	session uint64 // the number of the session, which makes names unique
	made    int
}

// New makes the maker of the temporary tables of a session.
func New(engine *duckdb.Engine, session uint64, log *slog.Logger) *Tables {
	return &Tables{engine: engine, session: session, log: log}
}

// Conn opens a connection to the engine of the tables. The caller closes it.
func (t *Tables) Conn(ctx context.Context) (*duckdb.Conn, error) { return t.engine.Conn(ctx) }

// Name is the name of a new table in tempSchema. kind is a prefix that tells what it
// is for.
func (t *Tables) Name(kind string) string {
	t.made++
	return fmt.Sprintf("%s%d_%d", kind, t.session, t.made)
}
