package mirror

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/duckdb"
)

// compact writes the current rows of a type to a new table, without the space of those that have
// moved to hist. hist stays: the new tables take it over. Neither reads the store, and its time
// depends on the current rows only.
func (m *Mirror) compact(ctx context.Context, e *entry, job *task) error {
	conn, err := m.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	old := job.tables
	m.mu.Lock()
	m.lastNumber++
	t := old.successor(m.lastNumber)
	l := layoutOf(t.columnTypes())
	m.mu.Unlock()
	m.writers.RLock()
	defer m.writers.RUnlock()
	err = t.copyCur(ctx, conn, l, old)
	if err == nil && m.succeed(e, old, t) {
		err = t.takeOver(ctx, conn, l, old)
		if err == nil {
			return nil
		}
		m.mu.Lock()
		if e.tables == t {
			m.discard(e)
		}
		m.mu.Unlock()
		return err
	}
	m.mu.Lock()
	e.toDrop = append(e.toDrop, t)
	m.mu.Unlock()
	return err
}

// successor describes tables with the rows of t, in a new cur and the same hist, which t owns
// until they replace it.
func (t *tables) successor(number int64) *tables {
	next := &tables{
		number: number, hists: t.hists, ref: t.ref, signature: t.signature, floor: t.floor, state: t.state,
		typ: t.typ, history: t.history, unreadable: t.unreadable, sharesHist: true,
	}
	next.moved = 0
	return next
}

// copyCur creates cur from that of other tables, with its indexes.
func (t *tables) copyCur(ctx context.Context, conn *duckdb.Conn, l layout, from *tables) error {
	for _, sql := range []string{
		"CREATE TABLE " + t.cur() + " (" + l.definitions() + ")",
		"INSERT INTO " + t.cur() + " SELECT " + l.list("") + " FROM " + from.cur(),
	} {
		if err := conn.ExecBackground(ctx, sql); err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
	}
	if err := indexKeys(ctx, conn, l, t.cur()); err != nil {
		return fmt.Errorf("index the key: %w", err)
	}
	return nil
}

// succeed makes statements use t in place of old, unless the type has changed. Statements that
// have found old but have not started have to look again, because hist changes with t from now on.
func (m *Mirror) succeed(e *entry, old, t *tables) bool {
	old.gate.Lock()
	defer old.gate.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.tables != old {
		return false
	}
	old.version++
	t.version = old.version
	old.sharesHist, t.sharesHist = true, false
	m.discard(e)
	e.tables = t
	return true
}

// takeOver records in the types table that t has replaced old, and drops the indexes of a
// hist that has become too large for them.
func (t *tables) takeOver(ctx context.Context, conn *duckdb.Conn, l layout, old *tables) error {
	err := inTransaction(ctx, conn, func() error {
		for _, sql := range []string{
			fmt.Sprintf("UPDATE %s SET number = %d, moved = 0 WHERE number = %d", typesTable, t.number, old.number),
			fmt.Sprintf("UPDATE %s SET number = %d WHERE number = %d", unreadableTable, t.number, old.number),
		} {
			if err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil || t.rows-t.identities <= maxIndexedRows {
		return err
	}
	t.gate.Lock()
	defer t.gate.Unlock()
	for i := range l.indexed() {
		if err := conn.Exec(ctx, fmt.Sprintf("DROP INDEX IF EXISTS %s_k%d", t.hist(), i)); err != nil {
			return err
		}
	}
	return nil
}
