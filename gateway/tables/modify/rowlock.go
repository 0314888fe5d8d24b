package modify

import (
	"context"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/database"
	"github.com/ontosql/ontosql/gateway/planner"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/gateway/tables/namespace"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/rewrite/scope"
	"github.com/ontosql/ontosql/workspace"
)

// A locked row is one that the transaction has written again as it was. So it needs no lock of
// its own: whoever wants to write or lock it meets that transaction, waits for its end, and
// finds its deadlocks (decision A56).

// Locks reports whether a plan locks rows or tables by locking clauses.
func Locks(p *planner.Plan) bool { return len(p.RowLocks)+len(p.TableLocks) > 0 }

// LockForRows takes the locks on tables that the locking clauses of a statement need, until the
// end of the transaction. The caller plans it again if a table has changed until it was locked.
func LockForRows(ctx context.Context, s *session.Session, p *planner.Plan) error {
	for _, lock := range p.RowLocks {
		t := p.Relations[lock.Ref].Stored
		if err := namespace.CheckWrites(s, "SELECT "+lock.Clause, t.Schema); err != nil {
			return err
		}
		if err := namespace.Lock(ctx, s, t, database.RowShare); err != nil {
			return err
		}
	}
	for _, lock := range p.TableLocks {
		if err := namespace.CheckWrites(s, "SELECT FOR UPDATE", lock.Table.Schema); err != nil {
			return err
		}
		if !lock.NoWait {
			if err := namespace.Lock(ctx, s, lock.Table, database.Exclusive); err != nil {
				return err
			}
			continue
		}
		if !s.DB.Locks.Try(&s.Client, namespace.TableTag(lock.Table.Schema, lock.Table.Name), database.Exclusive, true) {
			return lockedRow(lock.Table)
		}
	}
	return nil
}

// lockedRow is the error of NOWAIT.
func lockedRow(t *workspace.Table) error {
	return pgerr.New(pgerr.LockNotAvailable, "could not obtain lock on row in relation %q", t.Name)
}

// ReadLocked runs a SELECT that locks the rows it returns (PostgreSQL manual, SELECT, "The Locking
// Clause"). If another transaction has changed or locked one of them, the SELECT runs again after
// that has ended, so that the rows are as they are when they are locked. The caller closes the
// rows.
func ReadLocked(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, args [][]byte) (column.Stream, error) {
	for {
		rows, err := readLocked(ctx, s, pin, p, args)
		var again bool
		if again, err = Settle(ctx, s, err); !again {
			return rows, err
		}
	}
}

// readLocked is ReadLocked for one snapshot. The error is a conflict if another transaction has
// changed or locked a row.
func readLocked(ctx context.Context, s *session.Session, pin *resolver.Pin, p *planner.Plan, args [][]byte) (column.Stream, error) {
	spool := &temptable.Spool{Tables: s.Temp}
	defer spool.Close()
	name := s.Temp.Name("l")
	var conn *duckdb.Conn
	drop := func() error {
		if conn == nil {
			return nil
		}
		return conn.Exec(context.WithoutCancel(ctx), "DROP TABLE IF EXISTS "+name)
	}
	_, err := reading.OverMirror(ctx, reading.Sources{Session: s, Locked: true}, func(src *reading.Sources) (none struct{}, err error) {
		if err := src.Find(ctx, pin, p, args); err != nil {
			return none, err
		}
		if err := drop(); err != nil { // of an attempt without the mirror
			return none, err
		}
		if conn, err = s.FreeConn(ctx); err != nil {
			return none, err
		}
		columns := make([]string, max(len(p.Columns), 1)+len(p.RowLocks)) // a query without columns has one
		for i := range columns {
			columns[i] = Item(i)
		}
		src.Once = true
		err = src.RunStatement(ctx, p, args, func(query string) string {
			return "CREATE TEMP TABLE " + name + " AS SELECT * FROM (" + query + ") AS q(" + strings.Join(columns, ", ") + ")"
		})
		if err != nil {
			return none, err
		}
		shown := len(columns) - len(p.RowLocks)
		for _, lock := range p.RowLocks {
			if err := lockRows(ctx, s, conn, p.Relations[lock.Ref].Stored, lock.Wait, name, columns[shown+lock.Output]); err != nil {
				return none, err
			}
		}
		if err := keep(ctx, conn, "SELECT "+strings.Join(columns[:shown], ", ")+" FROM "+name+" ORDER BY rowid", spool); err != nil {
			return none, err
		}
		src.Release(context.WithoutCancel(ctx))
		return none, nil
	})
	if failed := drop(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return spool.Stream(ctx)
}

// lockRows locks rows of a table whose row ids are in a column of a temporary table. The error is
// a conflict if another transaction has changed or locked one.
func lockRows(ctx context.Context, s *session.Session, conn *duckdb.Conn, t *workspace.Table, wait scope.LockWait, from, column string) error {
	rowids := "SELECT " + column + " FROM " + from + " WHERE " + column + " IS NOT NULL"
	n, err := CountRows(ctx, conn, from)
	if err != nil || n == 0 {
		return err
	}
	if s.Alone() { // nobody meets locks that end at once
		return met(s, checkEnded(ctx, conn, t.Heap, rowids), wait, t)
	}
	if err := holdTransaction(s, t); err != nil {
		return err
	}
	return s.Tables.Apply(ctx, conn, t.Heap, false, func(id workspace.XID) error {
		if err := checkEnded(ctx, conn, t.Heap, rowids); err != nil {
			return met(s, err, wait, t)
		}
		for _, sql := range t.Heap.LockRows(id, s.Tables.IDs(), t.Columns, rowids, n) {
			if err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}
