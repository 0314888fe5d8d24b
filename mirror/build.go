package mirror

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// build makes the tables of a type.
func (m *Mirror) build(ctx context.Context, e *entry, job *task) error {
	select {
	case m.building <- struct{}{}:
		defer func() { <-m.building }()
	case <-ctx.Done():
		return ctx.Err()
	}
	h, typ := job.history, job.typ
	_, count := h.Size(typ, typ.Floor-1, h.Head())
	p, ended := m.watch(e, count)
	defer ended()
	rows, err := h.Rows(ctx, typ, typ.Floor-1, h.Head())
	if err != nil {
		return fmt.Errorf("find rows: %w", err)
	}
	defer rows.Release()
	conn, err := m.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := m.makeRoom(ctx, conn, e, guess*rows.Bytes); err != nil {
		return err
	}
	before, err := m.used(ctx, conn)
	if err != nil {
		return err
	}
	m.mu.Lock()
	m.serial++
	t := &tables{number: m.serial, ref: typ.Ref, signature: scan.Signature(typ), floor: typ.Floor, typ: typ, seen: h}
	m.mu.Unlock()
	t.through, t.mark, t.duplicates = h.Head(), h.Mark(h.Head()), rows.Duplicates
	over, err := p.listen(ctx, conn)
	if err != nil {
		return err
	}
	defer over()
	m.writers.RLock()
	err = t.fill(ctx, conn, layoutOf(typ), rows, p)
	m.writers.RUnlock()
	if err != nil {
		return errors.Join(err, t.drop(context.WithoutCancel(ctx), conn))
	}
	m.writers.Lock()
	m.checkpoint(ctx, conn)
	m.writers.Unlock()
	after, err := m.used(ctx, conn)
	if err != nil {
		return err
	}
	t.bytes = max(after-before, 0)
	m.mu.Lock()
	if now, ok := m.newest.Type(e.ref); ok && t.holds(now) && t.agrees(m.newest) {
		if e.tables != nil {
			m.leave(e)
		}
		e.tables = t
	} else {
		t.dropped, e.left = true, append(e.left, t)
	}
	m.mu.Unlock()
	if err := m.makeRoom(ctx, conn, e, 0); err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if e.tables == t {
			m.leave(e)
		}
		return err
	}
	return nil
}

// fill makes the tables and writes down that they are complete.
func (t *tables) fill(ctx context.Context, conn *duckdb.Conn, l layout, rows *Rows, p *progress) error {
	p.step(0, 0.5)
	if err := conn.Exec(ctx, "CREATE TEMP TABLE versions AS "+l.superseded(rows.SQL)); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	defer func() { _ = conn.Exec(context.WithoutCancel(ctx), "DROP TABLE versions") }() // it goes with the connection
	stored := l.list("")
	err := transact(ctx, conn, func() error {
		p.step(0.5, 0.75)
		for _, sql := range []string{
			"CREATE TABLE " + t.cur() + " (" + l.definitions() + ")",
			"CREATE TABLE " + t.hist() + " (" + l.definitions() + ", v BIGINT)",
			"INSERT INTO " + t.cur() + " SELECT " + stored + " FROM versions WHERE v IS NULL",
			"INSERT INTO " + t.hist() + " SELECT " + stored + ", v FROM versions WHERE v IS NOT NULL ORDER BY v",
		} {
			if err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	if err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	p.step(0.75, 1)
	err = conn.Each(ctx, "SELECT count(*), count(*) FILTER (WHERE v IS NULL), max(c) FROM versions", nil, func(b *column.Batch, i int) {
		t.rows, t.identities = b.Cols[0].I64[i], b.Cols[1].I64[i]
		if t.rows > 0 {
			t.last = ontosql.CommitID(b.Cols[2].I64[i])
		}
	})
	if err != nil {
		return err
	}
	if err := t.index(ctx, conn, l); err != nil {
		return fmt.Errorf("index the key: %w", err)
	}
	return transact(ctx, conn, func() error {
		if err := t.keepUnreadable(ctx, conn, rows.Unreadable); err != nil {
			return err
		}
		return conn.Exec(ctx, fmt.Sprintf("INSERT INTO %s VALUES (%d, %s, %s, %s, %d, %d, %s, %d, %d, %d, 0, 0, %t, false)",
			typesTable, t.number, duckdb.Literal(t.ref.Kind.String()), duckdb.Literal(t.ref.Name), duckdb.Literal(t.signature), t.floor,
			t.through, duckdb.Literal(t.mark), t.last, t.rows, t.identities, t.duplicates))
	}, nil)
}

// mostIndexed bounds the rows of hist that have an index: the engine keeps it in
// memory, some 32 MiB for a million rows. A key is looked for in the whole of a
// longer hist.
const mostIndexed = 10_000_000

// index makes the indexes by which keys are found.
func (t *tables) index(ctx context.Context, conn *duckdb.Conn, l layout) error {
	names := []string{t.cur()}
	if t.rows-t.identities <= mostIndexed {
		names = append(names, t.hist())
	}
	for _, name := range names {
		for i := range min(len(l.keys), 2) { // nobody looks for an instance key alone
			own := strings.TrimPrefix(name, attached+".main.")
			if err := conn.Exec(ctx, fmt.Sprintf("CREATE INDEX %s_k%d ON %s (k%d)", own, i, name, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepUnreadable writes down the values that are none of their column's type.
// The tables know of them when the transaction has ended.
func (t *tables) keepUnreadable(ctx context.Context, conn *duckdb.Conn, sql string) error {
	if sql == "" {
		return nil
	}
	var found []string
	more := t.unreadable
	err := conn.Each(ctx, sql, nil, func(b *column.Batch, i int) {
		col, commit, n := b.Cols[0].I64[i], b.Cols[1].I64[i], b.Cols[2].I64[i]
		found = append(found, fmt.Sprintf("(%d, %d, %d, %d)", t.number, col, commit, n))
		more = append(more, bad{int(col), ontosql.CommitID(commit), n})
	})
	if err != nil {
		return fmt.Errorf("count unreadable values: %w", err)
	}
	t.unreadable = more
	if len(found) == 0 {
		return nil
	}
	return conn.Exec(ctx, "INSERT INTO "+unreadableTable+" VALUES "+strings.Join(found, ", "))
}
