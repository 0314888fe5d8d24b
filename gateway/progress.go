package gateway

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// The phases of a migration.
const (
	phaseLock   = "waiting for the write lock"
	phaseRows   = "rewriting rows"
	phaseCommit = "committing"
)

// progress is how far the statement of a session is that rewrites rows.
type progress struct {
	typ         ontosql.TypeRef // the zero value while no such statement runs
	phase       string
	done, total int64 // rows; total is what they are at most
	began       time.Time
}

var progressRelation = &virtual{
	schema: catalog.SchemaOntosql, name: "progress",
	about: "The migrations that go on: a row for each statement that rewrites the rows of a type.",
	columns: []virtualColumn{
		{"pid", column.Int32, "the session, as pg_stat_activity names it"},
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"phase", column.Text, "waiting for the write lock, rewriting rows, or committing"},
		{"rows_done", column.Int64, "how many rows were read and, where they change, written"},
		{"rows_total", column.Int64, "of how many at most: all stored versions, of which the latest are rewritten"},
		{"started_at", column.TimestampTZ, "when it began"},
	},
	rows: func(_ context.Context, s *Session, _ *resolver.Pin, b *column.Builder) error {
		for _, other := range s.gateway.running() {
			p := other.activity.snapshot().progress
			if p.phase == "" || other.db != s.db || !s.sees(other.start.User) {
				continue
			}
			b.Append(int32(other.start.PID), p.typ.Kind.String(), p.typ.Name, p.phase, p.done, p.total, p.began)
		}
		return nil
	},
}

// running are the sessions, in the order in which they came.
func (g *Gateway) running() []*Session {
	g.mu.Lock()
	sessions := make([]*Session, 0, len(g.sessions))
	for s := range g.sessions {
		sessions = append(sessions, s)
	}
	g.mu.Unlock()
	slices.SortFunc(sessions, func(a, b *Session) int { return cmp.Compare(a.serial, b.serial) })
	return sessions
}

// migrates is told that a migration of so many rows at most begins.
func (a *activity) migrates(ref ontosql.TypeRef, total int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.progress = progress{typ: ref, phase: phaseLock, total: total, began: time.Now()}
}

// rewrites is told how many rows of it are done.
func (a *activity) rewrites(done int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.progress.phase, a.progress.done = phaseRows, done
}

// migrated is told that the rows are done, and whether the same statement commits
// them: then the end of the transaction is that of the migration.
func (a *activity) migrated(commits bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.progress.phase = phaseCommit; !commits {
		a.progress = progress{}
	}
}
