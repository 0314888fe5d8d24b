package mirror

import (
	"context"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

const (
	// slice bounds the identities that one transaction replaces: readers wait for
	// its end.
	slice = 2000
	// listed bounds the identities whose rows are looked for by a list of their
	// keys, which the index answers.
	listed = 256
)

// extend brings the tables of a type up to a history's head.
func (m *Mirror) extend(ctx context.Context, e *entry, job *task) error {
	h, t := job.history, job.tables
	rows, err := h.Rows(ctx, job.typ, t.through, h.Head())
	if err != nil {
		return fmt.Errorf("find rows: %w", err)
	}
	defer rows.Release()
	conn, err := m.engine.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	m.writers.RLock()
	err = m.apply(ctx, conn, job, layoutOf(job.typ), rows)
	m.writers.RUnlock()
	if err != nil {
		return err
	}
	m.mu.Lock()
	f := m.file
	m.mu.Unlock()
	if f != nil {
		m.checkpointSoon(ctx, conn, f)
	}
	return nil
}

// apply moves versions that came since into the tables. It does so in several
// transactions when they are many: a statement that began with the watermark
// before them looks at no row that came after it.
func (m *Mirror) apply(ctx context.Context, conn *duckdb.Conn, job *task, l layout, rows *Rows) error {
	h, t := job.history, job.tables
	keys := l.identity()
	for _, sql := range []string{
		"CREATE TEMP TABLE versions AS " + l.superseded(rows.SQL),
		fmt.Sprintf("CREATE TEMP TABLE identities AS SELECT %s, min(c) AS first, (row_number() OVER (ORDER BY %s) - 1) // %d AS slice FROM versions GROUP BY %s", keys, keys, slice, keys),
	} {
		if err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("read rows: %w", err)
		}
	}
	next := t.state
	var slices int64
	err := conn.Each(ctx, "SELECT (SELECT count(*) FROM versions), (SELECT max(c) FROM versions), (SELECT max(slice) + 1 FROM identities), (SELECT count(*) FROM identities)", nil, func(b *column.Batch, i int) {
		if n := b.Cols[0].I64[i]; n > 0 {
			next.rows += n
			next.bytes += n * (t.bytes / max(t.rows, 1))
			next.last = ontosql.CommitID(b.Cols[1].I64[i])
			slices = b.Cols[2].I64[i]
			next.identities += b.Cols[3].I64[i]
		}
	})
	if err != nil {
		return err
	}
	next.duplicates = next.duplicates || rows.Duplicates
	for n := range max(slices, 1) {
		whole := n == max(slices, 1)-1
		next.partial = !whole
		next.version++
		if whole {
			next.through, next.mark = h.Head(), h.Mark(h.Head())
		}
		unreadable := t.unreadable
		err := transact(ctx, conn, func() error {
			moved, err := t.replace(ctx, conn, l, n)
			if err != nil {
				return err
			}
			next.moved += moved
			next.identities -= moved
			if whole {
				added := &tables{number: t.number, unreadable: unreadable[:len(unreadable):len(unreadable)]}
				if err := added.keepUnreadable(ctx, conn, rows.Unreadable); err != nil {
					return err
				}
				unreadable = added.unreadable
			}
			return t.save(ctx, conn, next)
		}, func(end func() error) error {
			t.gate.Lock()
			defer t.gate.Unlock()
			if err := end(); err != nil {
				return err
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			t.state, t.unreadable = next, unreadable
			if whole {
				t.seen = h
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
	}
	return nil
}

// replace moves the rows of one slice of identities: what was their newest
// version goes to hist, and what came since takes its place. It returns how
// many identities were there before.
func (t *tables) replace(ctx context.Context, conn *duckdb.Conn, l layout, n int64) (int64, error) {
	of := fmt.Sprintf("(SELECT * FROM identities WHERE slice = %d)", n)
	before, err := t.near(ctx, conn, n)
	if err != nil {
		return 0, err
	}
	using := "USING (" + l.identity() + ")"
	sqls := []string{
		"CREATE OR REPLACE TEMP TABLE old AS SELECT r.id, i.first, " + l.list("r.") + " FROM " + before + " AS r JOIN " + of + " AS i " + using,
		"INSERT INTO " + t.hist() + " SELECT " + l.list("") + ", first FROM old",
		"INSERT INTO " + t.hist() + " SELECT " + l.list("r.") + ", r.v FROM versions AS r SEMI JOIN " + of + " AS i " + using + " WHERE r.v IS NOT NULL",
		"DELETE FROM " + t.cur() + " WHERE rowid IN (SELECT id FROM old)",
		"INSERT INTO " + t.cur() + " SELECT " + l.list("r.") + " FROM versions AS r SEMI JOIN " + of + " AS i " + using + " WHERE r.v IS NULL",
	}
	for _, sql := range sqls {
		if err := conn.Exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	return number(ctx, conn, "SELECT count(*) FROM old")
}

// near is cur, or where a slice is small the rows of it that the index finds by
// their first key column. The engine asks the index only if there is no other
// condition on the table, and a join would make one, but not beyond an OFFSET.
func (t *tables) near(ctx context.Context, conn *duckdb.Conn, n int64) (string, error) {
	var texts []string
	err := conn.Each(ctx, fmt.Sprintf("SELECT DISTINCT k0 FROM identities WHERE slice = %d LIMIT %d", n, listed+1), nil, func(b *column.Batch, i int) {
		texts = append(texts, duckdb.Literal(string(b.Cols[0].Str[i])))
	})
	rows := "SELECT rowid AS id, * FROM " + t.cur()
	if err != nil || len(texts) == 0 || len(texts) > listed {
		return "(" + rows + ")", err
	}
	return "(" + rows + " WHERE k0 IN (" + strings.Join(texts, ", ") + ") OFFSET 0)", nil
}
