package mirror

import (
	"context"
	"fmt"
	"time"

	"github.com/ontosql/ontosql/duckdb"
)

const (
	// sizeFactor is how many bytes of tables one byte of rows is expected to fill.
	sizeFactor = 2
	// minIdle is how long a type has not been read when another may take its place:
	// two that do not fit together must not take turns.
	minIdle = time.Minute
	// dropWait is how long transactions are given to end that see dropped tables.
	dropWait = 20 * time.Millisecond
	// maxUnsaved bounds what a process that ends at once leaves to be read again:
	// bytes of rows, and smallFile for each file that they came from. A checkpoint
	// takes as long as dozens of extensions, whatever there is to write.
	maxUnsaved = 64 << 20
	fileOverhead   = 16 << 10
)

// usedBytes is how many bytes of the file are filled.
func (m *Mirror) usedBytes(ctx context.Context, conn *duckdb.Conn) (int64, error) {
	return queryInt(ctx, conn, "SELECT CAST(block_size * used_blocks AS BIGINT) FROM pragma_database_size() WHERE database_name = '"+attached+"'")
}

// makeRoom drops tables that nobody has read for a while, the least recently
// used first, until there is room for so many bytes more. It refuses where that
// is not enough.
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
		// What tables filled that are gone is free after a checkpoint, and after the
		// last transaction that may have seen them.
		m.writers.Lock()
		m.checkpoint(ctx, conn)
		m.writers.Unlock()
	}
}

// takeLeastRecentlyUsed takes the tables of the type that was not read for longest, but
// those that are in use or were read just now, and those of e.
func (m *Mirror) takeLeastRecentlyUsed(e *entry) (*entry, *tables) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var victim *entry
	for _, other := range m.types {
		t := other.tables
		if other == e || t == nil || t.uses > 0 || other.workerRunning || m.now().Sub(other.lastUsed) < minIdle {
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

// drop removes tables that nobody uses any more.
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

// checkpointSoon writes the tables down when much has come into them since the
// last time, and nobody else writes just now.
func (m *Mirror) checkpointSoon(ctx context.Context, conn *duckdb.Conn) {
	if m.unsaved.Load() <= maxUnsaved || !m.writers.TryLock() {
		return
	}
	defer m.writers.Unlock()
	m.checkpoint(ctx, conn)
}

// checkpoint writes the tables down, for a caller who holds the writers' lock.
// What it costs is nobody's who reads.
func (m *Mirror) checkpoint(ctx context.Context, conn *duckdb.Conn) {
	m.unsaved.Store(0)
	if err := conn.Exec(ctx, "CHECKPOINT "+attached); err != nil && ctx.Err() == nil {
		m.log.WarnContext(ctx, "mirror is not written down", "error", err)
	}
}
