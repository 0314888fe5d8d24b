package mirror

import (
	"context"
	"fmt"

	"github.com/ontosql/ontosql/duckdb"
)

// slice bounds the identities that one transaction replaces: readers wait for
// its end.
const slice = 2000

// extend brings the tables of a type up to a history's head.
func (m *Mirror) extend(ctx context.Context, e *entry, job *task) error {
	h, t := job.history, job.tables
	files, count := h.Size(job.typ, t.through, h.Head())
	p, ended := m.watch(e, count)
	defer ended()
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
	l := layoutOf(job.typ)
	m.writers.RLock()
	err = m.apply(ctx, conn, job, l, rows.versions(l, files == 1), rows, p)
	m.writers.RUnlock()
	if err != nil {
		return err
	}
	m.unsaved.Add(rows.Bytes + int64(files)*smallFile)
	m.checkpointSoon(ctx, conn)
	return nil
}

// apply moves versions that came since into the tables. It does so in several
// transactions when they are many: a statement that began with the watermark
// before them looks at no row that came after it.
func (m *Mirror) apply(ctx context.Context, conn *duckdb.Conn, job *task, l layout, versions string, rows *Rows, p *progress) error {
	h, t := job.history, job.tables
	came, err := arrive(ctx, conn, l, versions)
	if err = rows.ran(err); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	next := t.state
	if came.rows > 0 {
		next.rows += came.rows
		next.bytes += came.rows * (t.bytes / max(t.rows, 1))
		next.last = came.last
		next.identities += came.identities
	}
	next.duplicates = next.duplicates || rows.Duplicates
	slices := (came.identities + slice - 1) / slice
	for n := range max(slices, 1) {
		whole := n == max(slices, 1)-1
		written := 0.5 + 0.5*float64(n)/float64(max(slices, 1))
		p.step(written, written)
		next.partial = !whole
		next.version++
		if whole {
			next.through, next.mark = h.Head(), h.Mark(h.Head())
		}
		unreadable := t.unreadable
		err := transact(ctx, conn, func() error {
			if came.rows > 0 {
				moved, err := t.replace(ctx, conn, l, came, n)
				if err != nil {
					return err
				}
				next.moved += moved
				next.identities -= moved
			}
			if whole {
				added := &tables{number: t.number}
				if err := added.findUnreadable(ctx, conn, rows.Unreadable); err != nil {
					return err
				}
				if err := added.keepUnreadable(ctx, conn, added.unreadable); err != nil {
					return err
				}
				unreadable = append(unreadable[:len(unreadable):len(unreadable)], added.unreadable...)
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
func (t *tables) replace(ctx context.Context, conn *duckdb.Conn, l layout, came *arrived, n int64) (moved int64, err error) {
	moved, err = number(ctx, conn, "CREATE OR REPLACE TEMP TABLE old AS "+came.old(t.cur(), l, n))
	if err != nil {
		return 0, err
	}
	var sqls []string
	if moved > 0 {
		sqls = append(sqls,
			"INSERT INTO "+t.hist()+" SELECT "+l.list("")+", first FROM old",
			"DELETE FROM "+t.cur()+" WHERE rowid IN (SELECT id FROM old)")
	}
	if came.rows > came.identities {
		sqls = append(sqls, "INSERT INTO "+t.hist()+" SELECT "+l.list("r.")+", r.v FROM "+came.versions(l, n)+" WHERE r.v IS NOT NULL")
	}
	sqls = append(sqls, "INSERT INTO "+t.cur()+" SELECT "+l.list("r.")+" FROM "+came.versions(l, n)+" WHERE r.v IS NULL")
	for _, sql := range sqls {
		if err := conn.Exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	return moved, nil
}
