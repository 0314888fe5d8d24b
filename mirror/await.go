package mirror

import (
	"context"
	"time"

	"github.com/ontosql/ontosql"
)

// Await waits, at most for the given time, while the tables of a type are being extended to a commit
// that was passed to Follow. It is for statements that read most of the type: they would read the
// commits that the tables lack from files, and take the processors from the extension.
func (m *Mirror) Await(ctx context.Context, ref ontosql.TypeRef, through ontosql.CommitID, most time.Duration) {
	over := time.NewTimer(most)
	defer over.Stop()
	for {
		finished := m.extensionTo(ref, through)
		if finished == nil {
			return
		}
		select {
		case <-finished:
		case <-over.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// extensionTo is closed at the end of the current task of a type. It is nil if the tables reach the
// commit, or if no worker will extend them.
func (m *Mirror) extensionTo(ref ontosql.TypeRef, through ontosql.CommitID) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.types[ref]
	if m.file == nil || m.closed || e == nil || e.tables == nil || e.tables.through >= through || !e.workerRunning {
		return nil
	}
	select {
	case e.awaited <- struct{}{}:
	default:
	}
	return e.finished
}
