package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/objstore/metered"
	"github.com/ontosql/ontosql/resolver"
)

// mostLogged is how many statements a query log holds.
const mostLogged = 1000

// queryLog are the statements of a database that ended last.
type queryLog struct {
	mu   sync.Mutex
	last int64 // number of the newest
	ring []logged
}

// logged is one statement of the query log.
type logged struct {
	id                int64
	pid               uint32
	user, application string
	query             string // as others see it
	started           time.Time
	duration          time.Duration // of what the gateway did for it
	rows, bytes       int64         // sent
	requests          metered.Count
	cached            bool
	source            string
	state             string // SQLSTATE, "" for success
}

// add numbers a statement and keeps it in place of the oldest.
func (l *queryLog) add(e logged) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	e.id = l.last
	if len(l.ring) < mostLogged {
		l.ring = append(l.ring, e)
		return
	}
	l.ring[(l.last-1)%mostLogged] = e
}

// all is a copy of the log, oldest first.
func (l *queryLog) all() []logged {
	l.mu.Lock()
	defer l.mu.Unlock()
	oldest := 0
	if len(l.ring) == mostLogged {
		oldest = int(l.last % mostLogged)
	}
	return slices.Concat(l.ring[oldest:], l.ring[:oldest])
}

var statementsRelation = &virtual{
	schema: catalog.SchemaOntosql, name: "statements",
	about: "The query log: the statements of this database that ended last at this gateway, 1,000 at most.",
	columns: []virtualColumn{
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
	rows: func(_ context.Context, s *Session, _ *resolver.Pin, b *column.Builder) error {
		for _, e := range s.db.queries.all() {
			query := e.query
			if !s.sees(e.user) {
				query = hidden
			}
			b.Append(e.id, int32(e.pid), e.user, e.application, query, e.started,
				float64(e.duration.Nanoseconds())/1e6, e.rows, e.bytes, e.requests.Requests, e.requests.Bytes,
				e.cached, e.source, textOrNull(e.state))
		}
		return nil
	},
}

// hidden stands for the statement of a user that another one may not see.
const hidden = "<insufficient privilege>"

// sees reports whether the session may see the statements of a user.
func (s *Session) sees(user string) bool { return user == s.start.User || s.gateway.superuser }
