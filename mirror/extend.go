package mirror

import (
	"context"
	"errors"
	"fmt"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// maxBatch bounds the identities that one transaction replaces, because readers wait for its
// end.
const maxBatch = 5000

// extend adds the commits up to a history's head to the tables of a type.
func (m *Mirror) extend(ctx context.Context, e *entry, job *task) error {
	h, t := job.history, job.tables
	files, count := h.Size(job.typ, t.through, h.Head())
	p, ended := m.startProgress(e, count)
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
	if errors.Is(err, errMisfit) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if e.tables == t {
			m.discard(e) // and built again with wider columns
		}
		return nil
	}
	if err != nil {
		return err
	}
	m.unsaved.Add(rows.Bytes + int64(files)*fileOverhead)
	m.checkpointSoon(ctx, conn)
	return nil
}

// errMisfit: a new value does not fit the numeric column of the tables.
var errMisfit = errors.New("a value does not fit its declared type")

// countNew counts the unreadable values of new versions.
func (t *tables) countNew(ctx context.Context, conn *duckdb.Conn, typ *catalog.Type, sql string) (*tables, error) {
	added := &tables{number: t.number}
	if err := added.countUnreadable(ctx, conn, sql); err != nil {
		return nil, err
	}
	for i := range typ.Columns {
		if at := scan.MisfitPosition(typ, i); added.hasUnreadable(at) && !t.hasUnreadable(at) {
			return nil, errMisfit
		}
	}
	return added, nil
}

// apply adds new versions to the tables, in several transactions if they are many. That is
// safe for concurrent readers: a statement reads only rows up to the watermark it started
// with.
func (m *Mirror) apply(ctx context.Context, conn *duckdb.Conn, job *task, l layout, versions string, rows *Rows, p *progress) error {
	h, t := job.history, job.tables
	added, err := loadNewVersions(ctx, conn, l, versions)
	if err = rows.afterRun(err); err != nil {
		return fmt.Errorf("read rows: %w", err)
	}
	found, err := t.countNew(ctx, conn, job.typ, rows.Unreadable)
	if err == nil {
		err = added.split(ctx, conn, l, t.cur())
	}
	if err != nil {
		return err
	}
	next := t.state
	if added.rows > 0 {
		next.rows += added.rows
		next.bytes += added.rows * (t.bytes / max(t.rows, 1))
		next.last = added.last
		next.identities += added.identities
	}
	next.duplicates = next.duplicates || rows.Duplicates
	slices := (added.identities + maxBatch - 1) / maxBatch
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
		err := inTransaction(ctx, conn, func() error {
			if added.rows > 0 {
				moved, err := t.replaceVersions(ctx, conn, l, added, n)
				if err != nil {
					return err
				}
				next.moved += moved
				next.identities -= moved
			}
			if whole {
				if err := found.saveUnreadable(ctx, conn, found.unreadable); err != nil {
					return err
				}
				unreadable = append(unreadable[:len(unreadable):len(unreadable)], found.unreadable...)
			}
			return t.saveState(ctx, conn, next)
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
				t.history = h
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
	}
	return nil
}

// replaceVersions applies one batch of identities: it moves their current rows to hist and
// inserts the new versions. It returns how many of the identities already existed.
func (t *tables) replaceVersions(ctx context.Context, conn *duckdb.Conn, l layout, added *newVersions, n int64) (moved int64, err error) {
	moved, err = queryInt(ctx, conn, "CREATE OR REPLACE TEMP TABLE old AS "+added.old(t.cur(), l, n))
	if err != nil {
		return 0, err
	}
	var sqls []string
	if moved > 0 {
		sqls = append(sqls,
			"INSERT INTO "+t.hist()+" SELECT "+l.list("")+", first FROM old",
			"DELETE FROM "+t.cur()+" WHERE rowid IN (SELECT id FROM old)")
	}
	if added.rows > added.identities {
		sqls = append(sqls, "INSERT INTO "+t.hist()+" SELECT "+l.list("r.")+", r.v FROM "+added.versions(n)+" WHERE r.v IS NOT NULL")
	}
	sqls = append(sqls, "INSERT INTO "+t.cur()+" SELECT "+l.list("r.")+" FROM "+added.versions(n)+" WHERE r.v IS NULL")
	for _, sql := range sqls {
		if err := conn.Exec(ctx, sql); err != nil {
			return 0, err
		}
	}
	return moved, nil
}
