package introspect

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/resolver"
)

// maxStatements is the number of statements that a log holds.
const maxStatements = 1000

// StatementLog holds the statements of a database that ended last.
type StatementLog struct {
	// Definitions also gets each statement that defines objects, roles or privileges; nil for none.
	Definitions *slog.Logger

	mu   sync.Mutex
	last int64 // number of the newest
	ring []statement
}

// statement is an entry of the log.
type statement struct {
	id                int64
	pid               uint32
	user, application string
	query             string // ShownText
	started           time.Time
	duration          time.Duration // without the time in which the client did nothing
	rows, bytes       int64         // sent
	requests          metered.Count
	cached            bool
	source            string
	state             string // SQLSTATE, "" for success
}

// add numbers a statement and keeps it. It replaces the oldest if the log is full.
func (l *StatementLog) add(e statement) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	e.id = l.last
	if len(l.ring) < maxStatements {
		l.ring = append(l.ring, e)
		return
	}
	l.ring[(l.last-1)%maxStatements] = e
}

// all is a copy of the log, oldest first.
func (l *StatementLog) all() []statement {
	l.mu.Lock()
	defer l.mu.Unlock()
	oldest := 0
	if len(l.ring) == maxStatements {
		oldest = int(l.last % maxStatements)
	}
	return slices.Concat(l.ring[oldest:], l.ring[:oldest])
}

var statementsRelation = &Relation{
	Name:  "statements",
	About: "The query log: the statements of this database that ended last at this gateway, 1,000 at most.",
	Columns: []Column{
		{"statement_id", column.Int64, "number of the statement, in the order in which they ended"},
		{"pid", column.Int32, "the session, as pg_stat_activity names it"},
		{"usename", column.Text, "its user"},
		{"application_name", column.Text, "the application_name of the session when the statement arrived"},
		{"query", column.Text, "the text, its first 1,024 bytes, without the values of parameters; another user's is for superusers"},
		{"started_at", column.TimestampTZ, "when it arrived"},
		{"duration_ms", column.Float64, "how long the gateway was busy with it, the sending included"},
		{"row_count", column.Int64, "rows that were sent, or that the command tag counts"},
		{"bytes_sent", column.Int64, "bytes of the messages that bore its rows"},
		{"requests", column.Int64, "object store requests made for it; what several wait for counts for one of them"},
		{"request_bytes", column.Int64, "bytes of bodies that those read or wrote"},
		{"cached", column.Bool, "whether the result cache had the rows"},
		{"source", column.Text, "where the types were read: mirror, files (table where SQLite holds them), mirror and files, result cache; none where it names no type"},
		{"sqlstate", column.Text, "the code of the error it ended with; NULL for success"},
	},
	Rows: func(_ context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		for _, e := range src.Statements.all() {
			query := e.query
			if !src.Sees(e.user) {
				query = hidden
			}
			b.Append(e.id, int32(e.pid), e.user, e.application, query, e.started,
				float64(e.duration.Nanoseconds())/1e6, e.rows, e.bytes, e.requests.Requests, e.requests.Bytes,
				e.cached, e.source, textOrNull(e.state))
		}
		return nil
	},
}
