package introspect

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/resolver"
)

// The phases of a migration.
const (
	phaseLock   = "waiting for the write lock"
	phaseRows   = "rewriting rows"
	phaseCommit = "committing"
)

// progress is the state of a statement that rewrites the rows of a type.
type progress struct {
	typ         ontosql.TypeRef // the zero value while no such statement runs
	phase       string
	done, total int64 // rows; total is what they are at most
	began       time.Time
}

var progressRelation = &Relation{
	Name:  "progress",
	About: "The migrations that go on: a row for each statement that rewrites the rows of a type.",
	Columns: []Column{
		{"pid", column.Int32, "the session, as pg_stat_activity names it"},
		{"type_kind", column.Text, "entity or relation"},
		{"type_name", column.Text, "the type"},
		{"phase", column.Text, "waiting for the write lock, rewriting rows, or committing"},
		{"rows_done", column.Int64, "how many rows were read and, where they change, written"},
		{"rows_total", column.Int64, "of how many at most: all stored versions, of which the latest are rewritten"},
		{"started_at", column.TimestampTZ, "when it began"},
	},
	Rows: func(_ context.Context, src *Source, _ *resolver.Pin, b *column.Builder) error {
		for _, other := range src.Clients() {
			p := other.Activity.snapshot().progress
			if p.phase == "" || other.Database != src.Database || !src.Sees(other.User) {
				continue
			}
			b.Append(int32(other.PID), p.typ.Kind.String(), p.typ.Name, p.phase, p.done, p.total, p.began)
		}
		return nil
	},
}

// StartMigration records that a migration begins, which rewrites so many rows at most.
func (a *Activity) StartMigration(ref ontosql.TypeRef, total int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.progress = progress{typ: ref, phase: phaseLock, total: total, began: time.Now()}
}

// MigratedRows records how many rows the migration has done.
func (a *Activity) MigratedRows(done int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.progress.phase, a.progress.done = phaseRows, done
}

// RowsMigrated records that all rows are done. If the same statement commits them, the
// migration ends with the transaction; if not, it ends now.
func (a *Activity) RowsMigrated(commits bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.progress.phase = phaseCommit; !commits {
		a.progress = progress{}
	}
}
