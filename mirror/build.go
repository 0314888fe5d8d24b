package mirror

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// build creates the tables of a type: interim tables in memory first, then those in the file.
func (m *Mirror) build(ctx context.Context, e *entry, job *task) error {
	select {
	case m.building <- struct{}{}:
		defer func() { <-m.building }()
	case <-ctx.Done():
		return ctx.Err()
	}
	h, typ := job.history, job.typ
	files, count := h.Size(typ, typ.Floor-1, h.Head())
	p, ended := m.startProgress(e, count)
	defer ended()
	rows, err := h.Rows(ctx, typ, typ.Floor-1, h.Head())
	if err != nil {
		return fmt.Errorf("find rows: %w", err)
	}
	release := sync.OnceFunc(rows.Release)
	defer release()
	conn, err := m.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := m.makeRoom(ctx, conn, e, sizeFactor*rows.Bytes); err != nil {
		return err
	}
	over, err := p.watchConn(ctx, conn)
	if err != nil {
		return err
	}
	defer over()
	l := layoutOf(typ)
	m.mu.Lock()
	m.lastNumber++
	first := newTables(m.lastNumber, h, typ)
	m.mu.Unlock()
	first.interim = true
	p.step(0, 0.5)
	if err := first.loadInterim(ctx, conn, rows.versions(l, files == 1), l, rows); err != nil {
		return errors.Join(err, first.drop(context.WithoutCancel(ctx), conn))
	}
	release()
	if !m.publish(e, first) {
		return nil
	}
	t := newTables(first.number, h, typ)
	t.state, t.unreadable = first.state, first.unreadable
	if err := m.writeTables(ctx, conn, t, layoutOf(t.columnTypes()), p); err != nil {
		m.mu.Lock()
		if e.tables == first {
			m.discard(e)
		}
		m.mu.Unlock()
		return errors.Join(err, t.drop(context.WithoutCancel(ctx), conn))
	}
	m.publish(e, t)
	if err := m.makeRoom(ctx, conn, e, 0); err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if e.tables == t {
			m.discard(e)
		}
		return err
	}
	return nil
}

// newTables describes tables to be created, of a type up to the head of a history.
func newTables(number int64, h History, typ *catalog.Type) *tables {
	t := &tables{number: number, hists: number, ref: typ.Ref, signature: scan.Signature(typ), floor: typ.Floor, typ: typ, history: h}
	t.through, t.mark = h.Head(), h.Mark(h.Head())
	return t
}

// publish makes complete tables available to statements. It returns false, and marks the
// tables for dropping, if the type or the history has changed in the meantime.
func (m *Mirror) publish(e *entry, t *tables) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now, ok := m.newest.Type(e.ref); !ok || !t.matchesType(now) || !t.matchesHistory(m.newest) {
		t.dropped, e.toDrop = true, append(e.toDrop, t)
		return false
	}
	if e.tables != nil {
		m.discard(e)
	}
	e.tables = t
	return true
}

// writeTables creates the tables in the file from the relation Versions and runs a checkpoint.
func (m *Mirror) writeTables(ctx context.Context, conn *duckdb.Conn, t *tables, l layout, p *progress) error {
	before, err := m.usedBytes(ctx, conn)
	if err != nil {
		return err
	}
	m.writers.RLock()
	err = t.create(ctx, conn, l, p)
	m.writers.RUnlock()
	if err != nil {
		return err
	}
	m.writers.Lock()
	m.checkpoint(ctx, conn)
	m.writers.Unlock()
	after, err := m.usedBytes(ctx, conn)
	t.bytes = max(after-before, 0)
	return err
}

// create creates the tables and their indexes, and records in the types table that they are
// complete.
func (t *tables) create(ctx context.Context, conn *duckdb.Conn, l layout, p *progress) error {
	stored := l.list("")
	err := inTransaction(ctx, conn, func() error {
		p.step(0.5, 0.75)
		for _, sql := range []string{
			"CREATE TABLE " + t.cur() + " (" + l.definitions() + ")",
			"CREATE TABLE " + t.hist() + " (" + l.definitions() + ", v BIGINT)",
			"INSERT INTO " + t.cur() + " SELECT " + stored + " FROM " + Versions + " WHERE v IS NULL",
			"INSERT INTO " + t.hist() + " SELECT " + stored + ", v FROM " + Versions + " WHERE v IS NOT NULL ORDER BY v",
		} {
			if err := conn.ExecBackground(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	p.step(0.75, 1)
	if err := t.index(ctx, conn, l); err != nil {
		return fmt.Errorf("index the key: %w", err)
	}
	return inTransaction(ctx, conn, func() error {
		if err := t.saveUnreadable(ctx, conn, t.unreadable); err != nil {
			return err
		}
		return conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%d, %d, %s, %s, %s, %d, %d, %s, %d, %d, %d, 0, 0, %t, false)",
			typesTable, t.number, t.hists, duckdb.Literal(t.ref.Kind.String()), duckdb.Literal(t.ref.Name), duckdb.Literal(t.signature), t.floor,
			t.through, duckdb.Literal(t.mark), t.last, t.rows, t.identities, t.duplicates))
	}, nil)
}

// maxIndexedRows bounds the rows of hist that are indexed: DuckDB keeps an index in memory,
// about 32 MiB for a million rows. Without an index a key lookup scans hist.
const maxIndexedRows = 10_000_000

// index creates the indexes on the key columns.
func (t *tables) index(ctx context.Context, conn *duckdb.Conn, l layout) error {
	if t.rows-t.identities <= maxIndexedRows {
		if err := indexKeys(ctx, conn, l, t.hist()); err != nil {
			return err
		}
	}
	return indexKeys(ctx, conn, l, t.cur())
}

// indexKeys creates the indexes of one table.
func indexKeys(ctx context.Context, conn *duckdb.Conn, l layout, name string) error {
	for i := range l.indexed() {
		own := strings.TrimPrefix(name, attached+".main.")
		if err := conn.ExecBackground(ctx, fmt.Sprintf("CREATE INDEX %s_k%d ON %s (k%d)", own, i, name, i)); err != nil {
			return err
		}
	}
	return nil
}

// countUnreadable runs a query that counts values which do not have their column's type, and
// adds the counts to t.unreadable.
func (t *tables) countUnreadable(ctx context.Context, conn *duckdb.Conn, sql string) error {
	if sql == "" {
		return nil
	}
	err := conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		t.unreadable = append(t.unreadable, unreadableCount{int(b.Cols[0].I64[i]), ontosql.CommitID(b.Cols[1].I64[i]), b.Cols[2].I64[i]})
	})
	if err != nil {
		return fmt.Errorf("count unreadable values: %w", err)
	}
	return nil
}

// saveUnreadable inserts the counts into the file.
func (t *tables) saveUnreadable(ctx context.Context, conn *duckdb.Conn, found []unreadableCount) error {
	if len(found) == 0 {
		return nil
	}
	list := make([]string, len(found))
	for i, b := range found {
		list[i] = fmt.Sprintf("(%d, %d, %d, %d)", t.number, b.col, b.commit, b.n)
	}
	return conn.Exec(ctx, "INSERT INTO "+unreadableTable+" VALUES "+strings.Join(list, ", "))
}
