package mirror

import (
	"context"
	"sync"
	"time"

	"github.com/ontosql/ontosql/duckdb"
)

// progress is the progress of building or extending a type's tables.
type progress struct {
	began time.Time
	rows  int64 // to be processed

	mu          sync.Mutex
	conn        *duckdb.Conn // its statements report progress; nil for none
	from, to    float64      // the current statement's share of the work, as fractions
	maxReported float64      // highest fraction reported: DuckDB starts at 0 with each statement
}

// startProgress starts tracking work on a number of rows of a type.
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

// watchConn tracks the statements of conn until over is called, before conn is closed.
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

// step sets the next statement's share of the work.
func (p *progress) step(from, to float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from, p.to = from, to
}

// done estimates the number of rows processed.
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
