package mirror

import (
	"context"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/duckdb"
)

const (
	// sizeFactor estimates the bytes of tables for each byte of source rows.
	sizeFactor = 2
	// minIdle is how long a type must not have been read before its tables may be dropped to
	// make room. Without it, two types that do not fit together would replace each other at
	// every read.
	minIdle = time.Minute
	// dropWait is the wait for transactions that still see dropped tables.
	dropWait = 20 * time.Millisecond
	// maxUnsaved bounds the bytes that a crash loses and that have to be read again: the bytes
	// of rows, plus fileOverhead for each source file. A checkpoint takes as long as dozens of
	// extensions, however little it writes.
	maxUnsaved   = 64 << 20
	fileOverhead = 16 << 10
)

// usedBytes returns the number of bytes in use in the file.
func (m *Mirror) usedBytes(ctx context.Context, conn *duckdb.Conn) (int64, error) {
	return queryInt(ctx, conn, "SELECT CAST(block_size * used_blocks AS BIGINT) FROM pragma_database_size() WHERE database_name = '"+attached+"'")
}

// makeRoom drops the least recently used tables, if they have been idle for minIdle, until
// more bytes fit into the budget. It returns errNotMirrored if that is not enough.
func (m *Mirror) makeRoom(ctx context.Context, conn *duckdb.Conn, e *entry, more int64) error {
	if more > m.budget {
		return fmt.Errorf("%w: about %d bytes do not fit into the budget of %d", errNotMirrored, more, m.budget)
	}
	for patience := 3; ; {
		used, err := m.usedBytes(ctx, conn)
		if err != nil || used+more <= m.budget {
			return err
		}
		victim, t := m.takeLeastRecentlyUsed(e)
		switch {
		case t != nil:
			m.log.InfoContext(ctx, "mirror of a type makes room", "type_name", victim.ref.String(), "bytes", t.bytes)
			if err := m.drop(ctx, conn, victim, t); err != nil {
				return err
			}
		case patience == 0:
			return fmt.Errorf("%w: %d bytes are used, %d more do not fit into the budget of %d", errNotMirrored, used, more, m.budget)
		default:
			patience--
			time.Sleep(dropWait)
		}
		// The space of dropped tables is freed by a checkpoint after the last transaction that
		// may have seen them.
		m.writers.Lock()
		m.checkpoint(ctx, conn)
		m.writers.Unlock()
	}
}

// takeLeastRecentlyUsed detaches and returns the tables of the type that was not read for
// longest. It skips tables in use, tables read within minIdle and those of e.
func (m *Mirror) takeLeastRecentlyUsed(e *entry) (*entry, *tables) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var victim *entry
	for _, other := range m.types {
		t := other.tables
		if other == e || t == nil || t.uses > 0 || len(other.toDrop) > 0 || other.workerRunning || m.now().Sub(other.lastUsed) < minIdle {
			continue
		}
		if victim == nil || other.lastUsed.Before(victim.lastUsed) {
			victim = other
		}
	}
	if victim == nil {
		return nil, nil
	}
	t := victim.tables
	t.dropped, victim.tables, victim.reads = true, nil, 0
	return victim, t
}

// drop removes tables without users.
func (m *Mirror) drop(ctx context.Context, conn *duckdb.Conn, e *entry, t *tables) error {
	m.writers.RLock()
	err := t.drop(ctx, conn)
	m.writers.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, left := range e.toDrop {
		if left == t {
			e.toDrop = append(e.toDrop[:i:i], e.toDrop[i+1:]...)
			break
		}
	}
	return err
}

// checkpointSoon runs a checkpoint if more than maxUnsaved bytes were added since the last one
// and no other goroutine writes.
func (m *Mirror) checkpointSoon(ctx context.Context, conn *duckdb.Conn) {
	if m.unsaved.Load() <= maxUnsaved || !m.writers.TryLock() {
		return
	}
	defer m.writers.Unlock()
	m.checkpoint(ctx, conn)
}

// checkpoint writes the tables to the file. The caller holds the writers' lock; readers are
// not blocked.
func (m *Mirror) checkpoint(ctx context.Context, conn *duckdb.Conn) {
	m.unsaved.Store(0)
	if err := conn.ExecBackground(ctx, "CHECKPOINT "+attached); err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "mirror checkpoint failed", "error", err)
	}
}
