package mirror

import (
	"context"
	"sync"
	"time"

	"github.com/ontosql/ontosql/duckdb"
)

// progress is how far the building or extending of a type's tables is.
type progress struct {
	began time.Time
	rows  int64 // that the work is about

	mu       sync.Mutex
	conn     *duckdb.Conn // whose statements tell their progress, nil for none
	from, to float64      // the part of the whole that the statement is
	maxReported     float64      // that was ever told: the engine starts anew with each statement
}

// startProgress begins the progress of work for a type over so many rows.
func (m *Mirror) startProgress(e *entry, rows int64) (p *progress, ended func()) {
	p = &progress{began: m.now(), rows: rows}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.progress = p
	return p, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		e.progress = nil
	}
}

// watchConn has the statements of conn tell their progress, until over is called.
// That must be before conn is closed.
func (p *progress) watchConn(ctx context.Context, conn *duckdb.Conn) (over func(), err error) {
	if err := conn.WatchProgress(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn = conn
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.conn = nil
	}, nil
}

// step says which part of the whole the next statement is.
func (p *progress) step(from, to float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from, p.to = from, to
}

// done is about how many of the rows are done with.
func (p *progress) done() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	part := p.from
	if p.conn != nil {
		part += (p.to - p.from) * p.conn.Progress()
	}
	p.maxReported = max(p.maxReported, part)
	return int64(p.maxReported * float64(p.rows))
}
