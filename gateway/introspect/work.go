package introspect

import (
	"iter"
	"time"

	"github.com/ontosql/ontosql"
)

// Work is long work that goes on: of a statement, or of the gateway itself.
type Work struct {
	Kind          WorkKind
	Type          ontosql.TypeRef // the zero value if it is about no type
	Schema, Table string          // what it reads or writes, "" for a query
	Phase         string
	Done, Total   int64 // rows; Total is 0 if it is not known
	Bytes         int64 // of the data of a COPY
	Began         time.Time
}

// WorkKind is what is done, as ontosql.progress names it.
type WorkKind string

// The kinds of Work.
const (
	Migration  WorkKind = "alter table"
	Compaction WorkKind = "compaction"
	Mirroring  WorkKind = "mirror"
	CopyFrom   WorkKind = "copy from"
	CopyTo     WorkKind = "copy to"
)

// The phases of a migration, and that of a COPY whose rows come or go. The other kinds have
// phases of their own.
const (
	phaseLock   = "waiting for the write lock"
	phaseRows   = "rewriting rows"
	phaseCommit = "committing"
	phaseData   = "copying rows"
)

// Begin records that the statement begins long work.
func (a *Activity) Begin(w Work) {
	w.Began = time.Now()
	if w.Kind == CopyFrom || w.Kind == CopyTo {
		w.Phase = phaseData
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work = w
}

// Advance records how far the work of the statement is.
func (a *Activity) Advance(phase string, done, total int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work.Phase, a.work.Done, a.work.Total = phase, done, total
}

// Copied records how many rows and bytes a COPY has copied.
func (a *Activity) Copied(rows, bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work.Done, a.work.Bytes = rows, bytes
}

// End records that the work has ended.
func (a *Activity) End() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work = Work{}
}

// StartMigration records that a migration begins, which rewrites so many rows at most.
func (a *Activity) StartMigration(ref ontosql.TypeRef, total int64) {
	a.Begin(Work{Kind: Migration, Type: ref, Phase: phaseLock, Total: total})
}

// MigratedRows records how many rows the migration has done.
func (a *Activity) MigratedRows(done int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work.Phase, a.work.Done = phaseRows, done
}

// RowsMigrated records that all rows are done. If the same statement commits them, the
// migration ends with the transaction; if not, it ends now.
func (a *Activity) RowsMigrated(commits bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.work.Phase = phaseCommit; !commits {
		a.work = Work{}
	}
}

// ongoing is the long work of this database that the session may see, with the number of the
// session whose statement it is, 0 for the gateway's own.
func (s *Source) ongoing() iter.Seq2[uint32, Work] {
	return func(yield func(uint32, Work) bool) {
		for _, other := range s.Clients() {
			w := other.Activity.snapshot().work
			if w.Kind != "" && other.Database == s.Database && s.Sees(other.User) && !yield(other.PID, w) {
				return
			}
		}
		if w := s.Compacting; w != nil && !yield(0, *w) {
			return
		}
		if s.Mirror == nil || !s.Mirror.Enabled() {
			return
		}
		for _, st := range s.Mirror.Status() {
			w := Work{Kind: Mirroring, Type: st.Type, Phase: st.State, Done: st.Done, Total: st.Total, Began: st.Began}
			if !st.Began.IsZero() && !yield(0, w) {
				return
			}
		}
	}
}
