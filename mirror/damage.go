package mirror

import (
	"errors"
	"time"

	"github.com/ontosql/ontosql/duckdb"
)

// IsReadError reports whether an error of a statement that reads the mirror may be caused by
// the mirror. The caller runs the statement without the mirror, and calls Invalidate if that
// succeeds.
func IsReadError(err error) bool {
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Type {
	case duckdb.IO, duckdb.Catalog, duckdb.Binder, duckdb.Internal, duckdb.Transaction, serialization:
		return true
	}
	return false
}

// serialization is DuckDB's error type for a damaged block.
const serialization duckdb.ErrorType = "Serialization"

// Invalidate drops tables that could not be read. They are built again.
func (m *Mirror) Invalidate(uses []*Use, cause error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range uses {
		e := m.types[u.tables.ref]
		if e == nil || e.tables != u.tables {
			continue
		}
		m.log.Warn("mirror of a type cannot be read and is built again", "type_name", e.ref.String(), "error", cause)
		m.discard(e)
		e.needsCheck = true
		m.startWorker(e)
	}
}

// checkFile checks, after an error, whether the file can still be read, and replaces it by an
// empty one if not. A second failure within an hour switches the mirror off.
func (m *Mirror) checkFile() {
	if m.ctx.Err() != nil || m.engine.Err() != nil {
		return
	}
	conn, err := m.engine.Conn(m.ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err = queryInt(m.ctx, conn, "SELECT count(*) FROM "+typesTable); err == nil || m.ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	f := m.file
	m.file = nil
	for _, e := range m.types {
		e.tables, e.toDrop = nil, nil
	}
	again := m.now().Sub(m.recreatedAt) > time.Hour
	m.mu.Unlock()
	if f == nil {
		return // another goroutine replaces it
	}
	m.log.Warn("mirror is lost", "error", err)
	m.writers.Lock() // other writers get the same error
	defer m.writers.Unlock()
	if !again {
		f.abandon(m.ctx, conn)
		m.log.Warn("mirror is off")
		return
	}
	if err := f.recreate(m.ctx, conn); err != nil {
		f.abandon(m.ctx, conn)
		m.log.Warn("mirror is off", "error", err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.file, m.recreatedAt = f, m.now()
}
